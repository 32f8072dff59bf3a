"""``library_status``: what the library holds and how it is."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from mcp_types import ToolAnnotations

from mcp_app.envelope import Answer
from mcp_app.library_state import library_state
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments


class StatusArguments(ToolArguments):
    pass


async def run(service: LibraryService, _: StatusArguments, _report: Report) -> Answer:
    return await anyio.to_thread.run_sync(_read, service)


def _read(service: LibraryService) -> Answer:
    state = library_state(service.home)
    state["published_at"] = _moment(state["published_at"])
    for item in state["runs"]:
        item["submitted_at"] = _moment(item["submitted_at"])
    warnings = [] if state["snapshot"] is not None else ["Nothing has been published yet."]
    return Answer(_markdown(state), state, warnings)


def _moment(moment: Any) -> str | None:
    return moment.isoformat(timespec="seconds") if moment is not None else None


def _markdown(state: dict[str, Any]) -> str:
    lines = [f"**Library** `{state['library_id']}`, strategy {state['strategy']}"]
    if state["snapshot"] is None:
        lines.append("Nothing has been published yet; library_ingest adds documents.")
    else:
        lines.append(f"Snapshot {state['snapshot']}, published {state['published_at']}.")
        lines.append(f"Embedder: {state['embedder'] or 'none'}.")
        lines.append("\nIt holds:")
        lines += [f"- {name.replace('_', ' ')}: {n}" for name, n in state["counts"].items()]
    if state["collections"]:
        named = ", ".join(f"{name} ({n})" for name, n in state["collections"].items())
        lines.append(f"\nCollections: {named}.")
    if state["deleted"]:
        lines.append(f"Kept out because they were deleted: {state['deleted']} names.")
    if state["runs"]:
        lines.append("\nLast jobs, newest first:")
        lines += [
            f"- `{item['job_id']}` {item['job']}, {item['submitted_at']}: {item['state']}. "
            f"{item['message'] or ''}".rstrip()
            for item in state["runs"]
        ]
    return "\n".join(lines)


_counts = {"type": "object", "additionalProperties": {"type": "integer"}}

TOOL = LibraryTool(
    name="library_status",
    title="How the library is",
    description="""
        What is published (snapshot number and time), how many documents, sections and chunks it
        holds, its collections, the embedder, and the last jobs. Use it to learn whether there is
        anything to ask or why new files are missing; library_list_documents names the documents.
        """,
    arguments=StatusArguments,
    data={
        "library_id": {"type": "string"},
        "strategy": {"type": "string"},
        "shards": {"type": "integer"},
        "snapshot": {"type": ["integer", "null"]},
        "published_at": {"type": ["string", "null"]},
        "embedder": {"type": ["string", "null"]},
        "counts": _counts,
        "collections": _counts,
        "sources": {"type": "array", "items": {"type": "string"}},
        "deleted": {"type": "integer"},
        "runs": {"type": "array", "items": {"type": "object"}},
    },
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
)
