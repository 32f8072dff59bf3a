"""``library_status``: what the library holds and how it is."""

from __future__ import annotations

from functools import partial
from typing import Any

from mcp_app.envelope import Answer
from mcp_app.ingestion import among_others
from mcp_app.library_state import count_label, library_state, purge_notice
from mcp_app.off_loop import off_loop
from mcp_app.service import LibraryService
from mcp_app.tools.base import READS, LibraryTool, Report, ToolArguments

_MOST_NAMES = 100


class StatusArguments(ToolArguments):
    pass


async def run(service: LibraryService, _: StatusArguments, _report: Report) -> Answer:
    return await off_loop(partial(_read, service))


def _read(service: LibraryService) -> Answer:
    state = library_state(service.home)
    state["published_at"] = _moment(state["published_at"])
    for item in state["runs"]:
        item["submitted_at"] = _moment(item["submitted_at"])
    collections = state["collections"]
    state["collections_total"] = len(collections)
    largest = sorted(collections, key=lambda name: (-collections[name], name))[:_MOST_NAMES]
    state["collections"] = {name: collections[name] for name in largest}
    state["sources"] = state["sources"][:_MOST_NAMES]
    state["runs"] = [among_others(item) for item in state["runs"]]
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
        lines += [f"- {count_label(name)}: {n}" for name, n in state["counts"].items()]
    if state["collections"]:
        named = ", ".join(f"{name} ({n})" for name, n in state["collections"].items())
        hidden = state["collections_total"] - len(state["collections"])
        more = f" and {hidden} more; library_list_documents groups by them" if hidden else ""
        lines.append(f"\nCollections: {named}{more}.")
    if state["deleted"]:
        lines.append(f"Kept out because they were deleted: {state['deleted']} names.")
    if notice := purge_notice(state):
        lines.append(notice)
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
        "collections_total": {"type": "integer"},
        "sources": {"type": "array", "items": {"type": "string"}},
        "deleted": {"type": "integer", "description": "names that are kept out"},
        "to_purge": {"type": "integer", "description": "names whose hard deletion is not done"},
        "runs": {"type": "array", "items": {"type": "object"}},
    },
    annotations=READS,
    run=run,
    place=31,
)
