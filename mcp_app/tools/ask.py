"""``library_ask``: an answer from one locked document, every sentence mapped to its passages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import anyio.from_thread
from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_app.conversation_size import fitted
from mcp_app.envelope import Answer as ToolAnswer
from mcp_app.envelope import fresh_trace_id
from mcp_app.off_loop import off_loop
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments
from rag_query.cancellation import checkpoint

if TYPE_CHECKING:
    from rag_query.contracts.answer import Answer, MapEntry


class AskArguments(ToolArguments):
    question: str = Field(
        description="The question, in any language; after a choice was offered, the number or "
        "name of the document meant."
    )
    session_id: str | None = Field(
        None, description="Of the conversation to continue; leave it out to begin one."
    )
    lock: str | None = Field(
        None,
        description="The document to answer from: its doc_ or ver_ id, title, file name or URI.",
    )


async def run(service: LibraryService, arguments: AskArguments, report: Report) -> ToolAnswer:
    """Ask off the event loop; each checked sentence is reported while the rest is written."""

    heard = 0

    async def told(entry: MapEntry) -> None:
        await report(float(heard), None, entry.text)

    def released(entry: MapEntry) -> None:
        nonlocal heard
        # Of a call that was given up, nothing more is written.
        checkpoint()
        heard += 1
        anyio.from_thread.run(told, entry)

    return await off_loop(partial(_ask, service, arguments, released))


def _ask(service: LibraryService, arguments: AskArguments, released: Any) -> ToolAnswer:
    answer = service.asker().ask(
        arguments.question, arguments.session_id, arguments.lock, on_released=released
    )
    return shown(service, answer)


def shown(service: LibraryService, answer: Answer) -> ToolAnswer:
    """An answer as a tool gives it, within the server's budget."""
    data = answer.model_dump(mode="json", exclude={"text", "trace_id", "warnings", "version"})
    markdown, data, left_out = fitted(answer.text, data, service.options.answer_tokens)
    if answer.session_id:
        markdown += f"\n\n(session_id: {answer.session_id})"
    warnings = answer.warnings + left_out
    markdown += "".join(f"\n\n> {warning}" for warning in warnings)
    return ToolAnswer(markdown, data, warnings, answer.trace_id or fresh_trace_id())


#: Fields every reply about a conversation has.
ANSWER_DATA: dict[str, Any] = {
    "session_id": {"type": "string", "description": "pass it on to continue the conversation"},
    "turn": {"type": "integer"},
    "status": {
        "type": "string",
        "description": "answered; choice: ask the user which document and pass the reply on; "
        "insufficient: the document does not hold it; nothing_found; released",
    },
    "lock": {
        "type": "object",
        "description": "status, parent, candidates to choose from, and the figures behind it",
    },
    "sections": {"type": "array", "items": {"type": "object"}},
    "generation_map": {
        "type": "array",
        "description": "each sentence with its chunks, places and checks",
        "items": {"type": "object"},
    },
    "evidence_set": {"type": ["object", "null"]},
    "sufficiency": {"type": ["object", "null"]},
    "insufficient": {"type": ["object", "null"], "description": "what is missing, what to do"},
    "contradictions": {"type": "array", "items": {"type": "object"}},
    "generator": {"type": ["object", "null"]},
    "snapshot": {"type": "integer"},
    "took_ms": {"type": "number"},
}

TOOL = LibraryTool(
    name="library_ask",
    title="Ask one document",
    description="""
        Answer a question from one document of the library, with every sentence taken from or
        checked against its passages. The document is locked for the conversation: pass the
        session_id on for follow-up questions. When several documents fit, status is "choice":
        show them to the user and send the reply as the next question. When the document does not
        hold the answer, status is "insufficient": say so and offer library_release; never fill in
        the gap yourself. To search the whole library for passages use library_query.
        """,
    arguments=AskArguments,
    data=ANSWER_DATA,
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=False
    ),
    run=run,
    place=11,
)
