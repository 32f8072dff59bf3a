"""``library_delete_document``: take a document out of the library; its file stays."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_app.deletion import find_deletable, start_deleting
from mcp_app.envelope import Answer
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report
from mcp_app.tools.ingest import JOB_DATA
from mcp_app.tools.removal import NAMED_SCHEMA, RemovalArguments, run_and_follow

if TYPE_CHECKING:
    from mcp_app.deletion import Deletable


class DeleteDocumentArguments(RemovalArguments):
    mode: Literal["soft", "hard"] = Field(
        "soft",
        description="soft: out of every answer; library_undelete_document brings it back. hard: "
        "nothing of it is left in any store, and no earlier snapshot; there is no way back.",
    )
    version: str | None = Field(
        None, min_length=1, description="Only this older version: its version_id or number."
    )


async def run(
    service: LibraryService, arguments: DeleteDocumentArguments, report: Report
) -> Answer:
    done = "is out of the library"
    return await run_and_follow(
        service,
        arguments,
        report,
        partial(_start, service, arguments),
        done=f"{done}; nothing of it is left" if arguments.mode == "hard" else done,
        pending="will be out once the job has ended",
        named="deleted",
        data={"mode": arguments.mode},
    )


def _start(service: LibraryService, arguments: DeleteDocumentArguments) -> tuple[Deletable, str]:
    hard = arguments.mode == "hard"
    found = find_deletable(
        service.snapshot().catalog,
        arguments.document_id,
        version=arguments.version,
        hard=hard,
        part=False,
    )
    return found, start_deleting(service.home, found, hard=hard).run_id


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
