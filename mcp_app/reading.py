"""Reading a document piece by piece: a range of it, cut to a size, with a cursor for the rest.

A cursor names the version it was made for, so that a document read over several calls stays one
text although a newer version was published meanwhile.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError

if TYPE_CHECKING:
    from rag_query.contracts.documents import ChunkListing, SectionListing
    from rag_query.library.catalog import Catalog

PATH_SEPARATOR = " / "


@dataclass(frozen=True, slots=True)
class Position:
    """Where the next piece begins: characters of the Markdown, or items of a list."""

    version_id: str
    offset: int

    def encode(self) -> str:
        """As an opaque cursor."""
        packed = json.dumps([self.version_id, self.offset]).encode()
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @classmethod
    def decode(cls, cursor: str) -> Position:
        """Raises ExcerptaError ``INVALID_ARGUMENT``."""
        try:
            padded = cursor + "=" * (-len(cursor) % 4)
            version, offset = json.loads(base64.urlsafe_b64decode(padded))
            if isinstance(version, str) and isinstance(offset, int) and offset >= 0:
                return cls(version, offset)
        except (ValueError, binascii.Error, TypeError):
            pass
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            "`cursor` is not one that this tool gave.",
            hint="Leave it out to begin at the start.",
        )


@dataclass(frozen=True, slots=True)
class Range:
    """What of a document is wanted.

    Attributes:
        section: a section's path, path prefix or id.
        page_from: first page, 1-based.
        page_to: last page, inclusive.
    """

    section: str | None = None
    page_from: int | None = None
    page_to: int | None = None

    @property
    def whole(self) -> bool:
        return self.section is None and self.page_from is None and self.page_to is None

    def holds(self, item: SectionListing | ChunkListing) -> bool:
        """Whether a section or chunk belongs to it. What has no page is on no page."""
        if self.section is not None and not (
            self.section in (item.section_id, item.section_path)
            or item.section_path.startswith(self.section + PATH_SEPARATOR)
        ):
            return False
        if self.page_from is None and self.page_to is None:
            return True
        first, last = item.page_start, item.page_end or item.page_start
        if first is None or last is None:
            return False
        return last >= (self.page_from or 1) and (self.page_to is None or first <= self.page_to)


def text_of_range(catalog: Catalog, doc_id: str, version_id: str, wanted: Range) -> str:
    """The Markdown of a range.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` when nothing of the document lies in it.
    """
    markdown = catalog.document_markdown(doc_id, version_id)
    if wanted.whole:
        return markdown
    items: Sequence[SectionListing | ChunkListing]
    if wanted.page_from is None and wanted.page_to is None:
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
    sections = catalog.document_sections(doc_id, version_id)
    paths = list(dict.fromkeys(section.section_path for section in sections))[:20]
    raise ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        "Nothing of this document lies in that section or on those pages.",
        hint=f"Its sections are: {'; '.join(paths)}." if paths else "",
    )


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


def fitting(sizes: Sequence[int], offset: int, budget: int) -> tuple[int, int | None]:
    """How far a list may be shown: the index after the last item, and that of the next piece.

    At least one item is shown, however large.
    """
    end, used = offset, 0
    while end < len(sizes) and (end == offset or used + sizes[end] <= budget):
        used += sizes[end]
        end += 1
    return end, end if end < len(sizes) else None
