"""Rows: what a reader sees as one line of a page, in reading order.

The extraction cuts a line where there is a wide gap ("1.2   Links"); a row joins such pieces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import msgspec

from rag_assets.loading.pdf.extraction.blocks import (
    ImageBlock,
    Line,
    PageContent,
    TableBlock,
    TextBlock,
)
from rag_assets.loading.pdf.extraction.scripts import is_east_asian, is_set_wide, joint
from rag_assets.loading.pdf.order.order import Placed

#: A block tells where its rows end when it has so many, this share of them end there, and it is so
#: many font sizes wide: narrower ones may be lists of short lines.
_MIN_ROWS = 3
_MOST = 0.6
_MIN_WIDTH = 15
#: So many font sizes apart may be rows of one text that are blocks of their own.
_WIDE_PITCH = 2.5
_WORDS = 4

#: What is raised stands so many font sizes behind its row, at most, and what is below a root behind
#: its sign; the sign itself may stand behind a blank.
_RAISED_GAP = 0.25
_ROOT_GAP = 0.2
_ROOT = "√"

#: Pieces of CJK text stand apart when more than so many font sizes lie between them.
_APART = 0.9

#: What fills a gap may be wider than it by this part of its size, on either side.
_OVERLAP = 10
#: Word processors mark items of the second level with a letter of a typewriter's font, so many font
#: sizes before their text.
_RING, _RING_MARK = "o", "◦"
_RING_GAP = (0.4, 2.0)
#: Marks that nothing else is written with, however large; and numbers, which mark an item when they
#: are at most so many times as large as its text.
_DOTS = "•◦▪‣●○■□∙⁃"
_MARK = re.compile(rf"[{_DOTS}]|\(?\d{{1,3}}[.)]?")
_LARGE_MARK = 1.5

#: A first letter so many times as large as the text is set over several of its rows.
DROP_CAP = 2


class Row(msgspec.Struct, eq=False, gc=False):
    """One visual line.

    ``block`` numbers the block it came from, ``left`` and ``right`` bound its column. ``edge`` is
    where a full row of its block ends: the right of its column, or nearer where most rows of a
    block end there. A column of ``vertical`` writing is a row too; its ``edge`` is the lowest end
    of the page's columns.
    ``level`` is 1-6 for a heading, which an entry of the outline ``begins``; ``furniture`` is a
    kind of :class:`rag_assets.loading.base.Furniture`. What is ``stamped`` on a page, filled
    in or set across its text, be it upright or ``aslant``, is no heading.
    ``part`` is told where indentation tells it (``indents``): the ``first`` row of an entry, one
    of the ``rest``, or a ``line`` of its own; or that a paragraph begins ``anew``. What begins with
    a box to tick ``answers``.
    """

    lines: list[Line]
    text: str
    x0: int
    y0: int
    x1: int
    y1: int
    size: int
    bold: bool
    mono: bool
    vertical: bool
    block: int
    left: int
    right: int
    edge: int
    level: int = 0
    begins: bool = False
    furniture: str = ""
    stamped: bool = False
    aslant: bool = False
    part: str = ""
    anew: bool = False
    answers: bool = False

    @property
    def turned(self) -> bool:
        """Whether the row runs upwards, downwards or aslant: a watermark, the name of an axis."""
        return self.y1 - self.y0 >= 3 * self.size and not self.vertical

    @classmethod
    def of(cls, line: Line, block: int, left: int, right: int) -> Row:
        """A row that begins with ``line``."""
        return cls(
            [line],
            line.text,
            line.x0,
            line.y0,
            line.x1,
            line.y1,
            line.size,
            line.bold,
            line.mono,
            line.vertical,
            block,
            left,
            right,
            right,
        )

    def takes(self, line: Line) -> bool:
        """Whether ``line`` stands on this row, to its right."""
        last = self.lines[-1]
        return (
            abs(line.base - last.base) * 3 < last.size
            and line.x0 >= last.x1 - last.size
            and line.x1 > last.x1
            and line.y1 - line.y0 < 3 * line.size
        )

    def goes_on_behind(self, line: Line) -> bool:
        """Whether ``line``, which begins a block, begins raised where this row ends: the extraction
        begins a block at a superscript behind a subscript. Or a root makes the two one."""
        if line.text == _ROOT or self.text[-1] == _ROOT:
            return self.goes_on_root(line)
        return (
            self.y0 < line.y1
            and line.y0 < self.y1
            and abs(line.x0 - self.x1) <= _RAISED_GAP * self.size
            and line.size < self.size < DROP_CAP * line.size
            and not self.vertical
        )

    def goes_on_root(self, line: Line) -> bool:
        """Whether ``line`` is the sign of a root behind this row, or what stands below the root
        this row ends with; the sign is set higher than both."""
        last = self.lines[-1]
        gap = line.x0 - last.x1
        if line.y0 >= last.y1 or last.y0 >= line.y1:
            return False
        if last.text[-1] == _ROOT:
            return abs(gap) <= _ROOT_GAP * self.size
        return line.text == _ROOT and -_ROOT_GAP * self.size <= gap <= self.size

    def add(self, line: Line) -> None:
        if self.text == _RING and self.mono and not line.mono:
            self._mark_item(line)
        self.text += between_lines(self.lines[-1], line) + line.text
        self.lines.append(line)
        # Compared one by one, as in bounds.
        self.x1 = line.x1 if line.x1 > self.x1 else self.x1
        self.y0 = line.y0 if line.y0 < self.y0 else self.y0
        self.y1 = line.y1 if line.y1 > self.y1 else self.y1
        # A list mark tells nothing of the text behind it.
        if line.size > self.size or (
            line.size < self.size
            and len(self.lines) == 2
            and is_mark(mark := self.lines[0].text)
            and (mark in _DOTS or self.size <= _LARGE_MARK * line.size)
        ):
            self.size = line.size
        self.bold = self.bold and line.bold
        self.mono = self.mono and line.mono

    def gap_for(self, line: Line) -> int:
        """Before which of the row's lines ``line`` fills a gap, as glyphs do that a font lacks and
        programs draw after all others; 0 when it fills none."""
        first, last = self.lines[0], self.lines[-1]
        near = line.size // _OVERLAP
        if not (first.x1 - near <= line.x0 and line.x1 <= last.x0 + near) or self.vertical:
            return 0
        if 3 * abs(line.base - last.base) >= last.size:
            return 0
        for at, (before, after) in enumerate(pairwise(self.lines), 1):
            if before.x1 - near <= line.x0 and line.x1 <= after.x0 + near:
                return at
        return 0

    def fill(self, line: Line, at: int) -> None:
        """Add a line in the gap before another."""
        self.lines.insert(at, line)
        for before, after in pairwise(self.lines[at - 1 : at + 2]):
            blank = before.raw[-1].isspace() or after.raw[0].isspace()
            after.glued = not blank and after.touches(before)
        self.y0, self.y1 = min(self.y0, line.y0), max(self.y1, line.y1)
        self.rewrite()

    def _mark_item(self, line: Line) -> None:
        """Make the letter that is the row so far a list mark when ``line`` stands behind it as the
        text of an item does."""
        nearest, farthest = _RING_GAP
        if nearest * line.size <= line.x0 - self.x1 <= farthest * line.size:
            self.text = self.lines[0].text = _RING_MARK

    def rewrite(self) -> None:
        """Take over what was changed in the text of the lines."""
        text = self.lines[0].text
        for before, line in pairwise(self.lines):
            text += (between_lines(before, line) if text else "") + line.text
        self.text = text


Item = Row | TableBlock | ImageBlock


@dataclass(slots=True)
class Footnote:
    """A note at the foot of a page.

    ``label`` is unique in the document, and empty for what goes on from the page before; ``mark``
    is what stands before the note in print.
    """

    label: str
    mark: str
    rows: list[Row]

    def has_text(self) -> bool:
        """Whether anything stands behind the mark."""
        text = "".join(row.text for row in self.rows)
        return bool(text.removeprefix(self.mark).strip(" .):）\u00a0"))

    def cut_mark(self) -> None:
        """Take the mark out of the text of the first row; its box still holds it."""
        if not self.mark:
            return
        first = self.rows[0]
        line = first.lines[0]
        line.text = line.text.removeprefix(self.mark).lstrip(" .):）\u00a0")
        if not line.text and len(first.lines) > 1:
            del first.lines[0]
        first.rewrite()
        if not first.text and len(self.rows) > 1:
            del self.rows[0]


@dataclass(slots=True)
class PageRows:
    """The items of a page in reading order; ``rows`` are those of them that are rows."""

    number: int
    width: int
    height: int
    items: list[Item] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    footnotes: list[Footnote] = field(default_factory=list)


def is_mark(text: str) -> bool:
    """Whether a text that stands apart before another may be the mark of an item."""
    return _MARK.fullmatch(text) is not None


def rows_of(page: PageContent, placed: Sequence[Placed]) -> PageRows:
    """Arrange a page, its blocks as ``placed``."""
    result = PageRows(page.number, page.width, page.height)
    add = result.items.append
    even: list[Row] = []
    for number, each in enumerate(placed):
        block = each.block
        if not isinstance(block, TextBlock):
            add(block)
            continue
        row: Row | None = None
        given = block.lines
        begin, left, right = len(result.rows), each.left, each.right
        last = result.items[-1] if result.items else None
        # Asked of every block, and so first without a call.
        if (
            isinstance(last, Row)
            and given
            and last.y0 < given[0].y1
            and given[0].y0 < last.y1
            and last.goes_on_behind(given[0])
        ):
            row = last
            row.add(given[0])
            given = given[1:]
        for line in given:
            if row is not None and (
                row.takes(line)
                or ((line.text == _ROOT or row.text[-1] == _ROOT) and row.goes_on_root(line))
            ):
                row.add(line)
            elif row is not None and len(row.lines) > 1 and (at := row.gap_for(line)):
                row.fill(line, at)
            else:
                row = Row.of(line, number, left, right)
                add(row)
                result.rows.append(row)
        count = len(result.rows) - begin
        if count >= _MIN_ROWS:
            _set_edges(result.rows[begin:])
        elif count == 1:
            row = result.rows[begin]
            # Text that fills its column needs no other edge, which is most.
            if even or row.right - row.x1 > row.size:
                even = _with_next(even, row)
    _with_next(even, None)
    columns = [row for row in result.rows if row.vertical]
    lowest = max([row.y1 for row in columns], default=0)
    for row in columns:
        row.edge = lowest
    return result


def _with_next(even: list[Row], row: Row | None) -> list[Row]:
    """The rows of text that are blocks of their own and stand ``even``, with the next one where it
    does too; else that one alone, and the edges of those before it are set."""
    if row is not None and not _is_text(row):
        row = None
    if even and row is not None and _is_even(even, row):
        even.append(row)
        return even
    if len(even) >= _MIN_ROWS and _go_on(even):
        _set_edges(even)
    return [] if row is None else [row]


def _is_text(row: Row) -> bool:
    """Whether a row begins or ends with East Asian text, or begins with a letter and has some
    words; others may be entries of a list or code."""
    text = row.text
    return is_east_asian(text) or (text[0].isalpha() and text.count(" ") >= _WORDS)


def _go_on(rows: list[Row]) -> bool:
    """Whether rows may be those of one text: statements of their own all begin as sentences do."""
    latin = [row for row in rows[1:] if not is_east_asian(row.text)]
    return 2 * sum([row.text[0].islower() for row in latin]) >= len(latin)


def _is_even(even: list[Row], row: Row) -> bool:
    """Whether a row stands as far below those of its size and column as they do below each other,
    as rows do that are set too wide to be one block."""
    last = even[-1]
    step = row.y0 - last.y0
    if row.size != last.size or row.left != last.left or not 0 < step <= _WIDE_PITCH * row.size:
        return False
    return len(even) == 1 or 10 * abs(step - (last.y0 - even[-2].y0)) < row.size


def _set_edges(rows: list[Row]) -> None:
    """Where the rows of a block end when its column is wider than the block."""
    edge = max([row.x1 for row in rows])
    width = edge - min([row.x0 for row in rows])
    # Single characters below each other are a word.
    if width < _MIN_WIDTH * rows[0].size and max([len(row.text) for row in rows]) > 1:
        return
    near = sum([edge - row.x1 <= 2 * row.size for row in rows[:-1]])
    if near >= _MOST * (len(rows) - 1):
        for row in rows:
            row.edge = min(row.edge, edge)


def between_lines(before: Line, line: Line) -> str:
    """What stands between two lines of a row or of a cell: nothing within a word, and nothing
    behind a drop cap. CJK has a blank where the page has a wide gap."""
    if line.glued and (line.touches(before) or before.size >= DROP_CAP * line.size):
        return ""
    if before.text == _ROOT:
        return ""
    blank = joint(before.text, line.text)
    if blank or line.glued or line.x0 - before.x1 <= _APART * line.size:
        return blank
    return "" if is_set_wide(before.text, line.text) else " "
