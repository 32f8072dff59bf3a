"""Footnotes: small text at the foot of a page or column that a mark in the text leads to.

They leave the flow of the text, so that a paragraph goes on where its page does, and are written
as Markdown footnotes after their page. A block is one only when something says so: a raised mark
of the same name in the text of the page, or a raised mark before the note itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from rag_assets.loading.pdf.characters.raised import (
    NOTE_MARK,
    NOTE_SIZE,
    NOTES_BELOW,
    RAISED_DIGITS,
)
from rag_assets.loading.pdf.extraction.blocks import Line, Raised
from rag_assets.loading.pdf.order.rows import Footnote, Item, PageRows, Row

_ALONE = re.compile(rf"{NOTE_MARK.pattern}[.):）]?$")
_CLOSED = re.compile(rf"{NOTE_MARK.pattern}[)）]$")
_RAISED = re.compile(rf"[{RAISED_DIGITS}]+")
#: Signs of numbered code: its number may be set in another font, and be all that is known of it.
_CODE = re.compile(r"[\\{}]")
_COMMAND = re.compile(r"\d+\s+\\")
_BEGINS_NUMBER = re.compile(r"\d+")
_OF_PAGES = re.compile(r"\d+\s*/\s*\d+")
_NUMBERS = re.compile(r"[\d,，\s]+")
#: What stands around a mark, and what of it is no part of a label.
_AROUND = " .):）"
_BESIDE = " .:"
#: What a reference to a note stands behind; what has an exponent is a letter or a number.
_AFTER_WORD = re.compile(r"(?:[^\W\d_]{3}|[^\W\d_a-zA-Z]|[^\w\s(=+-]\]?|\w{3})\s?$")
#: What a note says whose letter stands behind no word; "x→0" below a limit says nothing.
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u30ff\u4e00-\u9fff]{2}|[\uac00-\ud7a3]{2}")
#: A Greek letter alone.
_GREEK = re.compile(r"(?<![^\W\d_])[\u0391-\u03c9]$")
_SENTENCE_END = re.compile(r"[.!?。！？][\"'”’)\]）」』]*$")


def set_footnotes_apart(
    pages: Sequence[PageRows], body: int, raised_on: Callable[[int], list[Raised]]
) -> None:
    """Move footnotes from ``rows`` to ``footnotes`` of their pages, and write their marks in the
    text as Markdown does.

    Args:
        pages: arranged, furniture and headings marked.
        body: font size of most text, see ``headings.body_size``.
        raised_on: the raised runs of a page, by number; asked only where notes may stand.
    """
    largest = NOTE_SIZE * body
    labels: set[str] = set()
    unfinished = False
    for page in pages:
        run = _foot_of_page(page, largest)
        # Below a list, or code, there may be notes.
        run = run[_listed(page.rows, run, largest) :]
        if not any(map(_is_marked, run)):
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
    lowest = NOTES_BELOW * page.height
    small = {
        id(row): row
        for row in page.rows
        if row.size <= largest and row.y0 >= lowest and not row.level and not _is_furniture(row)
    }
    if not any(_is_marked(row) for row in small.values()):
        return []
    below: list[tuple[int, int, int]] = []
    found: set[int] = set()
    marked = False
    ordered: list[tuple[int, Item]] = []
    for item in page.items:
        if not isinstance(item, Row):
            ordered.append((item.box.y1, item))
        elif not _is_furniture(item):
            ordered.append((item.y1, item))
    for end, item in sorted(ordered, key=lambda entry: -entry[0]):
        x0, x1 = (item.x0, item.x1) if isinstance(item, Row) else (item.box.x0, item.box.x1)
        if (
            isinstance(item, Row)
            and id(item) in small
            and not any(x0 < right and x1 > left for left, right, _ in below)
        ):
            found.add(id(item))
            marked = marked or _is_marked(item)
        else:
            below.append((x0, x1, end))
    rows = [row for row in page.rows if id(row) in found] if marked else []
    # Some programs draw the last note first.
    upwards = all(
        row.lines[0].base < below.lines[0].base and abs(row.x0 - below.x0) < below.size
        for below, row in pairwise(rows)
    )
    return rows[::-1] if upwards else rows


def _is_furniture(row: Row) -> bool:
    """Whether a row is furniture, or numbers the only page of a document, "1/1"."""
    return bool(row.furniture) or _OF_PAGES.fullmatch(row.text) is not None


def _listed(rows: Sequence[Row], run: Sequence[Row], largest: float) -> int:
    """How many of the small rows at the foot of a page end with a list, or with code that is
    numbered; notes below code count on too, but not from it."""
    end = 0
    is_list = False
    for at, row in enumerate(run):
        is_command = _COMMAND.match(row.text) is not None
        if is_command or ((is_list or at == end) and _counts_on(rows, row, largest)):
            end = at + 1
            is_list = is_list or (at == 0 and not is_command)
    return end


def _counts_on(rows: Sequence[Row], first: Row, largest: float) -> bool:
    """Whether the number of the first small row is one more than that of a row above, which looks
    the same: the last item of a list, its number smaller than its text, is no note, nor is a line
    of code that is numbered. Text of the page stands between lines of code alone."""
    number = _BEGINS_NUMBER.match(first.text)
    if number is None:
        return False
    last = re.compile(rf"0*{int(number[0]) - 1}(?!\d)")
    is_code = _CODE.search(first.text) is not None
    for row in reversed(rows[: rows.index(first)]):
        if not is_code and row.size > largest and not row.level and not row.furniture:
            return False
        alike = row.lines[0].size == first.lines[0].size
        if alike and abs(row.x0 - first.x0) <= first.size and last.match(row.text):
            return True
    return False


def _is_marked(row: Row) -> bool:
    """Whether a row may begin a note; code begins with whatever a mark may be."""
    return not row.mono and NOTE_MARK.match(row.text) is not None


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
    in_text = {id(line) for line in text_lines}
    marks = _marks_in_text(
        [*(run for run in raised if id(run.line) in in_text), *_raised_characters(text_lines)],
        {id(b): a.text for row in page.rows for a, b in pairwise(row.lines)},
    )
    named = {_plain(mark): mark for _, mark, _ in marks}
    begin = {id(mark.line): mark.text for mark in raised if _opens_note(mark)}
    notes: list[Footnote] = []
    for row in run:
        written = begin.get(id(row.lines[0]))
        found = None if row.mono else NOTE_MARK.match(row.text)
        mark = written or (found[0] if found else "")
        if row.text.startswith(as_named := named.get(_plain(mark), mark)):
            mark = as_named
        if mark.isalpha() and _plain(mark) not in named and not _WORD.search(row.text, len(mark)):
            mark = ""
        if mark and (written or (_plain(mark) in named and _stands_alone(row, mark))):
            notes.append(Footnote("", mark, [row]))
        elif notes and _follows(notes[-1].rows[-1], row):
            notes[-1].rows.append(row)
        elif goes_on and not (notes or row.mono):
            notes.append(Footnote("", "", [row]))
        elif notes:
            # Small text of another kind: what follows is none of the notes'.
            break
    # A mark with nothing behind it is an exponent that stands alone, not a note.
    notes = [note for note in notes if note.has_text()]
    if not any(note.mark for note in notes):
        return []
    for note in notes:
        note.label = _label(note.mark.strip(_BESIDE), number, labels) if note.mark else ""
    by_mark = {_plain(note.mark): note.label for note in notes if note.label}
    _write_marks(marks, by_mark, page)
    return notes


def _opens_note(mark: Raised) -> bool:
    return mark.first and _ALONE.fullmatch(mark.text) is not None


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
        Raised(line, match.start(), match[0], False)
        for line in lines
        if not line.text.isascii()
        for match in _RAISED.finditer(line.text)
    ]


def _marks_in_text(raised: Sequence[Raised], before: dict[int, str]) -> list[tuple[Line, str, int]]:
    """(line, mark, offset in the line's text) of what may lead to a note.

    Args:
        before: ``id`` of a line -> the text left of it in its row.
    """
    found: list[tuple[Line, str, int]] = []
    taken: set[tuple[int, int]] = set()
    for run in raised:
        places = {(id(run.line), run.at + at) for at in range(len(run.text))}
        if not taken.isdisjoint(places):
            continue  # raised and linked, or part of a number that is
        taken |= places
        if not run.at:
            # A line may begin with the mark behind the one left of it.
            text = before.get(id(run.line), "")
            if _ALONE.fullmatch(run.text) and _AFTER_WORD.search(text):
                found.append((run.line, run.text, 0))
            continue
        # The bracket that closes a mark goes with it.
        closed = _CLOSED.match(run.text)
        for part in [closed] if closed else NOTE_MARK.finditer(run.text):
            if run.text.strip(part[0]) and not _NUMBERS.fullmatch(run.text):
                continue
            at = run.at + part.start()
            # Characters no font explains are printed differently, and offsets behind them differ.
            said = run.line.text.startswith(part[0], at)
            if said and _leads_to_note(run.line.text[:at], part[0]):
                found.append((run.line, part[0], at))
    return found


def _leads_to_note(before: str, mark: str) -> bool:
    """Whether a mark stands behind a word; behind a sign or a Greek letter, a letter is part of a
    formula."""
    if _AFTER_WORD.search(before) is None:
        return False
    return not mark.isalpha() or not (
        unicodedata.category(before[-1]) == "Sm" or _GREEK.search(before)
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
        if label and (times[_plain(mark)] == 1 or not _plain(mark).isdigit()):
            rest = line.text[at + len(mark) :]
            if not at and not rest.isascii():
                rest = rest.lstrip()
            line.text = f"{line.text[:at]}[^{label}]{rest}"
            changed.add(id(line))
    for row in page.rows:
        if any(id(line) in changed for line in row.lines):
            row.rewrite()
