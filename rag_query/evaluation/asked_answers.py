"""Answers of an evaluation are the product's own: a conversation of one turn for each case.

The conversations are nobody's and are not logged; the traces stay, with the case's metrics.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rag_query.contracts.answer import Answer, AnswerStatus, EvidenceChunk, GeneratorRun
from rag_query.contracts.evaluation import CitationRef
from rag_query.evaluation.answers import MadeAnswer
from rag_query.generation.conversation.asker import Asker
from rag_query.generation.conversation.conversations import Conversation, ConversationLog
from rag_query.library.snapshot import Snapshot
from rag_query.retrieval.pipeline import Retriever
from rag_query.strategies.strategy import Strategy


class AskedAnswers:
    """Asks each question as a reader would.

    Args:
        retriever: on a library that shows the snapshot which is evaluated.
    """

    def __init__(self, retriever: Retriever, snapshot: Snapshot, strategy: Strategy) -> None:
        self._snapshot = snapshot
        self._asker = Asker(retriever, strategy=strategy)
        library = retriever.library
        self._asker.log = _Unlogged(library.home, library.settings.library_id)

    def answer(self, query: str, document: str | None) -> MadeAnswer:
        """See :class:`~rag_query.evaluation.answers.AnswerSource`."""
        return self._made_answer(self._asker.ask(query, lock=document))

    def _made_answer(self, answer: Answer) -> MadeAnswer:
        held = {chunk.chunk_id: chunk for chunk in _evidence(answer)}
        cited = dict.fromkeys(c for entry in answer.generation_map for c in entry.used_chunks)
        pages = {s.chunk_id: s.page for e in reversed(answer.generation_map) for s in e.spans}
        warnings = list(answer.warnings)
        if answer.status is AnswerStatus.CHOICE:
            warnings.append("it asked which document is meant")
        run = answer.generator
        return MadeAnswer(
            markdown=answer.text,
            refused=answer.status is not AnswerStatus.ANSWERED,
            citations=[
                CitationRef(
                    chunk_id=chunk,
                    section_path=held[chunk].section_path if chunk in held else None,
                    page=pages.get(chunk, held[chunk].page if chunk in held else None),
                    returned=chunk in held,
                )
                for chunk in cited
            ],
            sentences=len(answer.generation_map),
            sentences_cited=sum(bool(entry.used_chunks) for entry in answer.generation_map),
            statement=" ".join(entry.text for entry in answer.generation_map),
            passages=tuple(chunk.text for chunk in held.values()),
            asset_ids=self._images(list(cited)),
            usage=_usage(run) if run else {},
            warnings=tuple(warnings),
            trace_id=answer.trace_id or None,
        )

    def _images(self, chunks: list[str]) -> tuple[str, ...]:
        served = self._snapshot.served.get(chunks)
        return tuple(sorted({asset for chunk in served for asset in chunk.asset_ids}))


def _usage(run: GeneratorRun) -> dict[str, float]:
    spent: dict[str, float] = {"input_tokens": run.input_tokens, "output_tokens": run.output_tokens}
    return spent if run.cost is None else spent | {"cost": run.cost}


class _Unlogged(ConversationLog):
    """Conversations that leave nothing: no log, and no pin on a snapshot that may never be
    published."""

    @contextmanager
    def turn(self, session_id: str | None) -> Iterator[Conversation]:
        yield Conversation(session_id or "", self._library_id)

    def hold(self, session_id: str, snapshot: int) -> None:
        pass

    def append(self, conversation: Conversation, answer: Answer) -> None:
        pass


def _evidence(answer: Answer) -> list[EvidenceChunk]:
    return answer.evidence_set.chunks if answer.evidence_set else []
