"""``library_delete_document``: take a document out of the library; its file stays."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread
from mcp_types import ToolAnnotations
from pydantic import Field

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
        min_length=1, description="doc_id of a citation or list; a source URI or file name works."
    )
    wait_seconds: float = Field(
        8.0, ge=0, le=MAX_WAIT_S, description="How long to wait before answering with a job_id."
    )


async def run(
    service: LibraryService, arguments: DeleteDocumentArguments, report: Report
) -> Answer:
    """Start the run that publishes without the document; answer as an ingest does."""
    found, run_id = await anyio.to_thread.run_sync(partial(_start, service, arguments.document_id))
    status = await follow(service.home, run_id, arguments.wait_seconds, report)
    if status.ended:
        raise_if_failed(status)
    answer = answer_of(status)
    done = "is out of the library" if status.ended else "will be out once the job has ended"
    return Answer(
        f"**{found.title}** · `{found.source_uri}` {done}.\n\n{answer.markdown}",
        answer.data | {"deleted": [deleted_document(found)]},
        answer.warnings,
    )


def _start(service: LibraryService, document_id: str) -> tuple[Deletable, str]:
    found = find_deletable(service.snapshot().catalog, document_id)
    return found, start_deleting(service.home, found).run_id


TOOL = LibraryTool(
    name="library_delete_document",
    title="Delete a document",
    description="""
        Take one document out of the library, so that no answer cites it any more. Only when the
        user asked for it. The file itself stays where it is; the document comes back only when
        its path is given to library_ingest by name. Answers with the result when it is quick,
        otherwise with a job_id for library_job_status.
        """,
    arguments=DeleteDocumentArguments,
    data=JOB_DATA
    | {
        "deleted": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "doc_id": {"type": "string"},
                    "source_uri": {"type": "string"},
                    "aliases": {"type": "array", "items": {"type": "string"}},
                },
            },
        }
    },
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
    place=43,
)
