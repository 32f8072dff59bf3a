"""What an evaluation needs of generation: an answer made from passages that were found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rag_query.contracts.evaluation import CitationRef
from rag_query.contracts.evidence import EvidencePack


@dataclass(frozen=True, slots=True)
class MadeAnswer:
    """One answer.

    Attributes:
        sentences: that assert something; ``sentences_cited`` of them carry a citation.
        passages: the texts it was made from, for a judge.
        usage: tokens and cost.
        trace_id: of the trace that covers it; None when it left none.
    """

    markdown: str
    refused: bool
    citations: Sequence[CitationRef]
    sentences: int
    sentences_cited: int
    passages: tuple[str, ...]
    asset_ids: tuple[str, ...] = ()
    usage: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    trace_id: str | None = None


class AnswerSource(Protocol):
    """The product's own generation."""

    def answer(self, query: str, pack: EvidencePack) -> MadeAnswer:
        """An answer to ``query`` from the evidences of ``pack``.

        Raises:
            ExcerptaError: what the language model raises when there is no fallback.
        """
        ...
