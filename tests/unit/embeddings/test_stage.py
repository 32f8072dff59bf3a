"""Equal texts are embedded once, and only new content is embedded at all."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from rag_assets.context import StageContext
from rag_assets.embeddings import stage
from rag_assets.embeddings.cache import EmbeddingCache
from rag_assets.embeddings.space import space_of
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.tables import DOCUMENTS, ENRICHED, embeddings_schema
from rag_query.contracts.trace import EventKind
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.providers.embedding.base import Embedder, ModelCard
from rag_query.providers.embedding.isolating import PROBE
from rag_query.providers.registry import REGISTRY, Params, Registration
from rag_query.strategies.strategy import StageConfig, load_strategy
from rag_query.text.canonical import DEFAULT_PROFILE
from rag_query.text.ids import sha256_text
from rag_query.tracing.context import Trace, start
from tests.unit.providers.embedding.test_remote import Script, openai_answer, serving

SHARD = "s00"
DIMENSIONS = 8
PROVIDER = "embedder.letters"
#: DEV_SPEC 3.1.6.4.3.
MEASURES = {
    "cache_hit",
    "cache_miss",
    "cache_hit_rate",
    "embed_calls",
    "embed_failures",
    "retries",
    "rate_limited",
    "batch_size",
    "throughput_chunks_per_sec",
    "latency_ms_p50",
    "latency_ms_p95",
    "error_type",
    "estimated_tokens",
}


class LettersParams(Params):
    version: str = "1"


class LettersEmbedder(Embedder):
    """Counts letters; fails on texts with the word ``bad``."""

    def __init__(self, version: str) -> None:
        self._card = ModelCard("letters", version, DIMENSIONS, 512, ("*",))
        self.texts: list[str] = []
        self.broken: ExcerptaError | None = None
        self.cut: int | None = None

    @property
    def card(self) -> ModelCard:
        return self._card

    @property
    def texts_cut(self) -> int | None:
        return self.cut

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.broken:
            raise self.broken
        if any("bad" in text for text in texts):
            raise ExcerptaError(ErrorCode.EMBED_FAILED, "a bad text")
        self.texts += texts
        vectors = np.ones((len(texts), DIMENSIONS), np.float32)
        for row, text in enumerate(texts):
            for letter in text:
                vectors[row, ord(letter) % DIMENSIONS] += 1
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_passages(texts)


if PROVIDER not in REGISTRY.ids():
    REGISTRY.register(
        Registration(
            PROVIDER, "1", LettersParams, lambda params, home: LettersEmbedder(params.version)
        )
    )


class Library:
    """A library of one shard whose enriched table is written by hand."""

    def __init__(self, root: Path) -> None:
        self.home = Home(root)
        self.settings = create_library(self.home, shards=1)

    def context(self, provider: str, **params: Any) -> StageContext:
        strategy = load_strategy("default")
        config = StageConfig(provider=provider, params=params)
        stages = strategy.stages.model_copy(update={"embedder": config})
        return StageContext(
            self.home, self.settings, strategy.model_copy(update={"stages": stages})
        )

    def open(self, version: str = "1") -> tuple[StageContext, LettersEmbedder]:
        ctx = self.context(PROVIDER, version=version)
        embedder = ctx.embedder
        assert isinstance(embedder, LettersEmbedder)
        return ctx, embedder

    def enrich(self, versions: dict[str, list[str]], removed: Sequence[str] = ()) -> None:
        """``versions``: version id -> texts of its chunks."""
        ctx, _ = self.open()
        documents = [
            {
                "doc_id": f"doc_{version}",
                "version_id": version,
                "version_no": 1,
                "is_latest": True,
                "status": "removed" if version in removed else "active",
                "source_uri": f"file://inbox/{version}",
                "aliases": [],
                "collection": "inbox",
                "tags": [],
                "topics": [],
                "source_type": "file",
                "name": version,
                "root": "inbox",
                "rel_path": version,
                "created_at": 0,
            }
            for version in versions
        ]
        rows = [
            {
                "chunk_id": f"chk_{sha256_text(version + text)[:8]}",
                "version_id": version,
                "doc_id": f"doc_{version}",
                "language": "en",
                "retrieval_text": text,
                "keywords": [],
                "captions": [],
                "embedding_text": text,
                "content_hash": sha256_text(text),
                "text_norm_profile_id": DEFAULT_PROFILE.id,
                "enrichment_profile_id": "e",
            }
            for version, texts in versions.items()
            for text in texts
        ]
        ctx.store.write("documents", SHARD, pa.Table.from_pylist(documents, DOCUMENTS))
        ctx.store.write("enriched", SHARD, pa.Table.from_pylist(rows, ENRICHED))


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


def _rows(ctx: StageContext) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = ctx.store.read("embeddings", SHARD).to_pylist()
    return rows


def test_equal_texts_are_embedded_once(library: Library) -> None:
    library.enrich({"v1": ["tea", "coffee", "tea time"], "v2": ["coffee", "tea"]})
    ctx, embedder = library.open()
    result = stage.run(ctx, SHARD)
    assert sorted(embedder.texts) == ["coffee", "tea", "tea time"]
    assert (result.rows, result.computed) == (5, 2)
    rows = _rows(ctx)
    assert [row["version_id"] for row in rows] == ["v1"] * 3 + ["v2"] * 2
    assert {row["status"] for row in rows} == {"ready"}
    assert rows[0]["vector"] == rows[4]["vector"]
    assert rows[0]["embedding_id"] == rows[4]["embedding_id"] != rows[1]["embedding_id"]
    expected = embedder.embed_passages(["coffee"])[0]
    assert np.array_equal(np.array(rows[1]["vector"], np.float32), expected)
    assert ctx.store.read("embeddings", SHARD).schema.equals(embeddings_schema(DIMENSIONS))


def test_nothing_changed_embeds_and_writes_nothing(library: Library) -> None:
    library.enrich({"v1": ["tea"]})
    stage.run(library.open()[0], SHARD)
    ctx, embedder = library.open()
    result = stage.run(ctx, SHARD)
    assert (result.computed, result.unchanged, result.written) == (0, 1, False)
    assert embedder.texts == []


def test_only_new_content_is_embedded(library: Library) -> None:
    library.enrich({"v1": ["tea", "milk"]})
    stage.run(library.open()[0], SHARD)
    library.enrich({"v1": ["tea", "milk"], "v2": ["milk", "sugar"]})
    ctx, embedder = library.open()
    result = stage.run(ctx, SHARD)
    assert embedder.texts == ["sugar"]
    assert (result.computed, result.unchanged, result.rows) == (1, 1, 4)
    assert (result.details["cache_hit"], result.details["cache_miss"]) == (1, 1)
    assert result.details["cache_hit_rate"] == 0.5


def test_a_stage_that_embedded_says_in_which_precision(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LettersEmbedder, "precision", "bf16")
    library.enrich({"v1": ["tea"]})
    assert stage.run(library.open()[0], SHARD).details["precision"] == "bf16"
    # The same vectors for another version are those of whoever made them.
    library.enrich({"v2": ["tea"]})
    assert "precision" not in stage.run(library.open()[0], SHARD).details


def test_removed_versions_lose_their_rows(library: Library) -> None:
    library.enrich({"v1": ["tea"], "v2": ["milk"]})
    stage.run(library.open()[0], SHARD)
    library.enrich({"v1": ["tea"], "v2": ["milk"]}, removed=["v1"])
    ctx, embedder = library.open()
    result = stage.run(ctx, SHARD)
    assert [row["version_id"] for row in _rows(ctx)] == ["v2"]
    assert (result.dropped, embedder.texts) == (1, [])


def test_an_empty_shard_has_a_table_of_the_right_shape(library: Library) -> None:
    ctx, _ = library.open()
    assert stage.run(ctx, SHARD).rows == 0
    assert ctx.store.read("embeddings", SHARD).schema.equals(embeddings_schema(DIMENSIONS))
    library.enrich({"v1": ["tea"]})
    assert stage.run(library.open()[0], SHARD).rows == 1
    library.enrich({})
    assert stage.run(library.open()[0], SHARD).rows == 0


def test_texts_the_model_takes_by_part_are_counted(library: Library) -> None:
    library.enrich({"v1": ["tea", "milk", "sugar"]})
    ctx, embedder = library.open()
    # Nobody knows, and so nothing is said.
    assert "texts_cut" not in stage.run(ctx, SHARD).details
    library.enrich({"v1": ["tea", "milk", "sugar", "so long a text", "another long one"]})
    ctx, embedder = library.open()
    embed, embedder.cut = embedder.embed_passages, 7

    def cutting(texts: Sequence[str]) -> NDArray[np.float32]:
        embedder.cut += sum(len(text) > 10 for text in texts)
        return embed(texts)

    embedder.embed_passages = cutting  # type: ignore[method-assign]
    assert stage.run(ctx, SHARD).details["texts_cut"] == 2


def test_one_bad_text_fails_alone_and_is_tried_again(library: Library) -> None:
    library.enrich({"v1": ["tea", "a bad one", "milk"], "v2": ["sugar"]})
    ctx, embedder = library.open()
    result = stage.run(ctx, SHARD)
    rows = {row["content_hash"]: row for row in _rows(ctx)}
    bad = rows.pop(sha256_text("a bad one"))
    assert (bad["status"], bad["code"], bad["vector"]) == ("failed_embed", "EMBED_FAILED", None)
    assert {row["status"] for row in rows.values()} == {"ready"}
    assert len(rows) == 3
    assert result.details["failed_embed"] == 1
    # The next run takes up the failed version only, and embeds only what is not cached.
    ctx, embedder = library.open()
    embedder.embed_passages = lambda texts: np.ones((len(texts), DIMENSIONS), np.float32)  # type: ignore[method-assign]
    again = stage.run(ctx, SHARD)
    assert (again.computed, again.unchanged) == (1, 1)
    assert again.details["cache_miss"] == 1
    assert {row["status"] for row in _rows(ctx)} == {"ready"}
    assert stage.run(library.open()[0], SHARD).computed == 0


def test_a_broken_embedder_stops_the_stage_and_keeps_what_was_done(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "CALL_TEXTS", 2)
    library.enrich({"v1": [f"text {i}" for i in range(10)]})
    ctx, embedder = library.open()
    embed = embedder.embed_passages

    def twice_then_gone(texts: Sequence[str]) -> NDArray[np.float32]:
        if len(embedder.texts) >= 4:
            raise ExcerptaError(ErrorCode.MODEL_UNAVAILABLE, "gone")
        return embed(texts)

    embedder.embed_passages = twice_then_gone  # type: ignore[method-assign]
    with pytest.raises(ExcerptaError, match="gone"):
        stage.run(ctx, SHARD)
    assert ctx.store.head("embeddings", SHARD) is None
    ctx, embedder = library.open()
    assert stage.run(ctx, SHARD).rows == 10
    assert len(embedder.texts) == 6


@pytest.mark.parametrize(
    ("texts_at_once", "seconds", "expected"),
    [(4, 1e9, [0, 0, 4, 4, 8]), (1_000, 0.0, [0, 2, 4, 6, 8])],
)
def test_what_is_embedded_is_kept_before_a_run_is_killed(
    library: Library,
    monkeypatch: pytest.MonkeyPatch,
    texts_at_once: int,
    seconds: float,
    expected: list[int],
) -> None:
    monkeypatch.setattr(stage, "CALL_TEXTS", 2)
    monkeypatch.setattr(stage, "SLICE_TEXTS", texts_at_once)
    monkeypatch.setattr(stage, "SLICE_SECONDS", seconds)
    texts = [f"text {i}" for i in range(10)]
    library.enrich({"v1": texts})
    ctx, embedder = library.open()
    embed, kept = embedder.embed_passages, []

    def looking(texts_of_call: Sequence[str]) -> NDArray[np.float32]:
        cache = EmbeddingCache(library.home, space_of(ctx))
        found, _ = cache.get(pa.array([sha256_text(text) for text in texts]))
        kept.append(int(found.sum()))
        return embed(texts_of_call)

    embedder.embed_passages = looking  # type: ignore[method-assign]
    stage.run(ctx, SHARD)
    assert kept == expected


def test_another_model_is_another_space(library: Library) -> None:
    library.enrich({"v1": ["tea"]})
    first, _ = library.open()
    stage.run(first, SHARD)
    ctx, embedder = library.open(version="2")
    assert stage.run(ctx, SHARD).computed == 1
    assert embedder.texts == ["tea"]
    assert _rows(ctx)[0]["embedder_version"] == "2"
    assert space_of(ctx) != space_of(first)
    # Going back costs nothing: its vectors are still cached.
    back, embedder = library.open()
    assert stage.run(back, SHARD).computed == 1
    assert embedder.texts == []


def test_the_measures_are_an_event_and_the_stages_details(library: Library) -> None:
    library.enrich({"v1": ["tea with milk", "绿茶与红茶"]})
    ctx, _ = library.open()
    trace = Trace("ingestion", "c" * 64)
    with start(trace):
        result = stage.run(ctx, SHARD)
    (found,) = [e for e in trace.events if e.kind is EventKind.EMBEDDING_BATCH]
    assert found.payload == {"shard": SHARD, **result.details}
    assert found.payload.keys() >= MEASURES
    assert found.payload["estimated_tokens"] == 8
    assert trace.counters["cache_miss"] == 2


def _remote(library: Library, url: str, **params: Any) -> StageContext:
    given = {"model": "m", "dimensions": 3, "base_url": url, "batch_size": 8, "max_retries": 0}
    return library.context("embedder.openai_compatible", **given | params)


def test_what_a_service_answered_is_not_asked_again(library: Library) -> None:
    library.enrich({"v1": [f"text {i:02}" for i in range(40)]})
    script = Script(*[(200, openai_answer)] * 4, (429, b"insufficient_quota"))
    with serving(script) as url:
        with pytest.raises(ExcerptaError, match="insufficient_quota"):
            stage.run(_remote(library, url), SHARD)
        script.asked.clear()
        script.answers = [(200, openai_answer)]
        result = stage.run(_remote(library, url), SHARD)
    assert [len(body["input"]) for _, _, body in script.asked] == [8]
    assert (result.details["cache_hit"], result.details["cache_miss"]) == (32, 8)


def test_a_text_the_service_refuses_is_looked_for_in_its_own_request(library: Library) -> None:
    texts = [f"text {i:02}" for i in range(40)]
    library.enrich({"v1": texts})
    script = Script(
        (200, lambda body: {} if "text 17" in body["input"] else openai_answer(body)),
    )
    with serving(script) as url:
        result = stage.run(_remote(library, url), SHARD)
    sent = Counter(text for _, _, body in script.asked for text in body["input"])
    assert sorted(sent) == sorted([*texts, PROBE])
    assert sum(times > 1 for times in sent.values()) <= 8
    assert result.details["failed_embed"] == 1
    assert result.details["error_type"] == {"invalid_answer": 4}


def test_the_measures_are_those_of_the_requests(library: Library) -> None:
    library.enrich({"v1": [f"text {i:02}" for i in range(20)]})
    script = Script((200, openai_answer))
    with serving(script) as url:
        details = stage.run(_remote(library, url), SHARD).details
    assert (details["batch_size"], details["embed_calls"]) == (8, len(script.asked)) == (8, 3)
    assert stage.run(library.open()[0], SHARD).details["batch_size"] == stage.CALL_TEXTS


def test_a_service_is_asked_several_things_at_once(library: Library) -> None:
    library.enrich({"v1": [f"text {i:02}" for i in range(32)]})
    together = threading.Barrier(4, timeout=20)

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        together.wait()
        return openai_answer(body)

    with serving(Script((200, answer))) as url:
        details = stage.run(_remote(library, url, parallel=4), SHARD).details
    assert (details["embed_calls"], details["embed_failures"]) == (4, 0)
    table = library.open()[0].store.read("embeddings", SHARD)
    assert {row["status"] for row in table.to_pylist()} == {stage.READY}


def test_retries_are_counted_once_though_several_calls_are_under_way(library: Library) -> None:
    library.enrich({"v1": [f"text {i:02}" for i in range(32)]})
    busy = (429, b"slow down", {"Retry-After": "0"})
    with serving(Script(busy, busy, busy, (200, openai_answer))) as url:
        details = stage.run(_remote(library, url, parallel=4, max_retries=5), SHARD).details
    assert (details["embed_calls"], details["retries"], details["rate_limited"]) == (4, 3, 3)


def test_a_run_names_its_cost_where_the_strategy_states_a_price(library: Library) -> None:
    library.enrich({"v1": ["four letters more", "潮位计"]})
    with serving(Script((200, openai_answer))) as url:
        details = stage.run(_remote(library, url, price=20.0), SHARD).details
        assert "estimated_cost" not in stage.run(_remote(library, url), SHARD).details
    tokens = details["estimated_tokens"]
    assert tokens == 7 and details["estimated_cost"] == tokens * 20 / 1e6
