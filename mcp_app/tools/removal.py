"""What taking a document out and bringing it back have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from pydantic import AliasChoices, Field

from mcp_app.deletion import deleted_document
from mcp_app.envelope import Answer
from mcp_app.ingestion import raise_if_failed
from mcp_app.service import LibraryService
from mcp_app.tools.base import Report, ToolArguments
from mcp_app.tools.ingest import MAX_WAIT_S, answer_of, follow

if TYPE_CHECKING:
    from mcp_app.deletion import Deletable

_STRINGS = {"type": "array", "items": {"type": "string"}}
#: What was taken out or brought back.
NAMED_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "doc_id": {"type": ["string", "null"], "description": "null for a corpus"},
            "version_id": {"type": ["string", "null"]},
            "source_uri": {"type": "string"},
            "aliases": _STRINGS,
            "documents": {"type": "integer"},
        },
    },
}


class RemovalArguments(ToolArguments):
    """A document, and how long its run may keep the caller waiting."""

    document_id: str = Field(
        min_length=1,
        validation_alias=AliasChoices("document_id", "doc_id"),
        description="doc_id of a citation or list; a source URI or file name works.",
    )
    version: str | None = Field(
        None, min_length=1, description="Only this version: its version_id or number."
    )
    wait_seconds: float = Field(
        8.0, ge=0, le=MAX_WAIT_S, description="How long to wait before answering with a job_id."
    )


async def run_and_follow(
    service: LibraryService,
    arguments: RemovalArguments,
    report: Report,
    start: Callable[[], tuple[Deletable, str]],
    *,
    done: str,
    pending: str,
    named: str,
    data: dict[str, Any] | None = None,
) -> Answer:
    """Start the run that publishes anew, and answer as an ingest does.

    Args:
        start: gives what was found and the id of its run.
        done: what the answer says of the document once the run has ended.
        pending: the same while it still runs.
        named: the field of the answer that names the document.
        data: further fields.
    """
    found, run_id = await anyio.to_thread.run_sync(start)
    status = await follow(service.home, run_id, arguments.wait_seconds, report)
    if status.ended:
        raise_if_failed(status)
    answer = answer_of(status)
    return Answer(
        f"**{found.title}** · `{found.source_uri}` {done if status.ended else pending}."
        f"\n\n{answer.markdown}",
        answer.data | (data or {}) | {named: [deleted_document(found)]},
        answer.warnings,
    )
