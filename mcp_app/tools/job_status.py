"""``library_job_status``: how far an ingest is."""

from __future__ import annotations

from functools import partial

from pydantic import Field

from mcp_app.envelope import Answer
from mcp_app.ingestion import among_others, run_result
from mcp_app.off_loop import off_loop
from mcp_app.service import LibraryService
from mcp_app.tools.base import READS, LibraryTool, Report, ToolArguments
from mcp_app.tools.ingest import JOB_DATA, MAX_WAIT_S, answer_of, follow

_RECENT = 10


class JobStatusArguments(ToolArguments):
    job_id: str | None = Field(
        None, min_length=1, max_length=200, description="None: the newest jobs of the library."
    )
    wait_seconds: float = Field(
        0.0,
        ge=0,
        le=MAX_WAIT_S,
        description="Wait so long for the job (or the newest) to end.",
    )


async def run(service: LibraryService, arguments: JobStatusArguments, report: Report) -> Answer:
    if arguments.job_id is None:
        newest = await off_loop(partial(_newest, service))
        if newest is not None and arguments.wait_seconds:
            await follow(service.home, newest, arguments.wait_seconds, report)
        return await off_loop(partial(_recent, service))
    status = await follow(service.home, arguments.job_id, arguments.wait_seconds, report)
    return answer_of(status)


def _newest(service: LibraryService) -> str | None:
    """The id of the newest job; None when there was never one."""
    from rag_assets.launch import list_runs

    return next((run.run_id for run in list_runs(service.home)), None)


def _recent(service: LibraryService) -> Answer:
    from rag_assets.launch import list_runs
    from rag_query.library.settings import load_settings

    load_settings(service.home)
    runs = list_runs(service.home)[:_RECENT]
    lines = [f"- `{r.run_id}` {r.job}: {r.state}. {r.message}".rstrip() for r in runs]
    markdown = "\n".join(lines) or "No job was ever started in this library."
    return Answer(markdown, {"jobs": [among_others(run_result(run)) for run in runs]})


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
    annotations=READS,
    run=run,
    place=41,
)
