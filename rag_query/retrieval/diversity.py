"""Diversity and budget: which candidates are kept, and by which rule the others were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

from rag_query.contracts.explain import Dropped
from rag_query.contracts.plan import Budget, Mode
from rag_query.retrieval.quotas import Quotas
from rag_query.retrieval.repetition import Repetition

#: Chunk ids kept as samples of each rule.
MAX_SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Placed:
    """What the limits look at.

    Attributes:
        chunk_id: which candidate.
        modes: of every query that found it, strongest first.
        document: doc_id.
        source: see :func:`source_of`.
        section: section_id.
    """

    chunk_id: str
    modes: tuple[Mode, ...]
    document: str
    source: str
    section: str


@dataclass
class DropLog:
    """Counts and samples by rule, in the order the rules first acted."""

    counts: Counter[str] = field(default_factory=Counter)
    samples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, rule: str, chunk_ids: Iterable[str]) -> None:
        if chunks := list(chunk_ids):
            self.counts[rule] += len(chunks)
            kept = self.samples.setdefault(rule, [])
            kept += chunks[: MAX_SAMPLES - len(kept)]

    def merge(self, other: DropLog) -> None:
        """Take over what another log holds."""
        for rule, count in other.counts.items():
            self.counts[rule] += count
            kept = self.samples.setdefault(rule, [])
            kept += other.samples[rule][: MAX_SAMPLES - len(kept)]

    def report(self) -> list[Dropped]:
        return [
            Dropped(rule=rule, count=count, samples=self.samples[rule])
            for rule, count in self.counts.items()
        ]


def source_of(source_uri: str) -> str:
    """The folder a document lies in; of a record, the file that holds it."""
    document, _, record = source_uri.partition("#")
    return document if record else document.rpartition("/")[0]


def quotas_of(budget: Budget) -> Quotas:
    """The quotas of ``per_mode_k``, nothing counted yet."""
    return Quotas(cast("dict[Mode, int | None]", budget.per_mode_k.model_dump()))


def select(
    candidates: Sequence[Placed],
    budget: Budget,
    dropped: DropLog,
    repetition: Repetition,
    quotas: Quotas,
) -> list[int]:
    """Indices of the kept candidates, at most ``top_k``, in the order given.

    Every limit is exact: a candidate over a limit is passed over, and the next one that fits
    takes its place while there are any.

    Args:
        repetition: collapses candidates that say what a kept one says.
        quotas: of ``per_mode_k``; afterwards it tells what each kept candidate counts for.
    """
    limits = budget.diversity
    rules: list[tuple[str, int | None, Callable[[Placed], str]]] = [
        ("by_document", limits.by_document, lambda placed: placed.document),
        ("by_source", limits.by_source, lambda placed: placed.source),
        ("by_section", limits.by_section, lambda placed: placed.section),
    ]
    used: dict[str, Counter[str]] = {name: Counter() for name, _, _ in rules}
    kept: list[int] = []
    for index, candidate in enumerate(candidates):
        if budget.top_k is not None and len(kept) >= budget.top_k:
            dropped.add("top_k", (c.chunk_id for c in candidates[index:]))
            break
        over = repetition.overlapped(index) or next(
            (
                name
                for name, limit, shared in rules
                if limit is not None and used[name][shared(candidate)] >= limit
            ),
            None,
        )
        if over is None:
            over = repetition.duplicated(index)
        if over is None and not quotas.take(index, candidate.modes):
            over = "per_mode_k"
        if over is not None:
            dropped.add(over, [candidate.chunk_id])
            continue
        for name, _, shared in rules:
            used[name][shared(candidate)] += 1
        repetition.keep(index)
        kept.append(index)
    return kept
