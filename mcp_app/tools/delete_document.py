"""``library_delete_document``: take a document out of the library; its file stays."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

import anyio.to_thread
from mcp_types import ToolAnnotations
from pydantic import AliasChoices, Field

from mcp_app.deletion import deleted_document, find_deletable, start_deleting
from mcp_app.envelope import Answer
from mcp_app.ingestion import raise_if_failed
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments
from mcp_app.tools.ingest import JOB_DATA, MAX_WAIT_S, answer_of, follow

if TYPE_CHECKING:
    from mcp_app.deletion import Deletable


class DeleteDocumentArguments(ToolArguments):
    document_id: str = Field(
        min_length=1,
        validation_alias=AliasChoices("document_id", "doc_id"),
        description="doc_id of a citation or list; a source URI or file name works.",
    )
    mode: Literal["soft", "hard"] = Field(
        "soft",
        description="soft: out of every answer; library_undelete_document brings it back. hard: "
        "nothing of it is left in any store, and no earlier snapshot; there is no way back.",
    )
    version: str | None = Field(
        None, min_length=1, description="Only this older version: its version_id or number."
    )
    wait_seconds: float = Field(
        8.0, ge=0, le=MAX_WAIT_S, description="How long to wait before answering with a job_id."
    )


async def run(
    service: LibraryService, arguments: DeleteDocumentArguments, report: Report
) -> Answer:
    """Start the run that publishes without the document; answer as an ingest does."""
    found, run_id = await anyio.to_thread.run_sync(partial(_start, service, arguments))
    status = await follow(service.home, run_id, arguments.wait_seconds, report)
    if status.ended:
        raise_if_failed(status)
    answer = answer_of(status)
    done = "is out of the library" if status.ended else "will be out once the job has ended"
    if status.ended and arguments.mode == "hard":
        done += "; nothing of it is left"
    return Answer(
        f"**{found.title}** · `{found.source_uri}` {done}.\n\n{answer.markdown}",
        answer.data | {"mode": arguments.mode, "deleted": [deleted_document(found)]},
        answer.warnings,
    )


def _start(service: LibraryService, arguments: DeleteDocumentArguments) -> tuple[Deletable, str]:
    hard = arguments.mode == "hard"
    found = find_deletable(
        service.snapshot().catalog, arguments.document_id, version=arguments.version, hard=hard
    )
    return found, start_deleting(service.home, found, hard=hard).run_id


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

TOOL = LibraryTool(
    name="library_delete_document",
    title="Delete a document",
    description="""
        Take one document, one older version of it, or a .jsonl corpus with all its records out of
        the library, so that no answer cites it any more. Only when the user asked for it, and
        mode hard only when the user asked that nothing be left. The file itself stays where it
        is. Answers with the result when it is quick, otherwise with a job_id for
        library_job_status.
        """,
    arguments=DeleteDocumentArguments,
    data=JOB_DATA | {"mode": {"type": "string", "enum": ["soft", "hard"]}, "deleted": NAMED_SCHEMA},
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
    place=43,
)
