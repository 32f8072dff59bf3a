"""Completions: what a client may offer while a person types an argument."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from mcp_types import (
    CompleteRequestParams,
    CompleteResult,
    Completion,
    ResourceTemplateReference,
)

from mcp_app.off_loop import off_loop
from mcp_app.service import NOTHING_THERE, LibraryService
from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: The protocol's own limit.
MAX_VALUES = 100
#: Arguments of prompts that name a document.
_DOCUMENT_ARGUMENTS = ("document", "first", "second")


async def complete(service: LibraryService, params: CompleteRequestParams) -> CompleteResult:
    """Values for one argument of a prompt or a template; none for an argument it does not know."""
    chosen = (params.context.arguments if params.context else None) or {}
    template = isinstance(params.ref, ResourceTemplateReference)
    name, typed = params.argument.name, params.argument.value
    try:
        found = await off_loop(partial(_complete, service, name, typed, chosen, template))
    except ExcerptaError as exc:
        if exc.code not in (*NOTHING_THERE, ErrorCode.DOCUMENT_NOT_FOUND):
            raise
        found = Completion(values=[])
    return CompleteResult(completion=found)


def _complete(
    service: LibraryService, name: str, typed: str, chosen: dict[str, str], template: bool
) -> Completion:
    catalog = service.snapshot().catalog
    if template and name == "doc_id":
        found = catalog.names_beginning(typed, MAX_VALUES + 1)
        return _completion(item.doc_id for item in found)
    if name in _DOCUMENT_ARGUMENTS:
        found = catalog.names_beginning(typed, MAX_VALUES + 1)
        names = [item.name for item in found]
        return _completion(
            item.name if names.count(item.name) == 1 else item.source_uri for item in found
        )
    if name == "collection":
        return _completion(_beginning(catalog.collections(), typed))
    if name == "tag":
        return _completion(_beginning(catalog.tags(), typed))
    if name == "section" and chosen.get("document"):
        sections = catalog.document_sections(catalog.resolve_document(chosen["document"]))
        paths = dict.fromkeys(section.section_path for section in sections)
        return _completion(path for path in paths if typed.lower() in path.lower())
    if template and name == "variant":
        return _completion(_beginning(("raw", "thumb"), typed))
    if template and name == "asset_id":
        media = (item.asset_id for item in catalog.list_media(limit=1_000))
        return _completion(_beginning(media, typed))
    return Completion(values=[])


def _beginning(values: Iterable[str], typed: str) -> Iterable[str]:
    return (value for value in values if value.lower().startswith(typed.lower()))


def _completion(values: Iterable[str]) -> Completion:
    found = list(values)
    return Completion(values=found[:MAX_VALUES], has_more=len(found) > MAX_VALUES)
