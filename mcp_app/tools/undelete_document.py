"""``library_undelete_document``: bring back what was deleted softly, or whose file vanished."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread
from mcp_types import ToolAnnotations
from pydantic import AliasChoices, Field

from mcp_app.deletion import deleted_document, find_restorable, start_restoring
from mcp_app.envelope import Answer
from mcp_app.ingestion import raise_if_failed
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments
from mcp_app.tools.delete_document import NAMED_SCHEMA
from mcp_app.tools.ingest import JOB_DATA, MAX_WAIT_S, answer_of, follow

if TYPE_CHECKING:
    from mcp_app.deletion import Deletable


class UndeleteDocumentArguments(ToolArguments):
    document_id: str = Field(
        min_length=1,
        validation_alias=AliasChoices("document_id", "doc_id"),
        description="doc_id, source URI or file name, as library_list_documents with status "
        "removed shows it.",
    )
    version: str | None = Field(
        None, min_length=1, description="Only this version: its version_id or number."
    )
    wait_seconds: float = Field(
        8.0, ge=0, le=MAX_WAIT_S, description="How long to wait before answering with a job_id."
    )


async def run(
    service: LibraryService, arguments: UndeleteDocumentArguments, report: Report
) -> Answer:
    """Start the run that publishes it again; answer as an ingest does."""
    found, run_id = await anyio.to_thread.run_sync(partial(_start, service, arguments))
    status = await follow(service.home, run_id, arguments.wait_seconds, report)
    if status.ended:
        raise_if_failed(status)
    answer = answer_of(status)
    done = "is back" if status.ended else "will be back once the job has ended"
    return Answer(
        f"**{found.title}** · `{found.source_uri}` {done}.\n\n{answer.markdown}",
        answer.data | {"restored": [deleted_document(found)]},
        answer.warnings,
    )


def _start(service: LibraryService, arguments: UndeleteDocumentArguments) -> tuple[Deletable, str]:
    catalog = service.snapshot().catalog
    found = find_restorable(service.home, catalog, arguments.document_id, version=arguments.version)
    return found, start_restoring(service.home, found).run_id


TOOL = LibraryTool(
    name="library_undelete_document",
    title="Bring a document back",
    description="""
        Bring back a document, version or corpus that library_delete_document took out softly, or
        whose file vanished, while the library still keeps its bytes. Only when the user asked for
        it. Answers with the result when it is quick, otherwise with a job_id for
        library_job_status.
        """,
    arguments=UndeleteDocumentArguments,
    data=JOB_DATA | {"restored": NAMED_SCHEMA},
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
    place=44,
)
