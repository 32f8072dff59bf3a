"""Reading a document piece by piece: a range of it, cut to a size, with a cursor for the rest.

A cursor names the version and the range it was made for, so that a document read over several calls
stays one text although a newer version was published meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

from mcp_app.budget import end_within, estimated_tokens
from mcp_app.cursor import decode, encode
from mcp_app.outline import heading_spans
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.versions import version_meant
from rag_query.text.ids import DOC_PREFIX
from rag_query.text.section_paths import SEPARATOR, meant_path, paths_ending_in, shown_path

if TYPE_CHECKING:
    from rag_query.contracts.documents import ChunkListing, DocumentDetail, SectionListing
    from rag_query.library.catalog import Catalog
    from rag_query.library.served import ServedChunk
    from rag_query.library.snapshot import Snapshot

#: Sections that one heading may mean. A search takes longer for each.
_MOST_SECTIONS = 100


@dataclass(frozen=True, slots=True)
class Position:
    """Where the next piece begins, and of what: a cursor alone says how to go on.

    Attributes:
        version_id: the version being read.
        offset: characters of the text, or items of a list.
        within: characters of that item that were given before.
        view: of library_get_document.
        section: the section being read; none is the empty text.
        page_from: the first page being read; none is 0.
        page_to: the last one; none is 0.
    """

    version_id: str
    offset: int
    within: int = 0
    view: str = "md"
    section: str = ""
    page_from: int = 0
    page_to: int = 0

    def encode(self) -> str:
        """As an opaque cursor."""
        return encode(*astuple(self))

    @classmethod
    def decode(cls, cursor: str) -> Position:
        """Raises ExcerptaError ``INVALID_ARGUMENT``."""
        return cls(*decode(cursor, str, int, int, str, str, int, int))


@dataclass(frozen=True, slots=True)
class Range:
    """What of a document is wanted.

    Attributes:
        section: a section's path, path prefix or id.
        page_from: first page, 1-based.
        page_to: last page, inclusive.
        spans: instead of a section, what stands below headings that begin none, by characters.
    """

    section: str | None = None
    page_from: int | None = None
    page_to: int | None = None
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def whole(self) -> bool:
        return self.section is None and not self.of_pages

    @property
    def of_pages(self) -> bool:
        return self.page_from is not None or self.page_to is not None

    def holds(self, item: SectionListing | ChunkListing) -> bool:
        """Whether a section or chunk belongs to it. What has no page is on no page."""
        if self.section is not None and not self._in_section(item, self.section):
            return False
        if not self.of_pages:
            return True
        first, last = item.page_start, item.page_end or item.page_start
        if first is None or last is None:
            return False
        return last >= (self.page_from or 1) and (self.page_to is None or first <= self.page_to)

    def _in_section(self, item: SectionListing | ChunkListing, section: str) -> bool:
        if self.spans:
            return any(item.char_start < end and start < item.char_end for start, end in self.spans)
        return section in (item.section_id, item.section_path) or item.section_path.startswith(
            section + SEPARATOR
        )


def range_of(
    catalog: Catalog,
    doc_id: str,
    version_id: str,
    section: str | None,
    *,
    page_from: int | None = None,
    page_to: int | None = None,
) -> Range:
    """The range a caller means; a section's path may be written as results show it, and may be
    that of any heading of the outline.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` when the last page comes before the first, and for a
            bookmark whose place in the text is not known.
    """
    if page_from is not None and page_to is not None and page_to < page_from:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"`page_to` ({page_to}) comes before `page_from` ({page_from}).",
            hint="Both pages belong to the range; give the first as page_from.",
        )
    if section is None:
        return Range(None, page_from, page_to)
    listed = catalog.document_sections(doc_id, version_id)
    path = meant_path(section, (item.section_path for item in listed))
    if path is not None or any(item.section_id == section for item in listed):
        return Range(path or section, page_from, page_to)
    outline = catalog.document_headings(doc_id, version_id)
    end = len(catalog.document_markdown(doc_id, version_id))
    return Range(section, page_from, page_to, heading_spans(section, outline, end))


def sections_meant(catalog: Catalog, values: Any, doc_ids: Any = None) -> Any:
    """Section paths of a filter as they are stored: in these documents, else anywhere in the
    library. A heading without those above it means every section so called, where they are few;
    what is no path of the library, or no text, stays as it is for the plan's own checks."""
    given = [values] if isinstance(values, str) else values
    if not isinstance(given, list):
        return values
    named = doc_ids if isinstance(doc_ids, list) else []
    ids = [name for name in named if isinstance(name, str)]
    places = [catalog.section_paths(ids), *([catalog.section_paths()] if ids else [])]
    return [path for value in given for path in _sections_called(value, places)]


def _sections_called(value: Any, places: Iterable[Sequence[str]]) -> list[Any]:
    """``places``: section paths to look among, the first of them that have such a section."""
    for paths in places if isinstance(value, str) else ():
        if path := meant_path(value, paths):
            return [path]
        called = paths_ending_in(value, paths)
        if 0 < len(called) <= _MOST_SECTIONS:
            return called
    return [value]


def documents_meant(catalog: Catalog, values: Any) -> tuple[Any, list[str]]:
    """Documents of a filter by their ids, where they are called by another name; beside them what
    is said of names that no document has. What is no text stays for the plan's own checks.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` when several documents bear a name.
    """
    given = [values] if isinstance(values, str) else values
    if not isinstance(given, list):
        return values, []
    meant, unknown = [], []
    for value in given:
        try:
            named = isinstance(value, str) and not value.startswith(DOC_PREFIX)
            meant.append(catalog.resolve_document(value) if named else value)
        except ExcerptaError as exc:
            if exc.code is not ErrorCode.DOCUMENT_NOT_FOUND:
                raise
            meant.append(value)
            unknown.append(exc.message)
    return meant, unknown


def pages_told(count: int) -> str:
    return "1 page" if count == 1 else f"{count} pages"


def place_line(path: str, first: int | None, last: int | None) -> str:
    """Where a section or chunk stands: its path and the pages it spans."""
    if first is None:
        return shown_path(path)
    pages = f"page {first}" if last in (None, first) else f"pages {first}-{last}"
    return f"{shown_path(path)} · {pages}"


def passage(snapshot: Snapshot, chunk_id: str) -> ServedChunk:
    """A chunk by its id. Raises ExcerptaError ``CHUNK_NOT_FOUND``."""
    found = snapshot.chunks([chunk_id])
    if not found:
        raise ExcerptaError(
            ErrorCode.CHUNK_NOT_FOUND,
            "There is no such passage in this library.",
            hint="Use a chunk_id that library_query or search gave.",
        )
    return found[0]


def readable_version(
    catalog: Catalog, document: str, version_id: str | None
) -> tuple[DocumentDetail, str]:
    """The document meant, and the version of it that is read.

    Raises:
        ExcerptaError: ``DOCUMENT_NOT_FOUND``, also for one that has no text;
            ``INVALID_ARGUMENT`` when several documents fit.
    """
    detail = catalog.get_document(catalog.resolve_document(document))
    if version_id is not None:
        chosen = version_meant(detail, version_id).version_id
        detail = catalog.get_document(detail.doc_id, chosen)
    return detail, version_with_text(detail)


def version_with_text(detail: DocumentDetail) -> str:
    """The version of a document that is read. Raises ``DOCUMENT_NOT_FOUND`` if it has no text."""
    if detail.version_id is None or (detail.status != "active" and not detail.chunks):
        why = f" ({detail.code}: {detail.message})" if detail.code else ""
        raise ExcerptaError(
            ErrorCode.DOCUMENT_NOT_FOUND,
            f"{detail.title!r} has no text: it is {detail.status}{why}.",
            hint="library_list_documents shows which documents can be read.",
        )
    return detail.version_id


def heading(detail: DocumentDetail) -> str:
    """One line that says which document and version is shown."""
    parts = [f"version {detail.version_no} of {detail.versions}"]
    if detail.pages:
        parts.append(pages_told(detail.pages))
    return f"**{detail.title}** · `{detail.source_uri}` · {' · '.join(parts)} · `{detail.doc_id}`"


def text_of_range(catalog: Catalog, doc_id: str, version_id: str, wanted: Range) -> str:
    """The Markdown of a range.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` when nothing of the document lies in it.
    """
    markdown = catalog.document_markdown(doc_id, version_id)
    if wanted.whole:
        return markdown
    if wanted.spans and not wanted.of_pages:
        return "\n\n".join(markdown[start:end].strip("\n") for start, end in wanted.spans)
    items: Sequence[SectionListing | ChunkListing]
    if not wanted.of_pages:
        items = catalog.document_sections(doc_id, version_id)
    else:
        items = catalog.document_chunks(doc_id, version_id)
    held = require(
        [item for item in items if wanted.holds(item)], catalog, doc_id, version_id, wanted
    )
    return markdown[min(i.char_start for i in held) : max(i.char_end for i in held)]


def require(
    found: list[Any], catalog: Catalog, doc_id: str, version_id: str, wanted: Range
) -> list[Any]:
    """``found``; raises ExcerptaError ``INVALID_ARGUMENT`` when a range holds nothing."""
    if found or wanted.whole:
        return found
    listed = catalog.document_sections(doc_id, version_id)
    paths = list(dict.fromkeys(shown_path(section.section_path) for section in listed))[:20]
    sections = f"Its sections are: {'; '.join(paths)}." if paths else ""
    pages = catalog.get_document(doc_id, version_id).pages
    message, hint = _nothing_there(wanted, pages, sections)
    raise ExcerptaError(ErrorCode.INVALID_ARGUMENT, message, hint=hint)


def _nothing_there(wanted: Range, pages: int | None, sections: str) -> tuple[str, str]:
    """What is wrong with a range that holds nothing, and what to do."""
    if not wanted.of_pages:
        return "The document has no such section.", sections
    if not pages:
        return "The document has no pages.", f"Leave page_from and page_to out. {sections}".strip()
    count = pages_told(pages)
    if (wanted.page_from or 1) > pages:
        return f"The document has {count}.", f"Ask for pages 1 to {pages}."
    if wanted.section is None:
        return "There is no text on those pages.", f"The document has {count}; ask for others."
    return "Nothing of that section lies on those pages.", f"The document has {count}. {sections}"


def piece(text: str, offset: int, max_chars: int) -> tuple[str, int | None]:
    """A piece of a text and where the next one begins; None at the end.

    Cuts at the end of a paragraph, else of a line, when one lies in the second half.
    """
    end = offset + max_chars
    if end >= len(text):
        return text[offset:], None
    for mark in ("\n\n", "\n"):
        at = text.rfind(mark, offset + max_chars // 2, end)
        if at >= 0:
            return text[offset:at], at + len(mark)
    return text[offset:end], end


@dataclass(frozen=True, slots=True)
class Part:
    """A list's item, or as much of its text as fits."""

    index: int
    text: str
    cut: bool


def parts(
    texts: Sequence[str], start: tuple[int, int], room: int, overhead: int, max_chars: int
) -> tuple[list[Part], tuple[int, int] | None]:
    """The next parts of a list of texts, and where the one after them begins.

    Args:
        start: index of the first text, and how much of it was given before.
        room: estimated tokens for all.
        overhead: tokens each item takes besides its text.
        max_chars: characters for all.
    """
    index, within = start
    taken: list[Part] = []
    while index < len(texts):
        text = texts[index][within:]
        fits = end_within(text, 0, max(0, room - overhead))
        if fits < len(text) or len(text) > max_chars or (taken and room < overhead):
            if taken:
                return taken, (index, within)
            shown, following = piece(text, 0, max(1, min(fits, max_chars)))
            taken.append(Part(index, shown, cut=True))
            return taken, (index, within + (following or len(shown)))
        taken.append(Part(index, text, cut=within > 0))
        room -= overhead + estimated_tokens(text)
        max_chars -= len(text)
        index, within = index + 1, 0
    return taken, None
