"""``library_ingest``: add files or folders. The work is a Dagster run in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import anyio
import anyio.to_thread
from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_app.envelope import Answer
from mcp_app.ingestion import (
    absolute_path,
    kept_out,
    raise_if_failed,
    register_and_start,
    run_markdown,
    run_result,
)
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments
from rag_query.contracts.ingestion import VersionPolicy
from rag_query.library.home import Home

if TYPE_CHECKING:
    from rag_assets.launch import RunStatus

MAX_PATHS = 100
#: Failed documents that an answer names.
MOST_NAMED = 50
#: Warnings that its text tells; the structured fields have the others too.
MOST_TOLD = 5
MAX_WAIT_S = 60.0
_POLL_S = 0.2


class IngestArguments(ToolArguments):
    paths: list[str] = Field(
        default_factory=list,
        max_length=MAX_PATHS,
        description="Absolute paths of files or folders that this library may read. "
        "Empty: all that was ingested before.",
    )
    collection: str | None = Field(
        None, min_length=1, max_length=200, description="The folder's name by default."
    )
    tags: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        default_factory=list, max_length=50
    )
    retry_failed: bool = Field(
        False,
        description="Try again what failed before, though it is unchanged.",
    )
    policy: VersionPolicy = Field(
        "skip",
        description="Unchanged files: skip, or read each again as a further version.",
    )
    wait_seconds: float = Field(8.0, ge=0, le=MAX_WAIT_S)


async def run(service: LibraryService, arguments: IngestArguments, report: Report) -> Answer:
    """Start a run; answer with its result, or with where it is when it takes longer."""
    started, warnings = await anyio.to_thread.run_sync(partial(_start, service.home, arguments))
    status = await follow(service.home, started, arguments.wait_seconds, report)
    if status.ended:
        raise_if_failed(status)
    return answer_of(status, warnings)


async def follow(home: Home, run_id: str, wait_s: float, report: Report) -> RunStatus:
    """The run's status when it ends or after ``wait_s``; steps are reported as progress."""
    from rag_assets.launch import run_status

    deadline = anyio.current_time() + wait_s
    last = -1.0
    while True:
        status = await anyio.to_thread.run_sync(run_status, home, run_id)
        # Progress must rise with every notification.
        if status.steps_total and status.steps_done > last:
            last = float(status.steps_done)
            await report(last, float(status.steps_total), status.step or status.message)
        remaining = deadline - anyio.current_time()
        if status.ended or remaining <= 0:
            return status
        await anyio.sleep(min(_POLL_S, remaining))


def answer_of(status: RunStatus, warnings: Sequence[str] = ()) -> Answer:
    """A run as a tool's answer, with ``warnings`` beside its own."""
    shown = bounded(status)
    markdown = run_markdown(shown)
    if not status.ended:
        markdown += "\n\nIt goes on; ask library_job_status with this job."
    hidden = len(status.failed_documents) - len(shown.failed_documents)
    if hidden:
        markdown += (
            f"\n\n{hidden} more failed; library_list_documents with status failed names them."
        )
    said = [*warnings, *shown.warnings]
    markdown += "".join(f"\n\n> Note: {each}" for each in said[:MOST_TOLD])
    return Answer(markdown, run_result(shown), said)


def bounded(status: RunStatus) -> RunStatus:
    """The run with as many failed documents and warnings as an answer can hold."""
    return status.model_copy(
        update={
            "failed_documents": status.failed_documents[:MOST_NAMED],
            "warnings": status.warnings[:MOST_NAMED],
        }
    )


def _start(home: Home, arguments: IngestArguments) -> tuple[str, list[str]]:
    """The run that was started, and what a caller should know of it."""
    from rag_query.library.settings import load_settings
    from rag_query.library.sources import allowed_roots, check_allowed, load_sources

    paths = [absolute_path(path) for path in arguments.paths]
    roots = allowed_roots(load_settings(home), load_sources(home))
    for path in paths:
        check_allowed(path, roots)
    handle = register_and_start(
        home,
        paths,
        collection=arguments.collection,
        tags=arguments.tags,
        retry_failed=arguments.retry_failed,
        policy=arguments.policy,
    )
    return handle.run_id, kept_out(home, paths)


_number = {"type": "integer"}
#: A document or file, and why it is not in the library.
_WITH_REASON = {
    "type": "object",
    "properties": {
        "source_uri": {"type": "string"},
        "code": {"type": ["string", "null"]},
        "message": {"type": ["string", "null"]},
    },
}
JOB_DATA = {
    "job_id": {"type": "string"},
    "state": {"type": "string", "enum": ["queued", "running", "success", "failure", "canceled"]},
    "message": {"type": "string"},
    "step": {"type": ["string", "null"]},
    "steps_done": _number,
    "steps_total": _number,
    "counts": {
        "type": "object",
        "description": "documents: added, new_version, unchanged, …; nothing is published before "
        "the state is success",
    },
    "computed": {"type": "integer", "description": "document versions computed anew, by stage"},
    "rows": {"type": "object"},
    "failed_documents": {"type": "array", "items": _WITH_REASON},
    "renamed_documents": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "source_uri": {"type": "string"},
                "renamed_from": {"type": "string"},
            },
        },
    },
    "duplicate_files": {
        "type": "array",
        "description": "the first of them; each is an alias of the document it is the same as",
        "items": {
            "type": "object",
            "properties": {
                "source_uri": {"type": "string"},
                "same_as": {"type": "string"},
            },
        },
    },
    "ignored_files": {
        "type": "array",
        "description": "the first of them, and why",
        "items": _WITH_REASON,
    },
    "warnings": {"type": "array", "items": {"type": "string"}},
    "snapshot": {"type": ["integer", "null"]},
    "seconds": {"type": ["number", "null"]},
    "waits_for": {"type": ["string", "null"]},
    "error": {"type": ["object", "null"]},
}

TOOL = LibraryTool(
    name="library_ingest",
    title="Add documents",
    description="""
        Bring files or folders (Markdown, PDF, HTML, text, JSON lines) into the library and
        publish them. Answers with the result, or after wait_seconds with a job_id for
        library_job_status; the work goes on either way. Files that did not change cost nothing.
        What cannot be read is named with a code and stops nothing else.
        """,
    arguments=IngestArguments,
    data=JOB_DATA,
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
    ),
    run=run,
    place=40,
)
