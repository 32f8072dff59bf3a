"""What one turn of a conversation works with, and the answer it ends in."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rag_query.contracts.answer import Answer, AnswerStatus, Lock, MapEntry
from rag_query.contracts.trace import EventKind
from rag_query.generation.conversation.conversations import Conversation
from rag_query.generation.stages import AnswerStages
from rag_query.library.snapshot import Snapshot
from rag_query.tracing.context import Trace, event

#: Called with each sentence that passed its checks, as soon as it did.
OnReleased = Callable[[MapEntry], None]


@dataclass(slots=True)
class Turn:
    """One turn, from its question to its answer.

    Attributes:
        began: ``time.perf_counter()``.
        retrieval_ms: spent in retrieval so far.
        warnings: gathered on the way.
    """

    conversation: Conversation
    snapshot: Snapshot
    stages: AnswerStages
    trace: Trace
    warnings: list[str]
    began: float
    on_released: OnReleased | None = None
    retrieval_ms: float = 0.0

    def end(
        self,
        question: str,
        status: AnswerStatus,
        *,
        language: str,
        text: str,
        lock: Lock,
        **fields: Any,
    ) -> Answer:
        """The answer; ``fields`` are those of :class:`Answer`."""
        return Answer(
            session_id=self.conversation.session_id,
            turn=len(self.conversation.turns) + 1,
            question=question,
            status=status,
            language=language,
            text=text,
            lock=lock,
            warnings=self.warnings,
            snapshot=self.snapshot.number,
            strategy_config_id=self.stages.strategy.config_id,
            answered_at=datetime.now(UTC),
            took_ms=round((time.perf_counter() - self.began) * 1000, 3),
            retrieval_ms=round(self.retrieval_ms, 3),
            trace_id=self.trace.trace_id,
            **fields,
        )


def lock_decided(lock: Lock) -> None:
    """Leave the lock in the trace."""
    event(
        EventKind.LOCK_DECIDED,
        status=str(lock.status),
        parent_id=lock.parent.parent_id if lock.parent else None,
        decided_by=str(lock.decided_by) if lock.decided_by else None,
        candidates=[candidate.parent.parent_id for candidate in lock.candidates],
        explanation=lock.explanation,
    )
