"""Links a PDF draws over its pages: to addresses, and to places in itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from functools import partial
from math import isfinite
from typing import Any

from rag_assets.loading.base import PageLink
from rag_assets.loading.pdf.extraction.pointers import inner, members_of, sides_of

#: Schemes that lead to no document.
_SCRIPTS = ("javascript:", "data:", "vbscript:")


#: What a link leads to: address, page, x, y; None for one that leads nowhere.
Target = tuple[str | None, int | None, float | None, float | None] | None


def links_of(
    page: Any, flat: Any, number: int, pages: int, known: dict[str, Target]
) -> list[PageLink]:
    """The links of a page in its order; boxes are in the frame of anchors, targets not yet.

    Args:
        flat: the page's matrix to the frame of anchors, or None.
        number: of the page, 1-based.
        pages: how many the document has.
        known: targets already found in this document, by what the links say; added to.

    Raises whatever PyMuPDF raises for a damaged page.
    """
    import pymupdf

    mupdf = pymupdf.mupdf
    found: list[PageLink] = []
    new = tuple.__new__
    resolve = partial(mupdf.ll_fz_resolve_link_dest, inner(page.parent.this, "FzDocument"))
    of_link = members_of("fz_link")
    first = link = mupdf.ll_fz_load_links(inner(page.this, "FzPage"))
    try:
        while link:
            uri, rect = of_link.uri(link.this) or "", of_link.rect(link.this)
            link = of_link.next(link.this)
            if uri not in known:
                known[uri] = _target(resolve, uri, pages)
            target = known[uri]
            if target is None:
                continue
            sides = sides_of(rect)
            if flat is not None:
                sides = tuple((pymupdf.Rect(*sides) * flat).normalize())
            # What PageLink(number, …) makes, in half the time.
            found.append(new(PageLink, (number, *sides, *target)))
    finally:
        if first:
            mupdf.ll_fz_drop_link(first.this)
    return found


def without_turned_points(links: Iterable[PageLink], turned: Set[int]) -> list[PageLink]:
    """The links, those to a page that is displayed turned without their point: it is given in
    another frame than that of anchors, and what stands below it there comes before it here."""
    if not turned:
        return list(links)
    return [
        link._replace(target_x=None, target_y=None) if link.target_page in turned else link
        for link in links
    ]


def _target(resolve: Callable[[str], Any], uri: str, pages: int) -> Target:
    if not uri.startswith("#"):
        return None if not uri or uri.lower().startswith(_SCRIPTS) else (uri, None, None, None)
    import pymupdf

    try:
        place = resolve(uri)
    except (TypeError, pymupdf.mupdf.FzErrorBase):  # no characters, or no place MuPDF understands
        return None
    of_place = members_of("fz_link_dest")
    page = members_of("fz_location").page(of_place.loc(place.this).this)
    if not 0 <= page < pages:
        return None
    x, y = of_place.x(place.this), of_place.y(place.this)
    return None, page + 1, x if isfinite(x) else None, y if isfinite(y) else None
