"""Marks of footnotes that are no smaller than the text, and known by their links.

Where a font has no raised digits, or lacks some, the mark of a note looks like the number of
something else. Programs draw a link over it, which leads to the note.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rag_assets.loading.base import PageLink
from rag_assets.loading.pdf.characters.raised import NOTE_MARK, NOTE_SIZE, place_of
from rag_assets.loading.pdf.extraction.blocks import Line, PageContent, Raised
from rag_assets.loading.pdf.extraction.stext import UNIT, characters_of

#: A link leads so many font sizes away from its note, at most.
_NEAR = 2


def links_to_notes(page: PageContent) -> list[PageLink]:
    """The links of a page that may lead to its notes: to a point below them. Points of a page that
    is displayed turned are in another frame."""
    if page.flat is not None:
        return []
    return [
        link
        for link in page.links
        if link.target_page == page.number and (link.target_y or 0) > link.y1
    ]


def linked_in(text_page: Any, page: PageContent) -> Iterator[Raised]:
    """The marks under links which lead to a line of the page that is smaller and begins with the
    same mark: the number of a section leads to its heading."""
    lines = [line for line in page.extracted if line is not None]
    for link in links_to_notes(page):
        y = UNIT * (link.target_y or 0)
        notes = [line for line in lines if abs(line.y0 - y) <= _NEAR * line.size]
        for line in lines:
            if line.y0 / UNIT < link.y1 and line.y1 / UNIT > link.y0:
                mark = _under(text_page, line, link)
                if mark and any(
                    note.text.startswith(mark.text) and note.size <= NOTE_SIZE * line.size
                    for note in notes
                ):
                    yield mark


def _under(text_page: Any, line: Line, link: PageLink) -> Raised | None:
    """What of a line is under a link, when it is a mark and nothing else."""
    raw = line.raw
    characters = characters_of(text_page, line.box)
    if len(characters) != len(raw):
        return None
    under = [at for at, each in enumerate(characters) if link.x0 < each.x / UNIT < link.x1]
    text = "".join([raw[at] for at in under])
    if not NOTE_MARK.fullmatch(text):
        return None
    lead = len(raw) - len(raw.lstrip())
    return Raised(line, place_of(line, under[0] - lead), text, False)
