"""A sentence-transformers folder as an OpenVINO IR: one graph from token ids to pooled vectors.

Converting traces the model with torch, so it happens once for each form of the weights and in a
process of its own (``python -m rag_query.providers.embedding.openvino_ir FOLDER TARGET WEIGHTS``):
neither who embeds nor who asks ever holds torch and a second copy of the weights in memory.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.files import exclusive
from rag_query.providers.embedding.folder import ModelFolder
from rag_query.providers.embedding.int8_weights import INPUTS_OF_A_SCALE, to_int8
from rag_query.providers.embedding.pieces import write_pieces
from rag_query.text.ids import sha256_text

#: Raised when :func:`convert` writes other files.
IR_VERSION = 3
Weights = Literal["fp16", "int8"]
#: Lowest cosine between the graph and torch, both in float32 (weights are stored in float16).
MIN_COSINE = 0.9999
MIN_COSINE_BF16 = 0.999
#: With weights and activations in int8; a model that they change more keeps float16.
MIN_COSINE_INT8 = 0.99
#: Vectors of :func:`_sample` as torch gives them.
CHECK = "check.npy"
_CHECK_LENGTHS = (3, 12, 40)


def openvino() -> Any:
    """The module ``openvino``, imported so that it reports to nobody.

    It sends an event on import and on conversion, unless ``openvino_telemetry`` is missing.
    """
    if "openvino" not in sys.modules:
        sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    import openvino as module

    return module


def ensure_ir(folder: ModelFolder, weights: Weights) -> Path:
    """Path of the graph's ``model.xml``; converted first where there is none (about 10 s).

    Args:
        weights: of the linear layers. With ``int8`` the graph may hold float16 all the same, see
            :data:`MIN_COSINE_INT8`.

    Raises:
        ExcerptaError: ``MODEL_UNAVAILABLE`` when the model cannot be converted.
    """
    key = sha256_text(f"{folder.record.weights_id}\x1f{IR_VERSION}")[:16]
    current = {form: folder.work / f"openvino-{form}-{key}" for form in get_args(Weights)}
    target = current[weights]
    graph = target / "model.xml"
    if _complete(target):
        return graph
    with exclusive(folder.work / ".openvino.lock"):
        if _complete(target):
            return graph
        for stale in folder.work.glob(".tmp-*-openvino"):
            shutil.rmtree(stale, ignore_errors=True)
        temporary = folder.work / f".tmp-{uuid.uuid4().hex}-openvino"
        temporary.mkdir()
        try:
            _convert_elsewhere(folder, temporary, weights)
            for found in folder.work.glob("openvino-*"):
                # Of another release, or the target half written.
                if found == target or found not in current.values():
                    shutil.rmtree(found)
            temporary.rename(target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return graph


def _complete(target: Path) -> bool:
    """Whether every file of a conversion is there; else the graph is made again."""
    return all((target / name).exists() for name in ("model.xml", "model.bin", CHECK))


def _convert_elsewhere(folder: ModelFolder, target: Path, weights: Weights) -> None:
    done = subprocess.run(
        [sys.executable, "-m", __name__, str(folder.path), str(target), weights],
        # A server speaks over its own streams: none of this output may reach them.
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise ExcerptaError(
            ErrorCode.MODEL_UNAVAILABLE,
            f"{folder.record.name} cannot be converted for OpenVINO: "
            # A tracer's message can hold whole tensors.
            f"{last.replace(str(folder.path), folder.record.name)[:200]}",
            hint="Use the provider embedder.sentence_transformers for this model.",
        )


def convert(folder: Path, target: Path, weights: Weights) -> None:
    """The graph, and the vocabulary where it can be in pieces.

    Inputs ``input_ids`` and ``attention_mask`` (batch, tokens) int64; output (batch, width).
    """
    import torch

    from rag_query.providers.embedding.torch_model import load_model, quiet

    ov = openvino()
    model = load_model(str(folder), device="cpu")

    class Pooled(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            features = {"input_ids": input_ids, "attention_mask": attention_mask}
            return self.model(features)["sentence_embedding"]

    pooled = Pooled().eval()

    # Two texts of different length, so that padding is part of what is traced.
    ids, mask = _sample((4, 7))
    example = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
    with torch.no_grad(), quiet(), warnings.catch_warnings():
        # The tracer warns of branches on shapes that padding on the right never takes.
        warnings.simplefilter("ignore")
        graph = ov.convert_model(pooled, example_input=example)
        for port, name in zip(graph.inputs, example, strict=True):
            port.get_tensor().set_names({name})
        ids, mask = _sample(_CHECK_LENGTHS)
        wanted = pooled(torch.from_numpy(ids), torch.from_numpy(mask)).numpy()
    # Not what was traced but what is read back: the weights are rounded as they are written.
    file = target / "model.xml"
    ov.save_model(graph, file, compress_to_fp16=True)
    cosine = _cosine(wanted, _vectors_of(file, ids, mask))
    if not cosine >= MIN_COSINE:
        raise ValueError(f"the converted graph gives other vectors (cosine {cosine:.5f})")
    if weights == "int8":
        _quantise(file, lambda quantised: _cosine(wanted, _vectors_of(quantised, ids, mask)))
    write_pieces(folder / "tokenizer.json", target)
    np.save(target / CHECK, wanted)


def _quantise(file: Path, cosine: Callable[[Path], float]) -> None:
    """Replace a graph by one with weights in int8, unless that changes its vectors too much.

    Args:
        cosine: of a graph's vectors to those of torch, the least of them.
    """
    ov = openvino()
    small = file.with_name("int8.xml")
    quantised = ov.Core().read_model(file)
    to_int8(ov, quantised)
    # What stays is float16 by now; to compress it again would make it float32.
    ov.save_model(quantised, small, compress_to_fp16=False)
    del quantised  # it maps the files
    is_close = cosine(small) >= MIN_COSINE_INT8
    for suffix in (".xml", ".bin"):
        if is_close:
            small.with_suffix(suffix).replace(file.with_suffix(suffix))
        else:
            small.with_suffix(suffix).unlink()


def gives_right_vectors(compiled: Any, graph: Path) -> bool:
    """Whether a compiled graph still gives the vectors torch gave when it was converted.

    A damaged file can compile without complaint. The first inference costs about 30 ms, which
    the first text would cost otherwise.
    """
    ids, mask = _sample(_CHECK_LENGTHS)
    try:
        found = compiled({"input_ids": ids, "attention_mask": mask})[0]
        cosine = _cosine(np.load(graph.parent / CHECK), found)
    except (RuntimeError, ValueError):  # nothing comes out, or vectors of another shape
        return False
    least = MIN_COSINE_INT8 if graph.parent.name.startswith("openvino-int8-") else MIN_COSINE_BF16
    return bool(cosine >= least)


def _vectors_of(
    graph: Path, ids: NDArray[np.int64], mask: NDArray[np.int64]
) -> NDArray[np.float32]:
    """What a graph gives in float32, with activations in int8 where its weights are."""
    compiled = (
        openvino()
        .Core()
        .compile_model(
            graph,
            "CPU",
            {
                "INFERENCE_PRECISION_HINT": "f32",
                "DYNAMIC_QUANTIZATION_GROUP_SIZE": INPUTS_OF_A_SCALE,
            },
        )
    )
    found: NDArray[np.float32] = compiled({"input_ids": ids, "attention_mask": mask})[0]
    return found


def _cosine(wanted: NDArray[np.float32], found: NDArray[np.float32]) -> float:
    """The least of two stacks of vectors; NaN when any vector is."""
    products = np.linalg.norm(wanted, axis=1) * np.linalg.norm(found, axis=1)
    return float(((wanted * found).sum(axis=1) / products).min())


def _sample(lengths: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token ids that every vocabulary has, right-padded."""
    ids = np.zeros((len(lengths), max(lengths)), np.int64)
    mask = np.zeros_like(ids)
    for row, length in enumerate(lengths):
        ids[row, :length] = 5 + (np.arange(length) * (row + 3)) % 90
        mask[row, :length] = 1
    return ids, mask


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])  # type: ignore[arg-type]
