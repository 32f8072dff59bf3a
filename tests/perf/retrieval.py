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

import ir_measures
from ir_measures import R, nDCG

from tests.perf.library import Work, build, data
from tests.perf.table import Row

TOP_K = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """One asked figure: set, queries, mode, strategy, measure, target."""

    corpus: str
    queries: str
    mode: str
    strategy: str
    target: float | None
    measure: ir_measures.Measure = nDCG @ 10
    qrels: str = "qrels.tsv"

    @property
    def name(self) -> str:
        queries = "" if self.queries == "queries" else f", {self.queries}"
        return f"{self.corpus}{queries}, {self.mode}, {self.strategy}: {self.measure}"


BASIC = (
    Figure("scifact/corpus", "queries", "exact", "minilm", 0.68),
    Figure("scifact/corpus", "queries", "semantic", "minilm", 0.64),
    Figure("scifact/corpus", "queries", "hybrid", "minilm", 0.715),
    Figure("scifact/corpus", "queries", "semantic", "default", None),
    Figure("scifact/corpus", "queries", "hybrid", "default", 0.715),
    Figure("xquad/corpus.zh", "queries.zh", "semantic", "default", 0.93),
    Figure("xquad/corpus.en", "queries.zh", "semantic", "default", 0.79),
    Figure("cmrc2018_zh/corpus", "queries", "exact", "default", 0.98, R @ 10),
)

WIDER = (
    *(
        Figure("cranfield/corpus", "queries", m, "default", None)
        for m in ("exact", "semantic", "hybrid")
    ),
    *(
        Figure("product_docs_rag/corpus", "queries", m, "default", None)
        for m in ("exact", "semantic", "hybrid")
    ),
    *(
        Figure("rgb_zh/corpus", "queries", m, "default", None)
        for m in ("exact", "semantic", "hybrid")
    ),
    *(Figure("xquad/corpus.zh", "queries.zh", m, "default", None) for m in ("exact", "hybrid")),
    *(
        Figure("xquad/corpus.en", "queries.en", m, "default", None)
        for m in ("exact", "semantic", "hybrid")
    ),
    *(Figure("xquad/corpus.en", "queries.zh", m, "default", None) for m in ("exact", "hybrid")),
    *(
        Figure("astro_known_item/corpus.en", "queries.en", m, "default", None)
        for m in ("exact", "semantic", "hybrid")
    ),
    *(
        Figure("astro_known_item/corpus.zh", "queries.zh", m, "default", None)
        for m in ("exact", "semantic", "hybrid")
    ),
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
    with open_retriever(Home.resolve(home)) as retriever:

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
