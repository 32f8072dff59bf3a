"""Query latency by leg at 100,000 and 1,000,000 chunks, warm, top 10, without neural rerank.

The library is made for the measurement: every chunk is a handful of sentences drawn from the
abstracts of SciFact, so words are as frequent as in real text but texts are not. Vectors are the
default model's of 2,000 such chunks; every other chunk has one of these plus noise of half its
length. One document in a hundred has the tag ``rare``. Nothing else is special: tables, indexes
and publication are the product's.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_query.providers.embedding.base import Embedder
from tests.perf.library import Work, data
from tests.perf.table import Row

BENCH = "latency"
DOCUMENTS = 10_000
MILLION = 100_000  # documents
MEMORY_MB, MINILM_MEMORY_MB = 900.0, 500.0
CHUNKS_EACH = 10
SENTENCES_EACH = 5
SAMPLE = 2_000
QUESTIONS = 120
BUDGET_MS = 10.0
TRACE_WRITTEN_S = 0.05


def million(work: Work) -> Iterator[Row]:
    """As :func:`rows`, with ten times as many chunks; building takes long. The budget of a hybrid
    query is twice what it was at 100,000, which this measures anew."""
    small = {row.name: row.value for row in rows(work)}
    name = f"hybrid, {DOCUMENTS * CHUNKS_EACH:,} chunks, P50"
    for row in rows(work, MILLION):
        yield row
        if row.name == name.replace(f"{DOCUMENTS * CHUNKS_EACH:,}", f"{MILLION * CHUNKS_EACH:,}"):
            ratio = row.value / small[name]
            yield Row(BENCH, "hybrid, 1,000,000 chunks over 100,000, P50", ratio, "", 2.0, False)


def rows(work: Work, documents: int = DOCUMENTS) -> Iterator[Row]:
    """P50, P95 and P99 of every leg, of filters, memory, and what a trace costs."""
    os.environ.update(work.environment())
    home = library_of(work, documents)
    from rag_query.library.home import Home
    from rag_query.retrieval.open import open_retriever

    questions = [line["text"] for line in _lines("queries")][:QUESTIONS]
    chunks = f"{documents * CHUNKS_EACH:,} chunks"
    plain = open_retriever(Home.resolve(home), sinks=())
    traced = open_retriever(Home.resolve(home))
    with plain, traced:
        for retriever in (plain, traced):
            _times(retriever, questions[:20], "hybrid")
        slot = plain._slot(plain._stages_of(plain.library.snapshot()).strategy)
        part = plain.library.snapshot().manifest.vector
        assert part is not None
        for mode in ("exact", "semantic"):
            yield from _pair(f"{mode}, {chunks}", _times(plain, questions, mode))
        # In turn, so that a busy machine is busy for both.
        in_turn = [
            (_clock(lambda q=q: slot.embed([q], part)), *_times(plain, [q], "hybrid"))
            for q in questions
        ]
        embedding, hybrid = (list(times) for times in zip(*in_turn, strict=True))
        yield from _pair(f"question embedding, {chunks}", embedding)
        yield from _pair(f"hybrid, {chunks}", hybrid)
        beyond = statistics.median(hybrid) - statistics.median(embedding)
        name = f"hybrid beyond the embedding, P50, {chunks}"
        budget = BUDGET_MS if documents == DOCUMENTS else None
        yield Row(BENCH, name, beyond, "ms", budget, at_least=False)
        spread = _p95(hybrid) / statistics.median(hybrid)
        yield Row(BENCH, f"hybrid, P95 over P50, {chunks}", spread, "", 2.0, at_least=False)
        rare = _times(plain, questions, "hybrid", {"tag_ids": ["rare"]})
        ratio = statistics.median(rare) / statistics.median(hybrid)
        name = f"hybrid filtered to 1 % over unfiltered, P50, {chunks}"
        yield Row(BENCH, name, ratio, "", 2.0, at_least=False)
        name = f"recall@10 of vector search against exact, {chunks}"
        yield Row(BENCH, name, *_recall(plain, questions))
        pairs = [(_spent(plain, q), _spent(traced, q)) for q in questions]
        # A question costs up to three times another, so each is compared with itself.
        more = statistics.median(within - without for without, within in pairs)
        share = more / statistics.median(without for without, _ in pairs)
        name = f"a trace, share of a hybrid query's processor time, {chunks}"
        yield Row(BENCH, name, share, "", 0.02, at_least=False)
    name = f"memory of a process that answers, {chunks}"
    limit = MEMORY_MB if documents == DOCUMENTS else None
    yield Row(BENCH, name, _memory_mb(home), "MB", limit, at_least=False)
    if documents == DOCUMENTS:
        small = _memory_mb(library_of(work, documents, "minilm"))
        yield Row(BENCH, f"{name}, MiniLM", small, "MB", MINILM_MEMORY_MB, at_least=False)


_ANSWER = """
import sys
import psutil
from rag_query.library.home import Home
from rag_query.retrieval.ask import plan_for_question
from rag_query.retrieval.open import open_retriever
import mcp_app.server
with open_retriever(Home.resolve(sys.argv[1])) as retriever:
    for text in ("the cells of the lung", "a trial of aspirin"):
        assert retriever.run(plan_for_question(text)).evidences
    print(psutil.Process().memory_info().rss / 1e6)
"""


def _memory_mb(home: Path) -> float:
    """Resident memory of a process with the server's modules, after two hybrid answers."""
    done = subprocess.run(
        [sys.executable, "-c", _ANSWER, str(home)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _pair(name: str, times: Sequence[float]) -> Iterator[Row]:
    yield Row(BENCH, f"{name}, P50", statistics.median(times), "ms")
    yield Row(BENCH, f"{name}, P95", _p95(times), "ms")
    yield Row(BENCH, f"{name}, P99", _of_hundred(times, 99), "ms")


def _p95(times: Sequence[float]) -> float:
    return _of_hundred(times, 95)


def _of_hundred(times: Sequence[float], place: int) -> float:
    return sorted(times)[place * len(times) // 100]


def _clock(work: Any) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def _times(
    retriever: Any, questions: Sequence[str], mode: str, filters: dict[str, Any] | None = None
) -> list[float]:
    """Milliseconds of each question, as its caller sees them."""
    times = []
    for text in questions:
        plan = {
            "version": "0.1",
            "queries": [{"text": text, "mode": mode}],
            "global_filters": filters or {},
            "budget": {"top_k": 10},
        }
        times.append(_clock(lambda plan=plan: retriever.run(plan)))
    return times


def _spent(retriever: Any, question: str) -> float:
    """Processor time of a hybrid query, with what it leaves to other threads."""
    began = time.process_time()
    _times(retriever, [question], "hybrid")
    time.sleep(TRACE_WRITTEN_S)
    return time.process_time() - began


def _recall(retriever: Any, questions: Sequence[str]) -> tuple[float, str, float]:
    """Share of the ten nearest, by score, that the snapshot's search finds."""
    snapshot = retriever.library.snapshot()
    part = snapshot.manifest.vector
    slot = retriever._slot(retriever._stages_of(snapshot).strategy)
    asked = slot.embed(questions, part)
    held = snapshot.vectors.search().select(["vector"]).to_arrow()["vector"].combine_chunks()
    vectors = held.flatten().to_numpy().reshape(len(held), -1)
    exact = np.partition(asked @ vectors.T, -10, axis=1)[:, -10:].min(axis=1)
    found = sum(
        int(np.count_nonzero(snapshot.search_dense(vector, 10)[1] >= tenth - 2e-4))
        for vector, tenth in zip(asked, exact, strict=True)
    )
    return found / (10 * len(questions)), "", 0.99


class _SampledVectors(Embedder):
    """The real embedder for the first texts, then their vectors with noise."""

    def __init__(self, real: Any, sample: Sequence[str]) -> None:
        self._real = real
        self._held: NDArray[np.float32] = real.embed_passages(sample)
        self._random = np.random.default_rng(3)

    @property
    def card(self) -> Any:
        return self._real.card

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self._real.embed_queries(texts)
        return found

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        base = self._held[self._random.integers(0, len(self._held), len(texts))]
        noise = self._random.standard_normal(base.shape) * (0.5 / base.shape[1] ** 0.5)
        made = base + noise
        unit: NDArray[np.float32] = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(
            np.float32
        )
        return unit


def library_of(work: Work, number_of_documents: int, strategy: str = "default") -> Path:
    """Built once in a work folder."""
    size = "" if number_of_documents == DOCUMENTS else f"-{number_of_documents}"
    home = work.home(f"latency{size}-{strategy}")
    if (home / "CURRENT").exists():
        return home
    from rag_assets.publication.publish import publish
    from rag_query.library.create import create_library
    from rag_query.library.home import Home
    from rag_query.strategies.strategy import load_strategy
    from tests.library_builder import open_context, run_indexes, write_tables
    from tests.small_documents import SmallDoc

    drawn = random.Random(5)
    sentences = [
        sentence.strip() + "."
        for line in _lines("corpus")
        for sentence in line["text"].split(". ")
        if len(sentence) > 30
    ]

    def chunk() -> str:
        return " ".join(drawn.choices(sentences, k=SENTENCES_EACH))

    documents = [
        SmallDoc(
            f"d{number}.md",
            f"# Report {number}\n\n" + "\n\n".join(chunk() for _ in range(CHUNKS_EACH)),
            tags=("rare",) if number % 100 == 0 else (),
        )
        for number in range(number_of_documents)
    ]
    create_library(Home.resolve(home), shards=16, strategy=strategy)
    ctx = open_context(home, strategy=load_strategy(strategy))
    ctx.__dict__["_embedder"] = _SampledVectors(ctx.embedder, [chunk() for _ in range(SAMPLE)])
    write_tables(ctx, documents)
    run_indexes(ctx)
    publish(ctx)
    return home


def _lines(name: str) -> Iterator[dict[str, str]]:
    path = data() / "retrieval" / "scifact" / f"{name}.jsonl"
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
