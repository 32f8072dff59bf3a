"""What an evaluation needs of generation: an answer made from passages that were found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rag_query.contracts.evaluation import CitationRef


@dataclass(frozen=True, slots=True)
class MadeAnswer:
    """One answer.

    Attributes:
        markdown: as a reader sees it; ``statement`` is the sentences alone, for a judge.
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
    statement: str = ""
    asset_ids: tuple[str, ...] = ()
    usage: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    trace_id: str | None = None


class AnswerSource(Protocol):
    """The product's own generation."""

    def answer(self, query: str, document: str | None) -> MadeAnswer:
        """An answer to a question.

        Args:
            document: the doc_id it must come from (``generation_only``); None leaves the choice
                to the pipeline.

        Raises:
            ExcerptaError: what asking raises.
        """
        ...
