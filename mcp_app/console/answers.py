"""The answer a trace led to, each sentence with its passages (``AnswerPanel``)."""

from __future__ import annotations

from mcp_app.console.library import ConsoleLibrary
from rag_query.contracts.answer import Answer
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.trace import TraceEnvelope
from rag_query.generation.conversation.conversations import ConversationLog
from rag_query.library.settings import load_settings

_GONE = (
    ErrorCode.SESSION_NOT_FOUND,
    ErrorCode.SESSION_DAMAGED,
    ErrorCode.SESSION_OF_OTHER_LIBRARY,
)


def answer_of(library: ConsoleLibrary, trace: TraceEnvelope) -> Answer | None:
    """The turn of a conversation that left this trace; None where there was none, or it is gone."""
    session_id = trace.replay.get("session_id")
    if not isinstance(session_id, str):
        return None
    log = ConversationLog(library.home, load_settings(library.home).library_id)
    try:
        turns = log.read(session_id).turns
    except ExcerptaError as exc:
        if exc.code in _GONE:
            return None
        raise
    return next((turn for turn in turns if turn.trace_id == trace.trace_id), None)
