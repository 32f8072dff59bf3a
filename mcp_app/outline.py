"""What stands below a heading of a document's outline.

An outline holds more than the sections do: headings too deep for a section of their own, and a
PDF's bookmarks, which may be worded otherwise than its pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.catalog_messages import first_of
from rag_query.text.section_paths import SEPARATOR, meant_path

if TYPE_CHECKING:
    from rag_query.contracts.documents import OutlineEntry


def heading_spans(
    text: str, outline: Sequence[OutlineEntry], end: int
) -> tuple[tuple[int, int], ...]:
    """From each heading meant to the next one of its level or above; nothing when none is.

    A heading is meant by its path in the outline, or by its title where no other bears it.

    Args:
        outline: of the normalised Markdown, which ends at ``end``.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` for a title that several bear, and for a bookmark whose
            place in the text is not known.
    """
    paths = _paths(outline)
    meant = meant_path(text, paths)
    fits = [entry for entry, path in zip(outline, paths, strict=True) if path == meant]
    if not fits:
        fits = [entry for entry in outline if entry.title == text.strip()]
        if len(fits) > 1:
            raise _several(text, [p for e, p in zip(outline, paths, strict=True) if e in fits])
    if fits and all(entry.char_start is None for entry in fits):
        raise _without_place(fits[0])
    return tuple(
        (entry.char_start, _end(entry, entry.char_start, outline, end))
        for entry in fits
        if entry.char_start is not None
    )


def _paths(outline: Sequence[OutlineEntry]) -> list[str]:
    above: list[OutlineEntry] = []
    paths = []
    for entry in outline:
        above = [*(other for other in above if other.level < entry.level), entry]
        paths.append(SEPARATOR.join(other.title for other in above))
    return paths


def _end(entry: OutlineEntry, start: int, outline: Sequence[OutlineEntry], end: int) -> int:
    # Not every outline is in the order of its document.
    later = (
        other.char_start
        for other in outline
        if other.level <= entry.level and other.char_start is not None and other.char_start > start
    )
    return min(later, default=end)


def _several(title: str, paths: Sequence[str]) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        f"{len(paths)} headings of the document are called {title[:200]!r}.",
        hint=f"Name one by its path: {first_of(paths)}.",
    )


def _without_place(entry: OutlineEntry) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        f"Where {entry.title[:200]!r} stands in the text is not known.",
        hint=f"Its bookmark leads to page {entry.page}; ask with page_from."
        if entry.page
        else "Ask for pages, or without a section.",
    )
