"""``library_undelete_document``: bring back what was deleted softly, or whose file vanished."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mcp_types import ToolAnnotations
from pydantic import AliasChoices, Field

from mcp_app.deletion import find_restorable, start_restoring
from mcp_app.envelope import Answer
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report
from mcp_app.tools.ingest import JOB_DATA
from mcp_app.tools.removal import NAMED_SCHEMA, RemovalArguments, run_and_follow

if TYPE_CHECKING:
    from mcp_app.deletion import Deletable


class UndeleteDocumentArguments(RemovalArguments):
    document_id: str = Field(
        min_length=1,
        validation_alias=AliasChoices("document_id", "doc_id"),
        description="doc_id, source URI or file name, as library_list_documents with status "
        "removed shows it.",
    )


async def run(
    service: LibraryService, arguments: UndeleteDocumentArguments, report: Report
) -> Answer:
    return await run_and_follow(
        service,
        arguments,
        report,
        partial(_start, service, arguments),
        done="is back",
        pending="will be back once the job has ended",
        named="restored",
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
