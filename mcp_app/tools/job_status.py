"""``library_job_status``: how far an ingest is."""

from __future__ import annotations

import anyio.to_thread
from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_app.envelope import Answer
from mcp_app.ingestion import run_result
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments
from mcp_app.tools.ingest import JOB_DATA, MAX_WAIT_S, answer_of, follow

_RECENT = 10


class JobStatusArguments(ToolArguments):
    job_id: str | None = Field(
        None, min_length=1, max_length=200, description="None: the newest jobs of the library."
    )
    wait_seconds: float = Field(
        0.0, ge=0, le=MAX_WAIT_S, description="Wait so long for the job to end."
    )


async def run(service: LibraryService, arguments: JobStatusArguments, report: Report) -> Answer:
    if arguments.job_id is None:
        return await anyio.to_thread.run_sync(_recent, service)
    status = await follow(service.home, arguments.job_id, arguments.wait_seconds, report)
    return answer_of(status)


def _recent(service: LibraryService) -> Answer:
    from rag_assets.launch import list_runs
    from rag_query.library.settings import load_settings

    load_settings(service.home)
    runs = list_runs(service.home)[:_RECENT]
    lines = [f"- `{r.run_id}` {r.job}: {r.state}. {r.message}".rstrip() for r in runs]
    markdown = "\n".join(lines) or "No job was ever started in this library."
    return Answer(markdown, {"jobs": [run_result(r) for r in runs]})


TOOL = LibraryTool(
    name="library_job_status",
    title="Follow an ingest",
    description="""
        How far a job that library_ingest started is, and its result once it has ended: counts,
        documents that failed with their codes, the published snapshot. Without a job_id it
        lists the newest jobs.
        """,
    arguments=JobStatusArguments,
    data=JOB_DATA | {"jobs": {"type": "array", "items": {"type": "object"}}},
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
)
