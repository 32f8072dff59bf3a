"""``library_query``: a question, or a whole RetrievalPlan, answered with evidence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import anyio.to_thread
from mcp_types import ToolAnnotations
from pydantic import Field, WithJsonSchema

from mcp_app.envelope import Answer, fresh_trace_id
from mcp_app.service import LibraryService
from mcp_app.tools.base import LibraryTool, Report, ToolArguments, plain_schema
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.plan import Filters, Mode

if TYPE_CHECKING:
    from rag_query.contracts.evidence import EvidenceItem, EvidencePack

MAX_TOP_K = 100

#: The filter names of DEV_SPEC 3.3.2 for those of the plan.
_SPECIFIED_NAMES = {
    "doc_id": "document_ids",
    "tags": "tag_ids",
    "source": "source_uri_prefix",
    "version_id": "version",
}

_FILTER_SCHEMA = plain_schema(Filters.model_json_schema(mode="serialization")) | {
    "description": "Conditions that must all hold; of a list any value suffices. language: zh, "
    "en or other. time_range: when a document was first seen. version: latest (default), all, or "
    "ver_ ids. section_path: a heading path like A / B with all below it. page_range: pages."
}
# Validated with the plan, whose messages name the nearest known filter.
FilterObject = Annotated[dict[str, Any], WithJsonSchema(_FILTER_SCHEMA)]
PlanObject = Annotated[dict[str, Any], WithJsonSchema({"type": "object"})]


class QueryArguments(ToolArguments):
    query: str | None = Field(None, description="The question or search words, in any language.")
    mode: Mode = Field(
        "hybrid",
        description="hybrid (default): words and meaning. exact: words, names, codes, "
        '"phrases", +required, -excluded. semantic: meaning only.',
    )
    top_k: int = Field(10, ge=1, le=MAX_TOP_K, description="Passages wanted.")
    filters: FilterObject | None = None
    max_snippet_chars: int | None = Field(
        None, ge=1, le=20_000, description="Longest text of a passage; 800 by default."
    )
    plan: PlanObject | None = Field(
        None,
        description="A whole RetrievalPlan v0.1 instead of everything above, for several "
        'queries at once: {"version": "0.1", "queries": [{"text": …, "mode": …, "weight": …}], '
        '"global_filters": {…}, "budget": {"top_k": …, "diversity": {"by_document": …}}}.',
    )
    include_pack: bool | None = Field(
        None,
        description="Also return the whole EvidencePack with every score and explanation as "
        "data.pack; default only when a plan was given.",
    )


async def run(service: LibraryService, arguments: QueryArguments, _: Report) -> Answer:
    """Ask off the event loop; an abandoned question ends in its thread."""
    return await anyio.to_thread.run_sync(partial(_ask, service, arguments), abandon_on_cancel=True)


def _ask(service: LibraryService, arguments: QueryArguments) -> Answer:
    # These pull in the search libraries, which must not delay `initialize`.
    from rag_query.retrieval.ask import plan_for_question
    from rag_query.retrieval.render import pack_markdown
    from rag_query.retrieval.validation import parse_plan

    if (arguments.plan is None) == (arguments.query is None):
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            "library_query takes either `query` or `plan`.",
            hint='For example {"query": "How are backups encrypted?"}.',
        )
    if arguments.plan is not None:
        plan = parse_plan(arguments.plan)
    else:
        plan = plan_for_question(
            arguments.query or "",
            arguments.mode,
            arguments.top_k,
            {_SPECIFIED_NAMES.get(k, k): v for k, v in (arguments.filters or {}).items()},
            max_snippet_chars=arguments.max_snippet_chars,
        )
    pack = service.answer(plan)
    with_pack = arguments.include_pack
    if with_pack is None:
        with_pack = arguments.plan is not None
    return Answer(
        pack_markdown(pack),
        {
            "results": [_result(item, rank) for rank, item in enumerate(pack.evidences, 1)],
            "effective_mode": _effective_mode(pack),
            "snapshot": pack.explain.snapshot,
            "took_ms": pack.stats.took_ms,
            **({"pack": pack.to_json()} if with_pack else {}),
        },
        pack.warnings,
        pack.explain.trace_id or fresh_trace_id(),
    )


def _effective_mode(pack: EvidencePack) -> str:
    modes = {query.retrieval_mode_effective for query in pack.explain.queries}
    return modes.pop() if len(modes) == 1 else "mixed"


def _result(item: EvidenceItem, rank: int) -> dict[str, Any]:
    """DEV_SPEC 3.3.2: chunk, snippet, citation, assets; unknown fields are left out."""
    where, signals = item.metadata, item.signals
    citation = {
        "doc_id": item.document_id,
        "version_id": where.version_id,
        "title": item.title,
        "section_path": where.section_path,
        "page_range": _range(where.page, where.page_end),
        "line_range": _range(where.line_start, where.line_end),
        "source_uri": item.source_uri,
        "external_id": where.external_id,
    }
    return {
        "rank": rank,
        "chunk_id": item.chunk_id,
        "text_snippet": item.snippet,
        "score": signals.fused_score if signals.rerank_score is None else signals.rerank_score,
        "citation": {key: value for key, value in citation.items() if value is not None},
        "asset_ids": where.asset_ids,
        "asset_uris": [f"asset://{asset}" for asset in where.asset_ids],
    }


def _range(first: int | None, last: int | None) -> list[int] | None:
    return None if first is None else [first, last or first]


TOOL = LibraryTool(
    name="library_query",
    title="Search the library",
    description="""
        Find passages that answer a question, each with its document, section, page and text.
        Use this first for anything the library's documents may know; cite what you use by its
        number, title and page. For a list of documents use library_list_documents; to read on
        around a passage use library_get_document with its doc_id.
        """,
    arguments=QueryArguments,
    data={
        "results": {
            "type": "array",
            "description": "passages, best first",
            "items": {
                "type": "object",
                "required": ["rank", "chunk_id", "text_snippet", "citation"],
                "properties": {
                    "rank": {"type": "integer"},
                    "chunk_id": {"type": "string"},
                    "text_snippet": {"type": "string"},
                    "score": {"type": ["number", "null"]},
                    "citation": {"type": "object"},
                    "asset_ids": {"type": "array", "items": {"type": "string"}},
                    "asset_uris": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
        "effective_mode": {
            "type": "string",
            "description": "what ran: hybrid, dense_only, sparse_only or mixed",
        },
        "snapshot": {"type": ["integer", "null"], "description": "the library's state"},
        "took_ms": {"type": "number"},
        "pack": {"type": "object", "description": "EvidencePack v0.1"},
    },
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    run=run,
)
