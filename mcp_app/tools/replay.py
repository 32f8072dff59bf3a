"""``library_replay``: a conversation once more, with where each step came from."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_app.budget import estimated_tokens, tokens_of
from mcp_app.conversation_size import fitted
from mcp_app.cursor import decode, encode, refused
from mcp_app.envelope import Answer
from mcp_app.off_loop import off_loop
from mcp_app.replay_text import replay_head, replayed_turn
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments

if TYPE_CHECKING:
    from rag_query.contracts.answer import ReplayedTurn

#: The head, the cursor and warnings.
_BESIDE_TOKENS = 1_200
_SHORTENED = "It is larger than an answer; `excerpta ask --replay SESSION --json` shows all of it."


class ReplayArguments(ToolArguments):
    session_id: str = Field(description="Of the conversation to replay.")
    cursor: str | None = Field(None, description="next_cursor, for the turns left out.")


async def run(service: LibraryService, arguments: ReplayArguments, _: Report) -> Answer:
    return await off_loop(partial(_replay, service, arguments))


def _replay(service: LibraryService, arguments: ReplayArguments) -> Answer:
    from rag_query.generation.conversation.replay import replay

    session_id = arguments.session_id
    asked, offset = decode(arguments.cursor, str, int) if arguments.cursor else (session_id, 0)
    if asked != session_id:
        raise refused()
    found = replay(service.asker(), session_id)
    room = service.options.answer_tokens - _BESIDE_TOKENS
    lines, turns, warnings = [replay_head(found)], list[dict[str, Any]](), list[str]()
    for turn in found.turns[offset:]:
        text, fields, left_out = _fitted(turn, service.options.answer_tokens - _BESIDE_TOKENS)
        room -= estimated_tokens(text) + tokens_of(fields)
        if room < 0 and turns:
            break
        lines.append(text)
        turns.append(fields)
        warnings += [f"Turn {turn.recorded.turn}: {what}" for what in left_out]
    after = offset + len(turns)
    cursor = encode(session_id, after) if after < len(found.turns) else None
    if cursor:
        lines.append(f"\n(More: call again with cursor `{cursor}`.)")
    data = {
        "session_id": session_id,
        "equal": found.equal,
        "turns": turns,
        "turns_total": len(found.turns),
        "next_cursor": cursor,
    }
    return Answer("\n".join(lines), data, warnings)


def _fitted(turn: ReplayedTurn, tokens: int) -> tuple[str, dict[str, Any], list[str]]:
    """A turn for a reader and as fields; only a turn larger than an answer is shortened."""
    fields = turn.model_dump(mode="json")
    text = replayed_turn(turn)
    if estimated_tokens(text) + tokens_of(fields) <= tokens:
        return text, fields, []
    # The explanation stands in the Markdown; what differs is named there.
    bare = {"explanation": [], "differences": [{"what": d.what} for d in turn.differences]}
    recorded = fields["recorded"]
    room = tokens - estimated_tokens(recorded["text"]) - tokens_of(bare)
    if room < tokens // 2:
        recorded, room = recorded | {"text": ""}, tokens - tokens_of(bare)
    text, recorded, left_out = fitted(text, recorded, room)
    return text, bare | {"recorded": recorded}, [_SHORTENED, *left_out]


TOOL = LibraryTool(
    name="library_replay",
    title="Replay a conversation",
    description="""
        Run a library_ask conversation again on the snapshots it was held on and say, for every
        turn, which document, passages and places each sentence came from, and what differs from
        the record; a long one comes in pages. Use it to check or explain an earlier answer.
        """,
    arguments=ReplayArguments,
    data={
        "session_id": {"type": "string"},
        "equal": {"type": "boolean"},
        "turns": {"type": "array", "items": {"type": "object"}},
        "turns_total": {"type": "integer"},
        "next_cursor": {"type": ["string", "null"]},
    },
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
    place=13,
)
