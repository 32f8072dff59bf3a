"""``library_release``: let a conversation ask the whole library again."""

from __future__ import annotations

from functools import partial

from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_app.envelope import Answer
from mcp_app.off_loop import off_loop
from mcp_app.service import LibraryService
from mcp_app.tools.ask import ANSWER_DATA, shown
from mcp_app.tools.base import LibraryTool, Report, ToolArguments


class ReleaseArguments(ToolArguments):
    session_id: str = Field(description="Of the conversation whose document is to be released.")


async def run(service: LibraryService, arguments: ReleaseArguments, _: Report) -> Answer:
    return await off_loop(partial(_release, service, arguments.session_id))


def _release(service: LibraryService, session_id: str) -> Answer:
    return shown(service, service.asker(looks=False).release(session_id))


TOOL = LibraryTool(
    name="library_release",
    title="Release the locked document",
    description="""
        Release the document a library_ask conversation is locked to, so that its next question
        asks the whole library. Use it when the user changes the subject or wants another document.
        """,
    arguments=ReleaseArguments,
    data=ANSWER_DATA,
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
    place=12,
)
