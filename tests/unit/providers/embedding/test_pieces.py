"""The vocabulary in pieces cuts a text as the model's tokenizer.json says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.embedding.models import ensure_model
from rag_query.providers.embedding.openvino import OpenVinoEmbedder, OpenVinoParams
from rag_query.providers.embedding.openvino_ir import ensure_ir
from rag_query.providers.embedding.pieces import (
    PieceEncoder,
    WholeEncoder,
    open_encoder,
    write_pieces,
)

SAMPLES = Path("data/samples")
ODD = [
    "",
    " ",
    "\n\n  a \t b  ",
    "▁ already ▁marked",
    "the end</s> of <mask>it <s><pad>",
    "<unk>",
    "ＦＵＬＬ－ＷＩＤＴＨ　ｋａｎａ ｶﾞ",
    "zwj 👩‍🚀 e\u0301 \ufeff\x00\x07",
    "词" * 2000,
]


@pytest.fixture(scope="module")
def both(models_dir: Path) -> tuple[PieceEncoder, WholeEncoder]:
    folder = ensure_model("multilingual-e5-small", models_dir)
    converted = ensure_ir(folder, "fp16").parent
    return PieceEncoder(converted, 512), WholeEncoder(folder.path / "tokenizer.json", 512)


def test_both_cut_alike(both: tuple[PieceEncoder, WholeEncoder]) -> None:
    pieces, whole = both
    files = [path for path in sorted(SAMPLES.rglob("*")) if path.suffix in (".md", ".txt")]
    texts = [path.read_text("utf-8") for path in files]
    texts = [text[at : at + 900] for text in texts for at in range(0, len(text), 900)] + ODD
    assert len(texts) > 20
    assert pieces.encode(texts) == whole.encode(texts)
    assert pieces.special == whole.special
    assert max(map(len, pieces.encode(texts))) == 512


@pytest.mark.parametrize("words", [3, 509, 510, 511, 2000])
def test_texts_longer_than_the_model_are_counted(
    both: tuple[PieceEncoder, WholeEncoder], words: int
) -> None:
    text = " ".join(["tea"] * words)
    for encoder in both:
        before = encoder.cut
        encoder.encode([text, "short"])
        # Two of the 512 tokens stand around the text.
        assert encoder.cut - before == (words > 510)


def test_another_kind_of_vocabulary_stays_whole(models_dir: Path, tmp_path: Path) -> None:
    folder = ensure_model("all-MiniLM-L6-v2", models_dir)
    assert not write_pieces(folder.path / "tokenizer.json", tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert isinstance(open_encoder(folder.path / "tokenizer.json", tmp_path, 64), WholeEncoder)


@pytest.mark.parametrize(
    "changed",
    [
        {"pre_tokenizer": {"type": "WhitespaceSplit"}},
        {"post_processor": None},
        {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": None},
    ],
)
def test_unknown_rules_stay_whole(
    changed: dict[str, object], models_dir: Path, tmp_path: Path
) -> None:
    folder = ensure_model("multilingual-e5-small", models_dir)
    parsed = json.loads((folder.path / "tokenizer.json").read_bytes())
    own = tmp_path / "tokenizer.json"
    own.write_text(json.dumps(parsed | changed), encoding="utf-8")
    assert not write_pieces(own, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizer.json"]


def test_a_damaged_vocabulary_is_named(models_dir: Path, tmp_path: Path) -> None:
    name = "multilingual-e5-small"
    ensure_model(name, models_dir)
    shutil.copytree(models_dir / name, tmp_path / name)
    vocabulary = ensure_ir(ensure_model(name, tmp_path), "fp16").parent / "pieces.model"
    vocabulary.write_bytes(vocabulary.read_bytes()[:5000])
    params = OpenVinoParams(model=name, precision="f32")
    embedder = OpenVinoEmbedder(ensure_model(name, tmp_path), params)
    with pytest.raises(ExcerptaError) as caught:
        embedder.embed_queries(["tea"])
    assert caught.value.code is ErrorCode.MODEL_UNAVAILABLE
