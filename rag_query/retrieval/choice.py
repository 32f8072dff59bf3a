"""From the fused list to the evidences: ties, preferences, difference, limits, budget.

Everything here orders or drops; nothing searches. What is dropped is named by its rule.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.evidence import Preference
from rag_query.contracts.explain import DiversityExplain
from rag_query.contracts.plan import RetrievalPlan
from rag_query.library.snapshot import Snapshot
from rag_query.retrieval import mmr
from rag_query.retrieval.chunk_vectors import vectors_of
from rag_query.retrieval.diversity import DropLog, Placed, quotas_of, select, source_of
from rag_query.retrieval.fusion import SCORE_DIGITS, Fused
from rag_query.retrieval.pack import Candidate
from rag_query.retrieval.relevance import prefer, recency, relevance
from rag_query.retrieval.repetition import Repetition, Span
from rag_query.text.analysis import analyzer
from rag_query.text.pictures import words_of

#: Columns of the served table that ties, preferences and limits look at, as Candidate has them.
_LOOKED_AT = (
    "doc_id",
    "section_id",
    "source_uri",
    "source_type",
    "created_at",
    "version_id",
    "char_start",
    "char_end",
    "tags",
    "asset_ids",
)
#: Evidences are looked for among so many times ``top_k`` candidates first: some say the same.
_MARGIN = 2


@dataclass
class Choice:
    """One plan's choice among its candidates.

    Args:
        plan: effective.
        preferences: soft ones, of the plan and of its queries.

    Attributes:
        dropped: what was left out, by rule.
        similarity: what MMR compared.
        warnings: for the caller.
    """

    snapshot: Snapshot
    plan: RetrievalPlan
    preferences: Collection[Preference]
    dropped: DropLog = field(default_factory=DropLog)
    similarity: Literal["vectors", "words"] | None = None
    warnings: list[str] = field(default_factory=list)

    def first(self, fused: Sequence[Fused], reranked: int) -> int:
        """How many of the best are worth looking at before the others.

        Args:
            reranked: candidates a reranker will see.
        """
        budget, ranking = self.plan.budget, self.plan.ranking
        limits = budget.diversity
        limited = (limits.by_document, limits.by_source, limits.by_section, limits.mmr)
        if (
            any(limit is not None for limit in limited)
            or budget.per_mode_k.model_dump(exclude_none=True)
            or ranking.tie_breaker != "none"
            or self.preferences
        ):
            return len(fused)
        return max(_MARGIN * (budget.top_k or 0), reranked)

    def candidates(self, fused: Sequence[Fused]) -> list[Candidate]:
        """What the later stages look at of each, ties broken."""
        ids = [f.chunk_id for f in fused]
        rows = self.snapshot.served.cells(ids, _LOOKED_AT)
        # Publication lets no chunk be searched that is not served.
        return self._break_ties([Candidate(f, *row) for f, row in zip(fused, rows, strict=True)])

    def choose(self, candidates: list[Candidate], rest: Sequence[Fused]) -> list[Candidate]:
        """The evidences in final order.

        Args:
            candidates: in the order of fusion or of the reranker.
            rest: worse than every candidate, not looked at yet.
        """
        kept, log = self._select(self._ordered(candidates))
        if len(kept) < (self.plan.budget.top_k or 0) and rest:
            candidates = [*candidates, *self.candidates(rest)]
            rest = ()
            kept, log = self._select(self._ordered(candidates))
        self.dropped.merge(log)
        self.dropped.add("top_k", (f.chunk_id for f in rest))
        return kept

    def explained(self) -> DiversityExplain:
        """What the limits did."""
        limits, counts = self.plan.budget.diversity, self.dropped.counts
        return DiversityExplain(
            by_document=limits.by_document,
            by_source=limits.by_source,
            by_section=limits.by_section,
            applied=any(rule.startswith("by_") for rule in counts),
            mmr=limits.mmr,
            mmr_similarity=self.similarity,
            overlaps_collapsed=counts["overlap"],
            duplicates_collapsed=counts["near_duplicate"],
        )

    def _break_ties(self, candidates: list[Candidate]) -> list[Candidate]:
        ranking = self.plan.ranking
        if ranking.tie_breaker == "none" or ranking.fusion.method == "none":
            return candidates
        if ranking.tie_breaker == "recency":
            preferred = recency(candidates)
            candidates = [
                replace(c, recency=value) for c, value in zip(candidates, preferred, strict=True)
            ]
        else:
            priority: dict[str, float] = {str(k): v for k, v in ranking.source_priority.items()}
            preferred = [priority.get(c.source_type, 0.0) for c in candidates]

        def key(pair: tuple[Candidate, float]) -> tuple[float, float, str]:
            fused = pair[0].fused
            return -round(fused.score, SCORE_DIGITS), -pair[1], fused.chunk_id

        ordered = sorted(zip(candidates, preferred, strict=True), key=key)
        return [candidate for candidate, _ in ordered]

    def _ordered(self, candidates: list[Candidate]) -> list[Candidate]:
        method = self.plan.ranking.fusion.method
        if self.preferences:
            candidates = prefer(candidates, self.preferences, method)
        lambda_ = self.plan.budget.diversity.mmr
        if lambda_ is None or lambda_ == 1 or len(candidates) < 2:
            return candidates
        pool = candidates[: mmr.POOL]
        scores = [
            base if c.final_score is None else c.final_score
            for c, base in zip(pool, relevance(pool, method), strict=True)
        ]
        chosen = mmr.order(scores, self._similarity(pool), lambda_, self.plan.budget.top_k or 0)
        return [*(pool[index] for index in chosen), *candidates[len(pool) :]]

    def _similarity(self, pool: Sequence[Candidate]) -> NDArray[np.float32]:
        ids = [c.fused.chunk_id for c in pool]
        try:
            vectors = vectors_of(self.snapshot, ids)
        except (ExcerptaError, RuntimeError, ValueError, OSError):
            vectors = {}
        if len(vectors) == len(ids):
            self.similarity = "vectors"
            rows = np.stack([vectors[chunk] for chunk in ids])
            return rows @ rows.T
        self.similarity = "words"
        self.warnings.append("diversity.mmr compared words: not every candidate has a vector")
        return mmr.word_similarity([analyzer().tokens(text) for text in self._texts(ids)])

    def _select(self, candidates: list[Candidate]) -> tuple[list[Candidate], DropLog]:
        log = DropLog()
        limits = self.plan.budget.diversity
        ids = [c.fused.chunk_id for c in candidates]
        texts = _Texts(self._texts, ids)
        repetition = Repetition(
            [Span(c.doc_id, c.version_id, c.char_start, c.char_end) for c in candidates],
            texts.of,
            overlaps=limits.overlaps == "collapse",
            duplicates=limits.near_duplicates == "collapse",
        )
        placed = [self._placed(candidate) for candidate in candidates]
        quotas = quotas_of(self.plan.budget)
        kept = select(placed, self.plan.budget, log, repetition, quotas)
        return [
            replace(
                candidates[index],
                same=tuple(ids[other] for other in repetition.collapsed.get(index, ())),
                counted=quotas.mode_of(index),
            )
            for index in kept
        ], log

    def _placed(self, candidate: Candidate) -> Placed:
        modes = [self.plan.queries[index].mode for index in candidate.fused.queries()]
        return Placed(
            candidate.fused.chunk_id,
            tuple(dict.fromkeys(modes)),
            candidate.doc_id,
            source_of(candidate.source_uri),
            candidate.section_id,
        )

    def _texts(self, chunk_ids: Sequence[str]) -> list[str]:
        rows = self.snapshot.served.cells(chunk_ids, ("chunk_text", "ocr_text"))
        return [words_of(chunk_text, ocr_text) for chunk_text, ocr_text in rows]


class _Texts:
    """Texts of candidates, read some at a time as they are asked for."""

    _AT_ONCE = 16

    def __init__(
        self, read: Callable[[Sequence[str]], list[str]], chunk_ids: Sequence[str]
    ) -> None:
        self._of = read
        self._ids = chunk_ids
        self._read: list[str] = []

    def of(self, index: int) -> str:
        while index >= len(self._read):
            start = len(self._read)
            self._read += self._of(self._ids[start : start + self._AT_ONCE])
        return self._read[index]
