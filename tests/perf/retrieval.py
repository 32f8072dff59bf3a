"""Retrieval quality through the product's own ingest and query.

Every set is one library of its ``corpus.jsonl``; a ranking is the order of distinct documents
(``diversity.by_document`` 1). Measures are those of ir-measures (trec_eval).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import ir_measures
from ir_measures import R, nDCG

from tests.perf.library import Work, build, data
from tests.perf.table import Row

if TYPE_CHECKING:
    from rag_query.library.home import Home
    from rag_query.strategies.strategy import Strategy

TOP_K = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """One asked figure: set, queries, mode, strategy, measure, target, reranker."""

    corpus: str
    queries: str
    mode: str
    strategy: str
    target: float | None
    measure: ir_measures.Measure = nDCG @ 10
    qrels: str = "qrels.tsv"
    rerank: str | None = None

    @property
    def name(self) -> str:
        queries = "" if self.queries == "queries" else f", {self.queries}"
        reranked = f", {self.rerank}" if self.rerank else ""
        return f"{self.corpus}{queries}, {self.mode}, {self.strategy}{reranked}: {self.measure}"


def _table(corpus: str, queries: str, *asked: float | None) -> tuple[Figure, ...]:
    """A set's figures with the default strategy; ``asked`` of exact, semantic, hybrid and
    hybrid with the best shipped reranker that needs nothing else."""
    exact, semantic, hybrid, reranked = (*asked, *(None,) * 4)[:4]
    return (
        Figure(corpus, queries, "exact", "default", exact),
        Figure(corpus, queries, "semantic", "default", semantic),
        Figure(corpus, queries, "hybrid", "default", hybrid),
        Figure(corpus, queries, "hybrid", "default", reranked, rerank="reranker.features"),
    )


BASIC = (
    Figure("scifact/corpus", "queries", "exact", "minilm", 0.684),
    Figure("scifact/corpus", "queries", "semantic", "minilm", 0.645),
    Figure("scifact/corpus", "queries", "hybrid", "minilm", 0.725),
    Figure("scifact/corpus", "queries", "semantic", "default", 0.655),
    Figure("scifact/corpus", "queries", "hybrid", "default", 0.72),
    Figure("xquad/corpus.zh", "queries.zh", "semantic", "default", 0.93),
    Figure("xquad/corpus.en", "queries.zh", "semantic", "default", 0.80),
    Figure("cmrc2018_zh/corpus", "queries", "exact", "default", 0.98, R @ 10),
)

WIDER = (
    *_table("scifact/corpus", "queries", 0.684, 0.655, 0.72, 0.76),
    *_table("cranfield/corpus", "queries", 0.367, 0.365, 0.40, 0.43),
    *_table("product_docs_rag/corpus", "queries", 0.70, 0.64, 0.745, 0.80),
    *_table("rgb_zh/corpus", "queries", 0.535, 0.60, 0.615, 0.66),
    *_table("xquad/corpus.en", "queries.en", 0.97, None, None),
    *_table("xquad/corpus.zh", "queries.zh", 0.96, 0.93, None),
    *_table("xquad/corpus.en", "queries.zh", None, 0.80, None),
    *_table("xquad/corpus.zh", "queries.en", None, None, None),
    *_table("astro_known_item/corpus.en", "queries.en", 0.85, None, 0.90),
    *_table("astro_known_item/corpus.zh", "queries.zh", 0.86, 0.86, 0.90),
)


def rows(
    work: Work, figures: tuple[Figure, ...] = BASIC, bench: str = "retrieval"
) -> Iterator[Row]:
    """Measure every figure; libraries are built on first use."""
    for figure in figures:
        home, _ = build(
            work,
            figure.corpus.replace("/", "-"),
            [data() / "retrieval" / f"{figure.corpus}.jsonl"],
            figure.strategy,
        )
        value, failed = evaluate(home, work, figure)
        notes = f"{failed} queries without an answer" if failed else ""
        yield Row(bench, figure.name, value, "", figure.target, notes=notes)


def wider(work: Work) -> Iterator[Row]:
    """The sets beyond those a target is set on so far."""
    return rows(work, WIDER, "retrieval-wider")


def evaluate(home: Path, work: Work, figure: Figure) -> tuple[float, int]:
    """The measure's mean over the queries that have judgements, and how many failed."""
    import os

    os.environ.update(work.environment())
    from rag_query.library.home import Home
    from rag_query.retrieval.open import open_retriever

    folder = data() / "retrieval" / figure.corpus.split("/")[0]
    judged = list(_qrels(folder / figure.qrels))
    wanted = {q.query_id for q in judged}
    questions = [q for q in _lines(folder / f"{figure.queries}.jsonl") if q["_id"] in wanted]
    opened = Home.resolve(home)
    with open_retriever(opened, strategy=_reranking(opened, figure.rerank)) as retriever:

        def ask(question: dict[str, str]) -> list[ir_measures.ScoredDoc]:
            if not question["text"]:  # cmrc2018_zh has two; a plan without text is refused
                return []
            pack = retriever.run(_plan(question["text"], figure.mode))
            return [
                ir_measures.ScoredDoc(
                    question["_id"], str(e.metadata.external_id), 1.0 / (rank + 1)
                )
                for rank, e in enumerate(pack.evidences)
            ]

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(ask, questions))
    run = [scored for answer in answers for scored in answer]
    failed = sum(not answer for answer in answers)
    return ir_measures.calc_aggregate([figure.measure], judged, run)[figure.measure], failed


def _reranking(home: Home, provider: str | None) -> Strategy | None:
    """The strategy the library was published with, and this reranker; None without one."""
    if provider is None:
        return None
    from rag_query.library.snapshot import Library
    from rag_query.strategies.strategy import StageConfig, parse_strategy

    strategy = parse_strategy(Library.open(home).snapshot().manifest.strategy)
    rerank = StageConfig(provider=provider)
    return strategy.model_copy(
        update={"stages": strategy.stages.model_copy(update={"rerank": rerank})}
    )


def _plan(text: str, mode: str) -> dict[str, object]:
    return {
        "version": "0.1",
        "queries": [{"text": text, "mode": mode}],
        "budget": {"top_k": TOP_K, "diversity": {"by_document": 1}},
        "output": {"include_snippets": False},
    }


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _qrels(path: Path) -> Iterator[ir_measures.Qrel]:
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            yield ir_measures.Qrel(row["query-id"], row["corpus-id"], int(row["score"]))
