"""The embedding engine gives the vectors of torch, to many threads at once, without torch."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.providers.embedding.models import ensure_model
from rag_query.providers.embedding.openvino import (
    OpenVinoEmbedder,
    OpenVinoParams,
    Precision,
    batches,
    quickest,
)
from rag_query.providers.embedding.openvino_ir import (
    CHECK,
    convert,
    ensure_ir,
    gives_right_vectors,
    openvino,
)
from rag_query.providers.embedding.sentence_transformers import (
    SentenceTransformersEmbedder,
    SentenceTransformersParams,
)
from rag_query.providers.registry import REGISTRY

TEXTS = [
    "Green tea is steamed, black tea is oxidised.",
    "",
    "绿茶经过蒸青,红茶经过发酵。",
    "one",
    "def f(x): return x ** 2",
    "Long text beyond every limit of tokens. " * 200,
    "The cell divides.",
]


@pytest.mark.parametrize(
    ("name", "precision", "least"),
    [
        ("multilingual-e5-small", "auto", 0.9995),
        ("all-MiniLM-L6-v2", "auto", 0.9995),
        # A lone word shows int8 most; a passage stays above 0.999.
        ("all-MiniLM-L6-v2", "int8", 0.997),
        ("all-MiniLM-L6-v2", "f32", 0.9999),
    ],
)
def test_torch_gives_the_same_vectors(
    name: str, precision: Precision, least: float, models_dir: Path
) -> None:
    folder = ensure_model(name, models_dir)
    ours = OpenVinoEmbedder(folder, OpenVinoParams(model=name, precision=precision))
    torch = SentenceTransformersEmbedder(
        folder, SentenceTransformersParams(model=name, device="cpu")
    )
    assert ours.card == torch.card
    for mine, its in (
        (ours.embed_passages(TEXTS), torch.embed_passages(TEXTS)),
        (ours.embed_queries(TEXTS[:3]), torch.embed_queries(TEXTS[:3])),
    ):
        assert mine.dtype == its.dtype == np.float32
        assert (mine * its).sum(axis=1).min() >= least
    long = "tea " * (2 * ours.card.max_tokens)
    for embedder in (ours, torch):
        before = embedder.texts_cut
        embedder.embed_passages([long, *TEXTS[:5]])
        assert embedder.texts_cut - before == 1


def test_vectors_are_unit_in_the_order_given(minilm: OpenVinoEmbedder) -> None:
    many = minilm.embed_passages(TEXTS)
    assert many.shape == (len(TEXTS), 384)
    assert np.linalg.norm(many, axis=1) == pytest.approx(1.0, abs=1e-5)
    alone = np.concatenate([minilm.embed_passages([text]) for text in TEXTS])
    assert (many * alone).sum(axis=1).min() >= 0.9995
    assert minilm.embed_passages([]).shape == (0, 384)


def test_a_question_finds_its_passage_in_both_languages(e5: OpenVinoEmbedder) -> None:
    passages = e5.embed_passages([TEXTS[0], TEXTS[2], TEXTS[4], TEXTS[6]])
    scores = e5.embed_queries(["How is green tea made?", "绿茶是怎么做的?"]) @ passages.T
    assert set(scores[0].argsort()[-2:]) == {0, 1}
    assert set(scores[1].argsort()[-2:]) == {0, 1}


_DROPPED_AT_ONCE = """
import sys
from pathlib import Path
from rag_query.providers.embedding.models import ensure_model
from rag_query.providers.embedding.openvino import OpenVinoEmbedder, OpenVinoParams
folder = ensure_model("all-MiniLM-L6-v2", Path(sys.argv[1]))
texts = [f"number {i} " * (i % 9 + 1) for i in range(60)]
for _ in range(4):
    OpenVinoEmbedder(folder, OpenVinoParams(model="all-MiniLM-L6-v2")).embed_passages(texts)
"""


def test_an_embedder_may_be_dropped_as_soon_as_it_has_answered(
    minilm: OpenVinoEmbedder, models_dir: Path
) -> None:
    minilm.embed_queries(["converted first"])
    # In a process of its own, so that a lock nobody lets go of ends with the test.
    command = [sys.executable, "-c", _DROPPED_AT_ONCE, str(models_dir)]
    subprocess.run(command, check=True, timeout=60)


def test_threads_may_ask_at_once(minilm: OpenVinoEmbedder) -> None:
    questions = [f"what is number {i}" for i in range(24)]
    alone = np.concatenate([minilm.embed_queries([q]) for q in questions])
    with ThreadPoolExecutor(8) as pool:
        together = np.concatenate(list(pool.map(lambda q: minilm.embed_queries([q]), questions)))
    assert (alone * together).sum(axis=1).min() >= 0.9999


def test_the_query_process_imports_no_torch(e5: OpenVinoEmbedder, models_dir: Path) -> None:
    e5.embed_queries(["convert and compile"])
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from rag_query.providers.embedding.models import ensure_model\n"
        "from rag_query.providers.embedding.openvino import OpenVinoEmbedder, OpenVinoParams\n"
        "folder = ensure_model('multilingual-e5-small', Path(sys.argv[1]))\n"
        "embedder = OpenVinoEmbedder(folder, OpenVinoParams())\n"
        "assert 'openvino' not in sys.modules, 'building loads nothing'\n"
        "embedder.embed_passages(['probe']); embedder.embed_queries(['question'])\n"
        "loaded = {'torch', 'transformers', 'sentence_transformers'} & sys.modules.keys()\n"
        "assert not loaded, loaded\n"
        "assert sys.modules['openvino_telemetry'] is None"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, models_dir], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def _own_copy(
    models_dir: Path, target: Path, precision: Precision = "int8"
) -> tuple[OpenVinoEmbedder, Path]:
    """MiniLM, converted, in a folder that a test may damage; and the folder of its graph."""
    name = "all-MiniLM-L6-v2"
    shutil.copytree(models_dir / name, target / name)
    folder = ensure_model(name, target)
    graph = ensure_ir(folder, "int8" if precision == "int8" else "fp16").parent
    return OpenVinoEmbedder(folder, OpenVinoParams(model=name, precision=precision)), graph


def test_a_broken_compiled_cache_is_dropped(
    models_dir: Path, minilm: OpenVinoEmbedder, tmp_path: Path
) -> None:
    wanted = minilm.embed_queries(["tea"])
    whole, graph = _own_copy(models_dir, tmp_path / "a")
    whole.embed_queries(["fill the cache"])
    for blob in (blobs := list(graph.glob("compiled-*/*.blob"))):
        blob.write_bytes(blob.read_bytes()[: blob.stat().st_size // 2])
    assert blobs
    broken, _ = _own_copy(tmp_path / "a", tmp_path / "b")
    assert (broken.embed_queries(["tea"]) @ wanted.T).item() >= 0.999


def test_a_conversion_by_half_is_made_again(
    models_dir: Path, minilm: OpenVinoEmbedder, tmp_path: Path
) -> None:
    wanted = minilm.embed_queries(["tea"])
    copied, graph = _own_copy(models_dir, tmp_path)
    (graph / "check.npy").unlink()
    assert (copied.embed_queries(["tea"]) @ wanted.T).item() >= 0.999
    assert (graph / "check.npy").exists()


@pytest.mark.parametrize("precision", ["int8", "f32"])
def test_damaged_weights_are_noticed(
    precision: Precision, models_dir: Path, minilm: OpenVinoEmbedder, tmp_path: Path
) -> None:
    minilm.embed_queries(["made"])
    damaged, graph = _own_copy(models_dir, tmp_path, precision)
    weights = graph / "model.bin"
    data = bytearray(weights.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    weights.write_bytes(data)
    with pytest.raises(ExcerptaError) as caught:
        damaged.embed_queries(["tea"])
    assert caught.value.code is ErrorCode.MODEL_UNAVAILABLE


def test_another_precision_is_refused_with_all_there_are() -> None:
    with pytest.raises(ValidationError) as caught:
        OpenVinoParams.model_validate({"precision": "int4"})
    (problem,) = caught.value.errors()
    for name in ("auto", "quickest", "int8", "bf16", "f32"):
        assert f"'{name}'" in problem["msg"]


def _forms(graph: Path) -> set[str]:
    """Element types of the constants in a graph that are no mere numbers."""
    nodes = openvino().Core().read_model(graph).get_ops()
    constants = [node for node in nodes if node.get_type_name() == "Constant"]
    return {
        node.get_element_type().get_type_name()
        for node in constants
        if node.get_data().size > 100_000
    }


def test_both_forms_of_the_weights_stand_side_by_side(
    models_dir: Path, minilm: OpenVinoEmbedder, tmp_path: Path
) -> None:
    minilm.embed_queries(["made"])
    name = "all-MiniLM-L6-v2"
    unconverted = shutil.ignore_patterns("openvino-*")
    shutil.copytree(models_dir / name, tmp_path / name, ignore=unconverted)
    (outdated := tmp_path / name / "openvino-of-an-older-release").mkdir()
    folder = ensure_model(name, tmp_path)
    whole, small = ensure_ir(folder, "fp16"), ensure_ir(folder, "int8")
    assert _forms(whole) == {"f16"}
    assert _forms(small) == {"f16", "i8"}, "embedding tables stay"
    assert small.with_suffix(".bin").stat().st_size < whole.with_suffix(".bin").stat().st_size
    assert whole.exists() and not outdated.exists()
    assert ensure_ir(folder, "fp16") == whole


def test_a_model_that_int8_would_change_keeps_its_weights(
    models_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_query.providers.embedding.openvino_ir.MIN_COSINE_INT8", 0.99999)
    convert(ensure_model("all-MiniLM-L6-v2", models_dir).path, tmp_path, "int8")
    assert _forms(tmp_path / "model.xml") == {"f16"}
    assert {path.name for path in tmp_path.iterdir()} == {"model.xml", "model.bin", "check.npy"}


@pytest.mark.parametrize(
    ("capabilities", "wanted"),
    [
        ({"icelake"}, {"int8"}),
        ({"alder"}, {"int8"}),
        ({"icelake", "sapphireamx"}, {"bf16", "f32"}),
        ({"haswell"}, {"bf16", "f32"}),
    ],
)
def test_the_quickest_precision_is_the_cpus(
    capabilities: set[str], wanted: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import numkong

    has = {name: name in capabilities for name in numkong.get_capabilities()}
    monkeypatch.setattr(numkong, "get_capabilities", lambda: has)
    assert quickest() in wanted


@pytest.mark.parametrize(
    ("asked", "feature", "told"),
    [
        ("auto", "icelake", "f32"),
        ("quickest", "icelake", "int8"),
        ("int8", "haswell", "f32, int8 where this CPU has it"),
        ("bf16", "haswell", "f32, bf16 where this CPU has it"),
    ],
)
def test_the_precision_that_vectors_are_computed_in_is_told(
    asked: str, feature: str, told: str, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numkong

    known = numkong.get_capabilities()
    monkeypatch.setattr(
        numkong, "get_capabilities", lambda: {name: name == feature for name in known}
    )
    monkeypatch.setattr("rag_query.providers.embedding.openvino._has_bf16", lambda: False)
    params = OpenVinoParams.model_validate({"model": "all-MiniLM-L6-v2", "precision": asked})
    folder = ensure_model("all-MiniLM-L6-v2", models_dir)
    assert OpenVinoEmbedder(folder, params).precision == told


def test_vectors_of_another_shape_are_not_right(tmp_path: Path) -> None:
    graph = tmp_path / "openvino-fp16-x" / "model.xml"
    graph.parent.mkdir()
    np.save(graph.parent / CHECK, np.ones((2, 384), np.float32))
    for shape, right in (((2, 384), True), ((2, 256), False), ((3, 384), False)):
        vectors = np.ones(shape, np.float32)
        assert gives_right_vectors(lambda _, found=vectors: [found], graph) is right


def test_a_model_that_cannot_be_converted_says_what_to_do(
    models_dir: Path, minilm: OpenVinoEmbedder, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    shutil.copytree(
        models_dir / "all-MiniLM-L6-v2", own, ignore=shutil.ignore_patterns("openvino-*")
    )
    (own / "model.safetensors").write_bytes(b"no weights")
    folder = ensure_model(str(own), tmp_path / "models")
    with pytest.raises(ExcerptaError) as caught:
        OpenVinoEmbedder(folder, OpenVinoParams()).embed_queries(["tea"])
    assert caught.value.code is ErrorCode.MODEL_UNAVAILABLE
    assert "embedder.sentence_transformers" in caught.value.hint
    assert str(tmp_path) not in caught.value.message
    assert not list(tmp_path.rglob(".tmp-*"))


def test_a_text_that_is_no_text_is_a_permanent_failure(minilm: OpenVinoEmbedder) -> None:
    with pytest.raises(ExcerptaError) as caught:
        minilm.embed_passages(["good", "a lone surrogate \ud800"])
    assert caught.value.code is ErrorCode.EMBED_FAILED
    assert not caught.value.transient


def test_it_is_built_from_a_strategys_parameters(tmp_path: Path) -> None:
    home = Home(tmp_path)
    given = {"model": "all-MiniLM-L6-v2", "max_tokens": 64, "languages": ["en", "de"]}
    built = REGISTRY.create("embedder.openvino", given, home=home)
    assert (built.card.max_tokens, built.card.languages) == (64, ("en", "de"))
    # The rest of the text is cut off.
    both = built.embed_passages(["tea " * 62, "tea " * 62 + "and something else altogether"])
    assert (both[0] @ both[1]).item() == pytest.approx(1.0, abs=1e-3)
    with pytest.raises(ExcerptaError, match="batch_tokens"):
        REGISTRY.create("embedder.openvino", {"batch_token": 5}, home=home)


@given(st.lists(st.integers(1, 512), max_size=80), st.integers(16, 2048))
def test_batches_hold_every_text_once_within_the_budget(lengths: list[int], budget: int) -> None:
    found = batches(lengths, budget)
    assert sorted(row for batch in found for row in batch) == list(range(len(lengths)))
    for batch in found:
        widest = max(lengths[row] for row in batch)
        assert lengths[batch[0]] == widest
        assert len(batch) == 1 or len(batch) * widest <= budget
