"""``library_query``: a question, or a whole RetrievalPlan, answered with evidence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from mcp_types import ResourceLink
from pydantic import Field, WithJsonSchema

from mcp_app.budget import end_within, estimated_tokens, fitting, tokens_of
from mcp_app.cursor import decode, digest, encode, refused
from mcp_app.envelope import Answer, fresh_trace_id, resource_link
from mcp_app.off_loop import off_loop
from mcp_app.reading import documents_meant, sections_meant
from mcp_app.resources import MARKDOWN
from mcp_app.service import LibraryService
from mcp_app.tools.base import READS, LibraryTool, Report, ToolArguments, plain_schema
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.filters import Filters
from rag_query.contracts.plan import Mode
from rag_query.text.pictures import asset_uri

if TYPE_CHECKING:
    from rag_query.contracts.evidence import EvidenceItem
    from rag_query.contracts.pack import EvidencePack
    from rag_query.contracts.plan import RetrievalPlan

MAX_TOP_K = 100
_EXAMPLE = 'For example {"query": "How are backups encrypted?"}.'
_MOST_LINKS = 20
#: What stands beside the passages, and what a passage adds to its own text.
_BESIDE_TOKENS, _ITEM_TOKENS = 800, 700
_PACK_LEFT_OUT = "The EvidencePack was too large and is left out; library_explain shows the scores."

#: The filter names of DEV_SPEC 3.3.2, and of other tools, for those of the plan.
_OTHER_NAMES = {
    "doc_id": "document_ids",
    "document_id": "document_ids",
    "tags": "tag_ids",
    "tag": "tag_ids",
    "source": "source_uri_prefix",
    "version_id": "version",
}

#: Field of a plan -> the argument it was given by.
_ARGUMENTS = {
    "`queries[0].text`": "`query`",
    "`budget.top_k`": "`top_k`",
    "`output.max_snippet_chars`": "`max_snippet_chars`",
    "`global_filters": "`filters",
}

_FILTER_SCHEMA = plain_schema(Filters.model_json_schema(mode="serialization")) | {
    "description": "Conditions that must all hold; of a list any value suffices. language: zh, "
    "en or other. time_range: when a document was first seen. version: latest (default), all, or "
    "ver_ ids. section_path: a heading path like A / B, or its last heading, with all below it."
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
    cursor: str | None = Field(
        None, description="next_cursor of the answer before; other arguments as there."
    )


async def run(service: LibraryService, arguments: QueryArguments, _: Report) -> Answer:
    return await off_loop(partial(_ask, service, arguments))


def _ask(service: LibraryService, arguments: QueryArguments) -> Answer:
    from rag_query.retrieval.render import pack_markdown

    plan, unknown = _plan(service, arguments)
    pack = service.answer(plan)
    # The Markdown says its warnings too.
    pack = pack.model_copy(update={"warnings": unknown + pack.warnings})
    offset = _offset(arguments, pack)
    with_pack = arguments.include_pack
    if with_pack is None:
        with_pack = arguments.plan is not None
    shown, pack_fits = _fitting(service, pack, offset, with_pack)
    after = offset + len(shown.evidences)
    cursor = _cursor(arguments, pack, after) if after < len(pack.evidences) else None
    markdown = pack_markdown(shown, offset + 1)
    if cursor:
        markdown += f"\n(More: call again with cursor `{cursor}`.)\n"
    results = [_result(item, rank) for rank, item in enumerate(shown.evidences, offset + 1)]
    if arguments.level != "L2":
        for result in results:
            del result["asset_uris"]
    return Answer(
        markdown,
        {
            "results": results,
            "next_cursor": cursor,
            "effective_mode": _effective_mode(pack),
            "snapshot": pack.explain.snapshot,
            "took_ms": pack.stats.took_ms,
            **({"pack": shown.to_json()} if pack_fits else {}),
        },
        pack.warnings + ([] if pack_fits or not with_pack else [_PACK_LEFT_OUT]),
        pack.explain.trace_id or fresh_trace_id(),
        _links(shown),
    )


def _plan(service: LibraryService, arguments: QueryArguments) -> tuple[RetrievalPlan, list[str]]:
    """The plan, and what its filters name that is not in the library."""
    # These pull in the search libraries, which must not delay `initialize`.
    from rag_query.retrieval.ask import plan_for_question
    from rag_query.retrieval.validation import parse_plan

    if (arguments.plan is None) == (arguments.query is None):
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            "library_query takes either `query` or `plan`.",
            hint=_EXAMPLE,
        )
    if arguments.plan is not None:
        return parse_plan(arguments.plan), []
    if not (arguments.query or "").strip():
        raise ExcerptaError(ErrorCode.INVALID_ARGUMENT, "`query` is empty.", hint=_EXAMPLE)
    filters = _by_the_plans_names(arguments.filters or {})
    unknown: list[str] = []
    if filters.keys() & {"section_path", "document_ids"}:
        catalog = service.snapshot().catalog
        if filters.get("document_ids"):
            filters["document_ids"], unknown = documents_meant(catalog, filters["document_ids"])
        if filters.get("section_path"):
            filters["section_path"] = sections_meant(
                catalog, filters["section_path"], filters.get("document_ids")
            )
    try:
        plan = plan_for_question(
            arguments.query or "",
            arguments.mode,
            arguments.top_k,
            filters,
            max_snippet_chars=arguments.max_snippet_chars,
        )
    except ExcerptaError as exc:
        raise _of_arguments(exc) from exc
    return plan, unknown


def _by_the_plans_names(filters: dict[str, Any]) -> dict[str, Any]:
    """Without those that are null, which filter nothing. Raises ExcerptaError ``INVALID_FILTER``
    for two names of one filter: which of them would hold, nobody knows."""
    named: dict[str, Any] = {}
    for given, value in filters.items():
        if value is None:
            continue
        name = _OTHER_NAMES.get(given, given)
        if name in named:
            raise ExcerptaError(
                ErrorCode.INVALID_FILTER,
                f"`filters.{given}` is another name of a filter that is given as well.",
                hint=f"Put all its values into `{name}`.",
            )
        named[name] = value
    return named


def _of_arguments(error: ExcerptaError) -> ExcerptaError:
    """A plan's error in the words of who gave arguments and no plan."""
    message = error.message
    for field, argument in _ARGUMENTS.items():
        message = message.replace(field, argument)
    return ExcerptaError(error.code, message, hint=error.hint, details=error.details)


def _offset(arguments: QueryArguments, pack: EvidencePack) -> int:
    """Where a cursor says that the answer goes on: the same plan on the same snapshot gives the
    same pack, so its rest can be shown without having been kept."""
    if arguments.cursor is None:
        return 0
    snapshot, mode, asked, offset = decode(arguments.cursor, int, str, str, int)
    if asked != _asked(arguments):
        raise refused()
    changed = None
    if snapshot != pack.explain.snapshot:
        changed = "The library was published anew"
    elif mode != _effective_mode(pack):
        # While the embedder loaded, words alone were searched; the lists have no common rest.
        changed = f"What can be searched by has changed from {mode} to {_effective_mode(pack)}"
    if changed:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"{changed} since that cursor was given.",
            hint="Ask again without it.",
        )
    return int(offset)


def _cursor(arguments: QueryArguments, pack: EvidencePack, offset: int) -> str:
    return encode(pack.explain.snapshot or 0, _effective_mode(pack), _asked(arguments), offset)


def _asked(arguments: QueryArguments) -> str:
    names = ("query", "mode", "top_k", "filters", "max_snippet_chars", "plan")
    return digest({name: getattr(arguments, name) for name in names})


def _fitting(
    service: LibraryService, pack: EvidencePack, offset: int, with_pack: bool
) -> tuple[EvidencePack, bool]:
    """The evidences from ``offset`` that fit, and whether the pack is shown beside them.

    A passage stands in the Markdown, in its result and, when wanted, in the pack.
    """
    from rag_query.retrieval.render import evidence_markdown

    room = service.options.answer_tokens - _BESIDE_TOKENS - 2 * tokens_of(pack.warnings)
    if with_pack:
        frame = tokens_of(pack.model_copy(update={"evidences": []}).to_json())
        with_pack = frame < room // 2
        room -= frame if with_pack else 0
    copies = 3 if with_pack else 2
    most = max(1, (room - _ITEM_TOKENS * copies) // copies)
    items = [_shortened(item, most) for item in pack.evidences[offset : offset + MAX_TOP_K]]
    costs = (
        estimated_tokens(evidence_markdown(item, 1))
        + tokens_of(_result(item, 1))
        + (tokens_of(item.model_dump(mode="json")) if with_pack else 0)
        for item in items
    )
    fits = min(len(items), max(1, fitting(costs, room)))
    return pack.model_copy(update={"evidences": items[:fits]}), with_pack


def _shortened(item: EvidenceItem, tokens: int) -> EvidenceItem:
    end = end_within(item.snippet or "", 0, tokens)
    if item.snippet is None or end == len(item.snippet):
        return item
    return item.model_copy(update={"snippet": item.snippet[:end] + " …"})


def _links(pack: EvidencePack) -> list[ResourceLink]:
    """The documents of the evidences and their images, each once."""
    names: dict[str, tuple[str, str | None]] = {}
    for item in pack.evidences:
        title = item.title or item.source_uri
        # A document's link opens its newest text.
        older = item.metadata.is_latest is False
        uri = f"chunk://{item.id}" if older else f"document://{item.document_id}"
        names.setdefault(uri, (title, MARKDOWN))
        for asset in item.metadata.asset_ids:
            names.setdefault(asset_uri(asset), (f"Image in {title}", None))
    return [
        resource_link(uri, name, mime) for uri, (name, mime) in list(names.items())[:_MOST_LINKS]
    ]


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
        "chunk_id": item.id,
        "text_snippet": item.snippet,
        "score": signals.fused_score if signals.rerank_score is None else signals.rerank_score,
        "citation": {key: value for key, value in citation.items() if value is not None},
        "asset_ids": where.asset_ids,
        "asset_uris": [asset_uri(asset) for asset in where.asset_ids],
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
        "next_cursor": {"type": ["string", "null"], "description": "for the passages left out"},
        "effective_mode": {
            "type": "string",
            "description": "what ran: hybrid, dense_only, sparse_only or mixed",
        },
        "snapshot": {"type": ["integer", "null"], "description": "the library's state"},
        "took_ms": {"type": "number"},
        "pack": {"type": "object", "description": "EvidencePack v0.1"},
    },
    annotations=READS,
    run=run,
    place=10,
)
