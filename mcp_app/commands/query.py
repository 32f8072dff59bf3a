"""``excerpta query``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    print_json,
    resolve_home,
    warn,
)

if TYPE_CHECKING:
    from rag_query.contracts.errors import ExcerptaError
    from rag_query.contracts.plan import RetrievalPlan
    from rag_query.retrieval.pipeline import Retriever


@command
def query(
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="The question.")] = None,
    *,
    mode: Annotated[
        Literal["exact", "semantic", "hybrid", "relational", "associative"],
        typer.Option(help="By words, by meaning, or both."),
    ] = "hybrid",
    top_k: Annotated[
        int | None, typer.Option("--top-k", "-k", help="Passages wanted. [default: 10]")
    ] = None,
    collection: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this collection; repeatable.")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="Only documents with this tag; repeatable."),
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="zh, en or other; repeatable.")
    ] = None,
    document: Annotated[
        list[str] | None, typer.Option(metavar="DOC", help="Only this document; repeatable.")
    ] = None,
    section: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help='Only below this heading ("A / B").')
    ] = None,
    snippet_chars: Annotated[int | None, typer.Option(help="Longest text of a passage.")] = None,
    plan: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A RetrievalPlan in JSON instead; - is stdin."),
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the passages that answer a question."""
    from rag_query.contracts.errors import ErrorCode, ExcerptaError
    from rag_query.retrieval.ask import plan_for_question
    from rag_query.retrieval.open import open_retriever

    if (text is None) == (plan is None):
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            "Give either a question or --plan FILE.",
            hint='For example: excerpta query "How are backups encrypted?"',
        )
    with open_retriever(resolve_home(home)) as retriever:
        if plan is not None:
            asked = _read_plan(plan)
        else:
            filters = {"collection": collection, "tag_ids": tag, "language": language}
            filters |= _named_parts(retriever, document, section)
            try:
                asked = plan_for_question(
                    text or "",
                    mode,
                    top_k,
                    {name: value for name, value in filters.items() if value},
                    max_snippet_chars=snippet_chars,
                )
            except ExcerptaError as exc:
                raise _of_options(exc) from exc
        pack = retriever.run(asked)
    if as_json:
        print_json(pack.to_json())
        return
    from mcp_app.commands.evidence_view import show_pack

    show_pack(console(), pack, [each.text for each in asked.queries])
    for warning in pack.warnings:
        warn(warning)


def _named_parts(
    retriever: Retriever, documents: list[str] | None, sections: list[str] | None
) -> dict[str, list[str] | None]:
    """The filters that documents and sections named by a person make."""
    from mcp_app.reading import sections_meant

    if not (documents or sections):
        return {}
    catalog = retriever.library.snapshot().catalog
    doc_ids = [catalog.resolve_document(name) for name in documents or ()]
    return {
        "document_ids": doc_ids,
        "section_path": sections_meant(catalog, sections, doc_ids),
    }


#: Field of a plan -> the option or argument it was given by.
_OPTIONS = {
    "budget.top_k": "--top-k",
    "output.max_snippet_chars": "--snippet-chars",
    "queries[0].text": "TEXT",
    "global_filters.section_path": "--section",
    "global_filters.language": "--language",
    "global_filters.collection": "--collection",
    "global_filters.tag_ids": "--tag",
}


def _of_options(error: ExcerptaError) -> ExcerptaError:
    """A plan's error in the words of who gave options and no plan."""
    from rag_query.contracts.errors import ExcerptaError

    message = error.message
    for field, option in _OPTIONS.items():
        message = message.replace(f"`{field}`", f"{option} (`{field}`)")
    return ExcerptaError(error.code, message, hint=error.hint, details=error.details)


def _read_plan(name: str) -> RetrievalPlan:
    from rag_query.contracts.errors import ErrorCode, ExcerptaError
    from rag_query.retrieval.validation import parse_plan

    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        return parse_plan(json.loads(text))
    except FileNotFoundError:
        raise ExcerptaError(ErrorCode.PATH_NOT_FOUND, f"There is no file {name!r}.") from None
    except ValueError as exc:
        raise ExcerptaError(
            ErrorCode.INVALID_PLAN,
            f"The plan is not JSON: {exc}.",
            hint="docs/plans has a plan for each mode.",
        ) from exc
