"""Marks of footnotes that are no smaller than the text, and known by their links.

Where a font has no raised digits, or lacks some, the mark of a note looks like the number of
something else. Programs draw a link over it, which leads to the note.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rag_assets.loading.base import PageLink
from rag_assets.loading.pdf.characters.raised import NOTE_MARK, NOTE_SIZE, place_of
from rag_assets.loading.pdf.extraction.blocks import Line, PageContent, Raised
from rag_assets.loading.pdf.extraction.stext import UNIT, characters_of

#: A link leads so many font sizes away from its note, at most.
_NEAR = 2


class LinkToNote(NamedTuple):
    """A link over a line that leads to smaller lines below, which begin with marks."""

    link: PageLink
    line: Line
    notes: list[Line]


def links_to_notes(page: PageContent, raised: Sequence[Raised]) -> list[LinkToNote]:
    """The links of a page that may lead to its notes from marks that are not among the ``raised``.
    The number of a section leads to its heading, which is no smaller. Points of a page that is
    displayed turned are in another frame."""
    if page.flat is not None:
        return []
    found = []
    lines = [line for line in page.extracted if line is not None]
    for link in page.links:
        if link.target_page != page.number or (link.target_y or 0) <= link.y1:
            continue
        y = UNIT * (link.target_y or 0)
        notes = [
            line
            for line in lines
            if abs(line.y0 - y) <= _NEAR * line.size and NOTE_MARK.match(line.text)
        ]
        for line in lines if notes else ():
            if line.y0 / UNIT < link.y1 and line.y1 / UNIT > link.y0:
                led_to = [note for note in notes if note.size <= NOTE_SIZE * line.size]
                if led_to and not any(run.line is line and _begin(led_to, run) for run in raised):
                    found.append(LinkToNote(link, line, led_to))
    return found


def linked_in(text_page: Any, links: Iterable[LinkToNote]) -> Iterator[Raised]:
    """The marks under links, with which the lines begin that these lead to."""
    for each in links:
        mark = _under(text_page, each.line, each.link)
        if mark and _begin(each.notes, mark):
            yield mark


def _begin(notes: Iterable[Line], mark: Raised) -> bool:
    return any(note.text.startswith(mark.text) for note in notes)


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
