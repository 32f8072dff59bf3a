"""``library_cancel_job``: end an ingest."""

from __future__ import annotations

from functools import partial

import anyio.to_thread
from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_app.envelope import Answer
from mcp_app.ingestion import run_markdown, run_result
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments
from mcp_app.tools.ingest import JOB_DATA, bounded


class CancelJobArguments(ToolArguments):
    job_id: str = Field(
        min_length=1, max_length=200, description="As library_ingest or library_job_status gave it."
    )


async def run(service: LibraryService, arguments: CancelJobArguments, _: Report) -> Answer:
    return await anyio.to_thread.run_sync(partial(_cancel, service, arguments.job_id))


def _cancel(service: LibraryService, job_id: str) -> Answer:
    from rag_assets.launch import cancel, run_status
    from rag_query.library.settings import load_settings

    load_settings(service.home)
    had_ended = run_status(service.home, job_id).ended
    status = bounded(cancel(service.home, job_id))
    markdown = run_markdown(status)
    if had_ended:
        markdown = f"It had ended before; nothing was canceled.\n\n{markdown}"
    canceled = status.state == "canceled" and not had_ended
    return Answer(markdown, run_result(status) | {"canceled": canceled}, status.warnings)


TOOL = LibraryTool(
    name="library_cancel_job",
    title="Cancel a job",
    description="""
        End a job that library_ingest or library_delete_document started and that still waits or
        runs. What is published stays as it was, and the next ingest goes on where this one
        stopped. A job that has ended is left alone. It does not take documents out; that is
        library_delete_document.
        """,
    arguments=CancelJobArguments,
    data=JOB_DATA
    | {"canceled": {"type": "boolean", "description": "false when it had ended by itself"}},
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
    place=42,
)
