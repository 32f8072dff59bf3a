"""``fetch``: the text behind an id of ``search``, in the shape research clients expect."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import Field

from mcp_app.budget import end_within
from mcp_app.envelope import Answer
from mcp_app.off_loop import off_loop
from mcp_app.reading import Range, passage, piece, readable_version, text_of_range
from mcp_app.service import LibraryService
from mcp_app.tools.base import READS, BareArguments, LibraryTool, Report
from rag_query.text.ids import CHUNK_PREFIX

_BESIDE_TOKENS = 400


class FetchArguments(BareArguments):
    id: str = Field(
        min_length=1, max_length=500, description="An id that search gave, or a doc_id."
    )


async def run(service: LibraryService, arguments: FetchArguments, _: Report) -> Answer:
    return await off_loop(partial(_fetch, service, arguments.id))


def _fetch(service: LibraryService, wanted: str) -> Answer:
    snapshot = service.snapshot()
    metadata: dict[str, Any] = {}
    section, document, version_id = None, wanted, None
    if wanted.startswith(CHUNK_PREFIX):
        found = passage(snapshot, wanted)
        section, document, version_id = found.section_id, found.doc_id, found.version_id
        metadata["section"] = found.section_path
        if found.page_start is not None:
            metadata["page"] = found.page_start
    detail, version = readable_version(snapshot.catalog, document, version_id)
    text = text_of_range(snapshot.catalog, detail.doc_id, version, Range(section))
    # The text is written twice, as JSON and as fields.
    room = (service.options.answer_tokens - _BESIDE_TOKENS) * 9 // 20
    shown, rest = piece(text, 0, max(1, end_within(text, 0, room)))
    metadata |= {"doc_id": detail.doc_id, "source_uri": detail.source_uri}
    if rest is not None:
        metadata["continues"] = True
    url = f"chunk://{wanted}" if section else f"document://{detail.doc_id}"
    fields = {"id": wanted, "title": detail.title, "text": shown, "url": url}
    return Answer("", fields | {"metadata": metadata})


TOOL = LibraryTool(
    name="fetch",
    title="Fetch a passage's section",
    description="""
        The section that holds a passage search found, or the beginning of a whole document by its
        doc_id.
        """,
    arguments=FetchArguments,
    data={
        "id": {"type": "string"},
        "title": {"type": "string"},
        "text": {"type": "string"},
        "url": {"type": "string"},
        "metadata": {"type": "object"},
    },
    annotations=READS,
    run=run,
    place=91,
    for_research=True,
)
