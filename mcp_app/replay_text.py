"""A replayed conversation for a reader, on the command line and over MCP."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag_query.contracts.answer import Replay, ReplayedTurn


def replay_markdown(found: Replay) -> str:
    """A replay for a reader."""
    return "\n".join([replay_head(found), *map(replayed_turn, found.turns)])


def replay_head(found: Replay) -> str:
    """Its first line."""
    head = "equals its record" if found.equal else "differs from its record"
    return f"**Conversation** `{found.session_id}` {head}."


def replayed_turn(turn: ReplayedTurn) -> str:
    """One turn, and what differs from its record."""
    recorded = turn.recorded
    lines = ["", f"### {recorded.turn}. {recorded.asked or recorded.status}", ""]
    lines.append(f"{recorded.status}")
    lines += [f"- {line}" for line in turn.explanation]
    lines += [f"- **differs: {difference.what}**" for difference in turn.differences]
    return "\n".join(lines)
