"""``library_summarize_document``: the sentences that stand for a document, each cited."""

from __future__ import annotations

from functools import partial
from typing import Literal

from pydantic import AliasChoices, Field

from mcp_app.envelope import Answer, resource_link
from mcp_app.off_loop import off_loop
from mcp_app.reading import heading, range_of, readable_version
from mcp_app.resources import MARKDOWN
from mcp_app.service import LibraryService
from mcp_app.summary import SUMMARY_SCHEMA, summary_of
from mcp_app.tools.base import READS, LibraryTool, Report, ToolArguments


class SummarizeArguments(ToolArguments):
    document_id: str = Field(
        min_length=1,
        validation_alias=AliasChoices("document_id", "doc_id"),
        description="doc_id of a citation or list; a source URI or file name works.",
    )
    style: Literal["short", "bullet", "detailed"] = Field(
        "short",
        description="short: three sentences. bullet: seven points. detailed: every section.",
    )
    section: str | None = Field(None, description="Only this section: its path (A / B) or id.")
    version_id: str | None = Field(None, description="Id or number of an older version.")


async def run(service: LibraryService, arguments: SummarizeArguments, _: Report) -> Answer:
    return await off_loop(partial(_summarize, service, arguments))


def _summarize(service: LibraryService, arguments: SummarizeArguments) -> Answer:
    snapshot = service.snapshot()
    detail, version = readable_version(
        snapshot.catalog, arguments.document_id, arguments.version_id
    )
    wanted = range_of(snapshot.catalog, detail.doc_id, version, arguments.section)
    text, fields = summary_of(snapshot, detail.doc_id, version, arguments.style, wanted)
    return Answer(
        f"{heading(detail)}\n\n{text}",
        {"doc_id": detail.doc_id, "version_id": version, "title": detail.title, "summary": fields},
        [] if fields["sentences"] else ["The document holds no prose to summarise."],
        beside=[resource_link(f"document://{detail.doc_id}", detail.title, MARKDOWN)],
    )


TOOL = LibraryTool(
    name="library_summarize_document",
    title="Summarise a document",
    description="""
        What a document, or one of its sections, says in short: its own most telling sentences,
        each with the passage it stands in; no language model is asked. Use it to decide whether
        a document is worth reading. For its whole text use library_get_document; for the answer
        to a question use library_query.
        """,
    arguments=SummarizeArguments,
    data={
        "doc_id": {"type": "string"},
        "version_id": {"type": "string"},
        "title": {"type": "string"},
        "summary": SUMMARY_SCHEMA,
    },
    annotations=READS,
    run=run,
    place=21,
)
