"""Train the weights of ``reranker.features`` on judged questions.

    python -m tools.train_features_reranker --out weights.json \\
        --set LIBRARY_HOME queries.jsonl qrels.tsv even [--set …]

Each set is a published library, its questions (``{"_id", "text"}`` a line), its judgements
(``query-id``, ``corpus-id``, ``score``), and which of them: ``all``, or every second one
(``even``, ``odd``), so that the others can be measured on. The library is asked as always; its
fused candidates are what the model learns to order. Coordinate ascent on the mean nDCG@10 over
the sets, each set counting alike (Metzler, Croft 2007): few parameters, no gradient, the same
result every time.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ExcerptaError
from rag_query.library.home import Home
from rag_query.providers.registry import register
from rag_query.providers.reranking.base import Passage
from rag_query.providers.reranking.features import FEATURES, WEIGHTS, LinearWeights, feature_rows
from rag_query.retrieval.open import open_retriever
from rag_query.strategies.strategy import StageConfig, Strategy, parse_strategy

TOP_N = 50
_DISCOUNT = 1 / np.log2(np.arange(2, 12))
_STEPS = (-0.4, -0.2, -0.1, -0.05, 0.05, 0.1, 0.2, 0.4)
_ROUNDS = 4
#: What a weight costs, so that a feature that hardly helps stays out.
_PENALTY = 0.0005


@dataclass(frozen=True, slots=True)
class Judged:
    """One question: rows of features, the document of each row, gains, the ideal DCG@10."""

    rows: NDArray[np.float64]
    documents: NDArray[np.int64]
    gains: NDArray[np.float64]
    ideal: float

    def ndcg(self, weights: NDArray[np.float64]) -> float:
        """nDCG@10 of the distinct documents in the order the weights give."""
        order = np.argsort(-(self.rows @ weights), kind="stable")
        first = np.sort(np.unique(self.documents[order], return_index=True)[1])[:10]
        gains = self.gains[order[first]]
        return float((gains * _DISCOUNT[: len(gains)]).sum() / self.ideal)


class _Recorder:
    """Keeps what a reranker would see, and changes nothing."""

    active = True

    def __init__(self) -> None:
        self.passages: Sequence[Passage] = ()

    def rerank(self, query: str, passages: Sequence[Passage]) -> list[float] | None:
        del query
        self.passages = passages
        return None


_RECORDER = _Recorder()
register("reranker.recorder", version="1", build=lambda _params: _RECORDER)


def read_set(home: Path, queries: Path, qrels: Path, half: str) -> list[Judged]:
    """The judged questions of one set; ``half`` ``even`` or ``odd`` takes every second one."""
    relevant: dict[str, dict[str, int]] = {}
    with qrels.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            relevant.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    with queries.open(encoding="utf-8") as file:
        asked = [q for q in map(json.loads, file) if q["text"] and q["_id"] in relevant]
    if half != "all":
        asked = asked[("even", "odd").index(half) :: 2]
    return list(_asked(home, asked, relevant))


def _asked(
    home: Path, questions: Sequence[dict[str, str]], relevant: dict[str, dict[str, int]]
) -> Iterator[Judged]:
    opened = Home.resolve(home)
    with open_retriever(opened, sinks=()) as plain:
        strategy = _recording(parse_strategy(plain.library.snapshot().manifest.strategy))
    with open_retriever(opened, sinks=(), strategy=strategy) as retriever:
        served = retriever.library.snapshot().served
        for question in questions:
            plan = {
                "version": "0.1",
                "queries": [{"text": question["text"], "mode": "hybrid"}],
                "ranking": {"rerank": {"top_n": TOP_N}},
                "output": {"include_snippets": False},
            }
            try:
                retriever.run(plan)
            except ExcerptaError:
                continue
            chunks = [passage.chunk_id for passage in _RECORDER.passages]
            if not chunks:
                continue
            named = served.rows(chunks, columns=["external_id"])["external_id"].to_pylist()
            gains = relevant[question["_id"]]
            best = sorted((g for g in gains.values() if g > 0), reverse=True)[:10]
            if not best:
                continue
            yield Judged(
                feature_rows(question["text"], _RECORDER.passages),
                np.unique([str(n) for n in named], return_inverse=True)[1],
                np.asarray([max(0, gains.get(str(n), 0)) for n in named], np.float64),
                float((np.asarray(best) * _DISCOUNT[: len(best)]).sum()),
            )


def _recording(strategy: Strategy) -> Strategy:
    stages = strategy.stages.model_copy(
        update={"rerank": StageConfig(provider="reranker.recorder")}
    )
    return strategy.model_copy(update={"stages": stages})


def mean_ndcg(sets: Sequence[Sequence[Judged]], weights: NDArray[np.float64]) -> float:
    """Mean over the sets of each set's mean."""
    return float(np.mean([np.mean([q.ndcg(weights) for q in one]) for one in sets if one]))


def train(sets: Sequence[Sequence[Judged]]) -> NDArray[np.float64]:
    """Weights, beginning with the fused order (``fused`` 1, all else 0), which keeps weight 1."""
    weights = np.zeros(len(FEATURES))
    weights[0] = 1.0

    def value(tried: NDArray[np.float64]) -> float:
        return mean_ndcg(sets, tried) - _PENALTY * float(np.abs(tried[1:]).sum())

    best = value(weights)
    for _ in range(_ROUNDS):
        before = best
        for column in range(1, len(FEATURES)):
            for step in _STEPS:
                tried = weights.copy()
                tried[column] += step
                if (found := value(tried)) > best + 1e-5:
                    best, weights = found, tried
        if best == before:
            break
    return weights


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--set",
        nargs=4,
        action="append",
        required=True,
        metavar=("HOME", "QUERIES", "QRELS", "HALF"),
    )
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--trained-on", default="")
    given = parser.parse_args()
    sets = [read_set(*map(Path, paths), half) for *paths, half in given.set]
    weights = train(sets)
    start = np.eye(len(FEATURES))[0]
    print(f"fused {mean_ndcg(sets, start):.4f}, trained {mean_ndcg(sets, weights):.4f}")
    made = LinearWeights(
        version=1,
        features=FEATURES,
        weights=tuple(round(float(w), 4) for w in weights),
        trained_on=given.trained_on,
    )
    given.out.write_text(made.model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
