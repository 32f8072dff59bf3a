"""``search``: the name and shape research clients expect of a search tool.

OpenAI's deep research and connectors call ``search`` with a query and then ``fetch`` with an id,
and read exactly the fields ``results[].id/title/url`` from the text's JSON.
"""

from __future__ import annotations

from functools import partial

from pydantic import Field

from mcp_app.budget import fitting, tokens_of
from mcp_app.envelope import Answer
from mcp_app.off_loop import off_loop
from mcp_app.service import LibraryService
from mcp_app.tools.base import READS, BareArguments, LibraryTool, Report

_TOP_K = 10


class SearchArguments(BareArguments):
    query: str = Field(min_length=1, description="The question or search words, in any language.")


async def run(service: LibraryService, arguments: SearchArguments, _: Report) -> Answer:
    return await off_loop(partial(_search, service, arguments.query))


def _search(service: LibraryService, query: str) -> Answer:
    from rag_query.retrieval.ask import plan_for_question
    from rag_query.retrieval.render import readable

    pack = service.answer(plan_for_question(query, "hybrid", _TOP_K), by_words=False)
    results = [
        {
            "id": item.id,
            "title": " · ".join(filter(None, (item.title, item.metadata.section_path))),
            "text": readable(item.snippet or ""),
            "url": f"chunk://{item.id}",
        }
        for item in pack.evidences
    ]
    # The text is written twice, as JSON and as fields.
    fits = fitting((2 * tokens_of(item) for item in results), service.options.answer_tokens)
    return Answer("", {"results": results[: max(1, fits)]})


TOOL = LibraryTool(
    name="search",
    title="Search",
    description="""
        Search the library's documents. Returns passages with an id, a title and a url; pass an id
        to fetch for the section it stands in.
        """,
    arguments=SearchArguments,
    data={
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "title": {"type": "string"},
                    "text": {"type": "string"},
                    "url": {"type": "string"},
                },
            },
        }
    },
    annotations=READS,
    run=run,
    place=90,
    for_research=True,
)
