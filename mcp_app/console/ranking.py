"""What each step did to each candidate (``CandidatesTable``, DEV_SPEC 3.5.5.4).

Read from the common fields of ``retrieval.candidates``, ``fusion.ranked``, ``rerank.ranked`` and
``context.final``; which provider wrote them does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rag_query.contracts.trace import EventKind, TraceEnvelope


@dataclass(frozen=True)
class Place:
    """A candidate at one step: 1 is the best rank."""

    rank: int
    score: float | None


@dataclass
class Candidate:
    """One chunk on its way.

    Attributes:
        places: step -> where it stood there.
        final: position in the answer, from 1; None when it was dropped.
    """

    chunk_id: str
    places: dict[str, Place] = field(default_factory=dict)
    final: int | None = None

    def move(self, before: str, after: str) -> int | None:
        """Ranks won between two steps; negative when lost, None unless it stood at both."""
        if before in self.places and after in self.places:
            return self.places[before].rank - self.places[after].rank
        return None


@dataclass(frozen=True)
class Ranking:
    """Every candidate of a query, those of the answer first.

    Attributes:
        steps: names of the steps, in order: legs, then ``fusion``, then ``rerank``.
    """

    steps: list[str]
    candidates: list[Candidate]

    @property
    def chunk_ids(self) -> list[str]:
        return [candidate.chunk_id for candidate in self.candidates]


def ranking(trace: TraceEnvelope) -> Ranking:
    """Follow every candidate through the steps that ranked it."""
    candidates: dict[str, Candidate] = {}
    steps: list[str] = []
    final: list[str] = []
    for step, ranked in _steps(trace):
        if step not in steps:
            steps.append(step)
        for rank, (chunk_id, score) in enumerate(ranked, 1):
            found = candidates.setdefault(chunk_id, Candidate(chunk_id))
            found.places.setdefault(step, Place(rank, score))
    for event in trace.events:
        if event.kind is EventKind.CONTEXT_FINAL:
            # The steps before know no versions.
            final = [str(named).partition("@")[0] for named in event.payload.get("chunk_ids", [])]
    for position, chunk_id in enumerate(final, 1):
        candidates.setdefault(chunk_id, Candidate(chunk_id)).final = position
    return Ranking(steps, sorted(candidates.values(), key=lambda c: _order(c, steps)))


def _order(candidate: Candidate, steps: list[str]) -> tuple[float, ...]:
    """Final position, then the ranks of the last steps first."""
    ranks = (candidate.places.get(step) for step in reversed(steps))
    return (candidate.final or 1e9, *(place.rank if place else 1e9 for place in ranks))


def _steps(trace: TraceEnvelope) -> Iterator[tuple[str, list[tuple[str, float | None]]]]:
    several = len({_query_of(e.payload) for e in trace.events if "query_index" in e.payload}) > 1
    for event in trace.events:
        payload = event.payload
        if event.kind is EventKind.RETRIEVAL_CANDIDATES:
            name = str(payload.get("source", "retrieval"))
            step = f"{name} · question {_query_of(payload) + 1}" if several else name
            yield step, list(_listed(payload.get("candidates", [])))
        elif event.kind is EventKind.FUSION_RANKED:
            yield "fusion", list(_listed(payload.get("ranked", [])))
        elif event.kind is EventKind.RERANK_RANKED and payload.get("after"):
            yield "rerank", list(_listed(payload["after"]))


def _query_of(payload: dict[str, Any]) -> int:
    index = payload.get("query_index")
    return index if isinstance(index, int) else 0


def _listed(entries: Iterable[Any]) -> Iterator[tuple[str, float | None]]:
    """Entries are ids, or objects with ``chunk_id`` and maybe ``score``."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry, None
        elif isinstance(entry, dict) and "chunk_id" in entry:
            score = entry.get("score")
            yield str(entry["chunk_id"]), float(score) if isinstance(score, int | float) else None
