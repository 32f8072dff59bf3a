"""``library_replay``: a conversation once more, with where each step came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread
from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_app.envelope import Answer
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments

if TYPE_CHECKING:
    from rag_query.contracts.answer import Replay


class ReplayArguments(ToolArguments):
    session_id: str = Field(description="Of the conversation to replay.")


async def run(service: LibraryService, arguments: ReplayArguments, _: Report) -> Answer:
    return await anyio.to_thread.run_sync(_replay, service, arguments.session_id)


def _replay(service: LibraryService, session_id: str) -> Answer:
    from rag_query.generation.replay import replay

    found = replay(service.asker(), session_id)
    return Answer(replay_markdown(found), found.model_dump(mode="json"))


def replay_markdown(found: Replay) -> str:
    """A replay for a reader."""
    head = "equals its record" if found.equal else "differs from its record"
    lines = [f"**Conversation** `{found.session_id}` {head}."]
    for turn in found.turns:
        recorded = turn.recorded
        lines += ["", f"### {recorded.turn}. {recorded.asked or recorded.status}", ""]
        lines.append(f"{recorded.status}")
        lines += [f"- {line}" for line in turn.explanation]
        for difference in turn.differences:
            lines.append(f"- **differs: {difference.what}**")
    return "\n".join(lines)


TOOL = LibraryTool(
    name="library_replay",
    title="Replay a conversation",
    description="""
        Run a library_ask conversation again on the snapshots it was held on and say, for every
        turn, which document, passages and places each sentence came from, and what differs from
        the record. Use it to check or explain an earlier answer.
        """,
    arguments=ReplayArguments,
    data={
        "session_id": {"type": "string"},
        "equal": {"type": "boolean"},
        "turns": {"type": "array", "items": {"type": "object"}},
    },
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
    place=13,
)
