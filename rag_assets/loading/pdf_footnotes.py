"""Footnotes: small text at the foot of a page or column that a mark in the text leads to.

They leave the flow of the text, so that a paragraph goes on where its page does, and are written
as Markdown footnotes after their page. A block is one only when something says so: a raised mark
of the same name in the text of the page, or a raised mark before the note itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rag_assets.loading.pdf_headings import body_size
from rag_assets.loading.pdf_page import Box, Line
from rag_assets.loading.pdf_rows import Footnote, Item, PageRows, Row
from rag_assets.loading.pdf_stext import UNIT

_DIGITS = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079"
#: What stands before a note: a number, a raised number, a circled one, a letter or a sign.
_MARK = re.compile(
    rf"(?:\d{{1,3}}|[{_DIGITS}]{{1,3}}|[①-⑳㉑-㉟❶-❿]|[*†‡§¶‖]{{1,3}}|[a-z](?![a-z]))"
)
_ALONE = re.compile(rf"{_MARK.pattern}[.):]?$")
_RAISED = re.compile(rf"[{_DIGITS}]+")
_AROUND = " .):"
#: What a reference to a note stands behind; what has an exponent is a letter or a number.
_AFTER_WORD = re.compile(r"(?:[^\W\d_]{3}|[^\W\d_a-zA-Z]|[^\w\s(=+-]\]?|\w{3})\s?$")
#: A note is at most this share of the size of the text.
_SMALLER = 0.93
#: The raised mark of a note is at most this share of the note's own size.
RAISED_SIZE = 0.85
#: Share of the page's height above which no note begins.
_LOWER_PART = 0.35
_SENTENCE_END = re.compile(r"[.!?。！？][\"'”’)\]）」』]*$")


class Raised(NamedTuple):
    """A raised run of text as the extraction reports it.

    ``before`` is the text of its line up to it; ``first`` tells that it begins the line, where
    only its size, smaller than what follows, makes it one. ``box`` is that of the line.
    """

    before: str
    text: str
    first: bool
    box: Box


def set_footnotes_apart(
    pages: Sequence[PageRows], raised_on: Callable[[int], list[Raised]]
) -> None:
    """Move footnotes from ``rows`` to ``footnotes`` of their pages, and write their marks in the
    text as Markdown does.

    Args:
        pages: arranged, furniture and headings marked.
        raised_on: the raised runs of a page, by number; asked only where notes may stand.
    """
    largest = _SMALLER * body_size(list(pages))
    labels: set[str] = set()
    unfinished = False
    for page in pages:
        run = _foot_of_page(page, largest)
        if not run:
            unfinished = False
            continue
        notes = _notes(page.number, run, raised_on(page.number), page, labels, goes_on=unfinished)
        taken = {id(row) for note in notes for row in note.rows}
        if taken:
            page.items = [item for item in page.items if id(item) not in taken]
            page.rows = [row for row in page.rows if id(row) not in taken]
            for note in notes:
                note.cut_mark()
        page.footnotes = notes
        unfinished = bool(notes) and _SENTENCE_END.search(notes[-1].rows[-1].text) is None


def _foot_of_page(page: PageRows, largest: float) -> list[Row]:
    """Small rows with nothing but furniture and each other below them, in reading order; empty
    when none of them begins with a mark."""
    below: list[tuple[int, int, int]] = []
    found: set[int] = set()
    marked = False
    ordered: list[tuple[int, Item]] = []
    for item in page.items:
        if not isinstance(item, Row):
            ordered.append((item.box.y1, item))
        elif not item.furniture:
            ordered.append((item.y1, item))
    for end, item in sorted(ordered, key=lambda entry: -entry[0]):
        x0, x1 = (item.x0, item.x1) if isinstance(item, Row) else (item.box.x0, item.box.x1)
        if (
            isinstance(item, Row)
            and item.size <= largest
            and not item.level
            and item.y0 >= _LOWER_PART * page.height
            and not any(x0 < right and x1 > left for left, right, _ in below)
        ):
            found.add(id(item))
            marked = marked or _MARK.match(item.text) is not None
        else:
            below.append((x0, x1, end))
    return [row for row in page.rows if id(row) in found] if marked else []


def _notes(
    number: int,
    run: list[Row],
    raised: list[Raised],
    page: PageRows,
    labels: set[str],
    *,
    goes_on: bool,
) -> list[Footnote]:
    own = {id(line) for row in run for line in row.lines}
    lines = [line for row in page.rows if not row.furniture for line in row.lines]
    text_lines = [line for line in lines if id(line) not in own]
    marks = _marks_in_text(text_lines, [*raised, *_raised_characters(text_lines)])
    named = {_plain(mark) for _, mark, _ in marks}
    begin = {
        id(line): mark.text for line in _lines_of(run) for mark in raised if _opens(line, mark)
    }
    notes: list[Footnote] = []
    for row in run:
        written = begin.get(id(row.lines[0]))
        found = _MARK.match(row.text)
        mark = written.strip() if written else found[0] if found else ""
        raised_here = bool(written) or (mark != "" and _RAISED.fullmatch(mark) is not None)
        if mark and (raised_here or (_plain(mark) in named and _stands_alone(row, mark))):
            notes.append(Footnote("", mark, [row]))
        elif notes and _follows(notes[-1].rows[-1], row):
            notes[-1].rows.append(row)
        elif goes_on and not notes:
            notes.append(Footnote("", "", [row]))
        elif notes:
            # Small text of another kind: what follows is none of the notes'.
            break
    # A mark with nothing behind it is an exponent that stands alone, not a note.
    notes = [note for note in notes if note.has_text()]
    if not any(note.mark for note in notes):
        return []
    for note in notes:
        note.label = _label(note.mark.strip(_AROUND), number, labels) if note.mark else ""
    by_mark = {_plain(note.mark): note.label for note in notes if note.label}
    _write_marks(marks, by_mark, page)
    return notes


def _lines_of(rows: Iterable[Row]) -> Iterable[Line]:
    return (row.lines[0] for row in rows)


def _opens(line: Line, mark: Raised) -> bool:
    return (
        mark.first
        and _near(line.box, mark.box)
        and line.text.startswith(mark.text.strip())
        and _ALONE.fullmatch(mark.text.strip()) is not None
    )


def _stands_alone(row: Row, mark: str) -> bool:
    """Whether what follows a mark is set off from it, or no number goes on."""
    rest = row.text[len(mark) :]
    return not rest or not (rest[0].isdigit() or (rest[0] in ".,%" and rest[1:2].isdigit()))


def _follows(before: Row, row: Row) -> bool:
    step = row.y0 - before.y0
    return row.left == before.left and 0 <= step <= 2.2 * max(row.size, before.size)


def _raised_characters(lines: Sequence[Line]) -> list[Raised]:
    """Numbers written with raised characters."""
    return [
        Raised(line.text[: match.start()], match[0], False, line.box)
        for line in lines
        if not line.text.isascii()
        for match in _RAISED.finditer(line.text)
    ]


def _marks_in_text(lines: Sequence[Line], raised: Sequence[Raised]) -> list[tuple[Line, str, int]]:
    """(line, mark, offset in the line's text) of what may lead to a note."""
    found: list[tuple[Line, str, int]] = []
    for run in raised:
        text = run.text.strip()
        if run.first or not text or not run.before.strip():
            continue
        for part in re.finditer(_MARK, text):
            if text.strip(part[0]) and not re.fullmatch(r"[\d,，\s]+", text):
                continue
            before = run.before.lstrip() + run.text[: len(run.text) - len(run.text.lstrip())]
            at = len(before) + part.start()
            for line in lines:
                if (
                    _near(line.box, run.box)
                    and line.text.startswith(part[0], at)
                    and _AFTER_WORD.search(line.text, 0, at)
                ):
                    found.append((line, part[0], at))
                    break
    return found


def _near(box: Box, other: Box) -> bool:
    return (abs(box.x0 - other.x0) <= UNIT and abs(box.y0 - other.y0) <= UNIT) or (
        box.x0 >= other.x0 - UNIT and box.x1 <= other.x1 + UNIT and abs(box.y1 - other.y1) <= UNIT
    )


def _plain(mark: str) -> str:
    return unicodedata.normalize("NFKC", mark).strip(_AROUND)


def _label(mark: str, page: int, labels: set[str]) -> str:
    """``mark`` as printed, or with the page's number where an earlier note bears it."""
    label = mark
    if label in labels:
        label = f"{mark}-p{page}"
    again = 2
    while label in labels:
        label = f"{mark}-p{page}-{again}"
        again += 1
    labels.add(label)
    return label


def _write_marks(
    marks: Sequence[tuple[Line, str, int]], labels: dict[str, str], page: PageRows
) -> None:
    changed: set[int] = set()
    times = Counter(_plain(mark) for _, mark, _ in marks)
    # From the end of a line to its beginning, so that offsets stay true.
    for line, mark, at in sorted(marks, key=lambda found: -found[2]):
        # Where several places bear one number, nobody can tell which leads to the note.
        label = labels.get(_plain(mark))
        if label and (times[_plain(mark)] == 1 or not mark.isdigit()):
            line.text = f"{line.text[:at]}[^{label}]{line.text[at + len(mark) :]}"
            changed.add(id(line))
    for row in page.rows:
        if any(id(line) in changed for line in row.lines):
            row.rewrite()
