"""A conversation once more: each turn on its own snapshot, in its own state, compared."""

from __future__ import annotations

from typing import Any

from rag_query.cancellation import checkpoint
from rag_query.contracts.answer import Answer, AnswerStatus, Difference, Replay, ReplayedTurn
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.generation.conversation.asker import Asker
from rag_query.generation.conversation.conversations import Conversation


def replay(asker: Asker, session_id: str) -> Replay:
    """Replay a conversation and say where each step came from and what differs.

    A turn a language model wrote is not asked of the model again: lock and evidence are decided
    anew and compared, the recorded sentences stand as they were checked.

    Raises:
        ExcerptaError: ``SESSION_NOT_FOUND``, ``SESSION_OF_OTHER_LIBRARY``, ``SESSION_DAMAGED``.
    """
    conversation = asker.log.read(session_id)
    turns = [_turn(asker, conversation, number) for number in range(len(conversation.turns))]
    return Replay(
        session_id=session_id, equal=all(not turn.differences for turn in turns), turns=turns
    )


def _turn(asker: Asker, conversation: Conversation, number: int) -> ReplayedTurn:
    checkpoint()
    recorded = conversation.turns[number]
    before = Conversation(
        conversation.session_id, conversation.library_id, conversation.turns[:number]
    )
    written = recorded.generator is not None and bool(recorded.generator.model)
    try:
        again = asker.again(recorded, before, extractive=written)
    except ExcerptaError as exc:
        if exc.code is ErrorCode.SNAPSHOT_NOT_FOUND:
            other = Difference(what="snapshot", recorded=recorded.snapshot, replayed=None)
        elif exc.code is ErrorCode.LOCK_STATE:
            # A number alone was answered once; what is refused now does not hide the other turns.
            other = Difference(what="status", recorded=str(recorded.status), replayed=str(exc.code))
        else:
            raise
        return ReplayedTurn(recorded=recorded, explanation=explain(recorded), differences=[other])
    return ReplayedTurn(
        recorded=recorded,
        explanation=explain(recorded),
        differences=_differences(recorded, again, written=written),
    )


def _differences(recorded: Answer, again: Answer, *, written: bool) -> list[Difference]:
    compared: dict[str, tuple[Any, Any]] = {
        "lock": (_lock(recorded), _lock(again)),
        "evidence": (_evidence(recorded), _evidence(again)),
    }
    if not written:
        compared |= {
            "status": (str(recorded.status), str(again.status)),
            "text": (recorded.text, again.text),
            "generation_map": (_map(recorded), _map(again)),
        }
    return [
        Difference(what=name, recorded=first, replayed=second)
        for name, (first, second) in compared.items()
        if first != second
    ]


def explain(answer: Answer) -> list[str]:
    """Where every step of a turn came from, a line each."""
    lock = answer.lock
    lines = [f"snapshot {answer.snapshot}, strategy {answer.strategy_config_id[:12]}"]
    if lock.parent is not None:
        lines.append(f"locked: {lock.parent.title} ({lock.parent.parent_id}) by {lock.decided_by}")
    else:
        lines.append(f"lock: {lock.status}")
    if answer.evidence_set is not None:
        chosen = ", ".join(f"{c.chunk_id} ({c.block_type})" for c in answer.evidence_set.chunks)
        lines.append(
            f"evidence for a question of kind {answer.evidence_set.question_kind}: {chosen}"
        )
    if answer.sufficiency is not None:
        judged = answer.sufficiency
        word = "sufficient" if judged.sufficient else "insufficient"
        lines.append(f"{word}: confidence {judged.confidence}, needed {judged.threshold}")
    for entry in answer.generation_map:
        places = ", ".join(f"{s.chunk_id}[{s.start}:{s.end}]" for s in entry.spans)
        lines.append(f"{entry.output_section} #{entry.sentence}: {places}")
    if answer.status is AnswerStatus.CHOICE:
        lines += [
            f"candidate {c.number}: {c.parent.title} ({c.score:.3f})" for c in lock.candidates
        ]
    return lines


def _lock(answer: Answer) -> dict[str, Any]:
    lock = answer.lock
    return {
        "status": str(lock.status),
        "parent": lock.parent.parent_id if lock.parent else None,
        "decided_by": str(lock.decided_by) if lock.decided_by else None,
        "candidates": [c.parent.parent_id for c in lock.candidates],
    }


def _evidence(answer: Answer) -> list[tuple[str, str]]:
    chunks = answer.evidence_set.chunks if answer.evidence_set else []
    return [(chunk.chunk_id, chunk.content_hash) for chunk in chunks]


def _map(answer: Answer) -> list[tuple[str, str, list[str]]]:
    return [(e.output_section, e.text, e.used_chunks) for e in answer.generation_map]
