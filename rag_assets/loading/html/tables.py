"""Tables of a page as tables of Markdown, or as plain blocks where a table only lays out a page.

A table is layout when

* it says so (``role="presentation"`` or ``none``) or has one column, be it beside a picture, as a
  note has its sign,
* it is a listing: its class says so, or it has no ``<th>`` and code is all that its cells hold,
* a cell holds a table of several rows, which no cell of Markdown can,
* code is all that its cells but for those of ``<th>`` hold, and some of it has several lines,
* or it has no ``<th>`` and a cell holds a heading or code of several lines, or at least half of the
  cells that hold anything hold several blocks or list items.

So a ``<th>`` says that a table is data, and so do cells that are mostly plain, though some hold two
paragraphs or a list.

A table has empty heads where no row is known to head it, as its first row would say of the others
what is not so:

* each row is headers and data in turn, so that the first is one of labels and values,
* or its first row has no ``<th>``, is not set apart from the next ones by bold type, a background
  or its name, and is not of short names that no cell below repeats, three or more of them or one
  above numbers alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from rag_assets.loading.html.tree import Element, flat, holds_blocks

_CELLS = frozenset({"td", "th"})
_GROUPS = frozenset({"thead", "tbody", "tfoot"})
#: What browsers take at most (HTML, 4.9.11).
_MAX_COLSPAN = 1000
_MAX_ROWSPAN = 65534
_SPAN = re.compile(r"\s*\+?([0-9]{1,9})")
#: Characters that spans may add to a table: so many, and so many times the text of its cells.
_ADDED = 10_000
_ADDED_TIMES = 4
#: What a heading, a list of several items, code of several lines and a table begin with. Text that
#: begins so is escaped.
_HEADING = re.compile(r"#{1,6} ")
_ITEMS = re.compile(r"(?:- |\d+\. ).*\n")
_CODE = re.compile(r"`{3,}\n.*\n.*\n")
_TABLE = re.compile(r"\| ")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_FENCE = "```"
#: Escaped as it begins a line of a block; in a cell every one is.
_FIRST_BAR = re.compile(r"^\\(?=\|)", re.MULTILINE)
#: What a cell that heads a column is set apart by: the name of its class, and its style.
_HEAD_NAME = re.compile(r"head|(?:^|[-_ ])th(?:$|[-_ ])", re.IGNORECASE)
_HEAD_STYLE = re.compile(r"background|font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_BOLD = re.compile(r"(?:\*\*(?:(?!\*\*).)+\*\* ?)+")
#: The name of a column: plain words; a year or a month is one, another number is not.
_NAME = re.compile(
    r"(?:19|20)\d\d(?:年度?|[-–/]\d\d(?:\d\d)?)?|\d\d?月|[^\d`(\[](?:(?!\]\()[^`]){0,59}"
)
#: So many names in a row are heads. Two may well be what the rows below are, a term and its sense.
_NAMES = 3
#: What a number begins with.
_FIGURE = re.compile(r"[-+−±<>≤≥~≈]?\s?[¥￥$€£]?\s?\d")
#: Code beside the numbers of its lines, by Pygments, Chroma and Rouge.
_LISTINGS = frozenset({"highlighttable", "codehilitetable", "lntable", "rouge-table"})


@dataclass(frozen=True, slots=True)
class Cell:
    """``columns`` and ``rows`` are what it spans; ``text`` is that of ``blocks`` on one line;
    ``apart`` says whether it is set apart from cells of plain text, ``inline`` whether only ends
    of lines part its blocks."""

    header: bool
    apart: bool
    inline: bool
    columns: int
    rows: int
    blocks: list[str]
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """``group`` is the ``<thead>``, ``<tbody>`` or ``<tfoot>`` it stands in, else the table;
    ``marked`` says whether its ``<tr>`` is set apart."""

    group: Element
    cells: list[Cell]
    marked: bool = False

    @property
    def heads(self) -> bool:
        """Whether it says what stands in the columns; its corner may be empty."""
        return self.group.tag == "thead" or all(
            cell.header or (at == 0 and not cell.text and len(self.cells) > 1)
            for at, cell in enumerate(self.cells)
        )

    @property
    def apart(self) -> bool:
        """Whether it is set apart from rows of plain text."""
        return self.marked or all(cell.apart for cell in self.cells if cell.text)

    @property
    def turns(self) -> bool:
        """Whether it is labels and values in turn."""
        return len(self.cells) % 2 == 0 and all(
            cell.header == (at % 2 == 0) for at, cell in enumerate(self.cells)
        )


class _Span(NamedTuple):
    """A cell in one row of the grid: columns ``[start, end)``, ``left`` rows from this one on."""

    start: int
    end: int
    left: int
    cell: Cell
    #: Whether the cell began in a row above.
    again: bool


_Grid = list[list[_Span]]
_Write = Callable[[Element], list[str]]


def table_blocks(element: Element, write: _Write) -> list[str]:
    """The blocks of a table: first what stands in no cell, as a caption does.

    Args:
        write: the blocks of an element's content.
    """
    reader = _Reader(write)
    reader.read(element, element)
    rows = reader.rows
    blocks = write(Element("div", children=reader.aside))
    if _is_layout(element, rows):
        return blocks + [block for row in rows for cell in row.cells for block in cell.blocks]
    return blocks + _markdown(rows)


class _Reader:
    """The cells of each row, whatever rows and cells are wrapped in; everything else, a caption
    or text that stands in no cell, is ``aside``."""

    def __init__(self, write: _Write) -> None:
        self.rows: list[Row] = []
        self.aside: list[Element | str] = []
        self._write = write

    def read(self, element: Element, group: Element, in_row: bool = False) -> None:
        for child in element.children:
            if isinstance(child, str) or not (child.tag in _CELLS or _holds_cells(child)):
                self.aside.append(child)
            elif not child.shown:
                continue
            elif child.tag in _CELLS:
                if not in_row:
                    self.rows.append(Row(group, []))
                    in_row = True
                self.rows[-1].cells.append(_cell(child, self._write(child)))
            elif child.tag == "tr":
                self.rows.append(Row(group, [], _is_marked(child)))
                self.read(child, group, in_row=True)
                in_row = False
            else:
                self.read(child, child if child.tag in _GROUPS else group, in_row)


def _holds_cells(element: Element) -> bool:
    return element.tag == "tr" or any(
        isinstance(child, Element)
        and child.tag != "table"
        and (child.tag in _CELLS or _holds_cells(child))
        for child in element.children
    )


def _cell(element: Element, blocks: list[str]) -> Cell:
    columns = min(_number(element, "colspan") or 1, _MAX_COLSPAN)
    # No rows means all that follow in the group.
    rows = min(_number(element, "rowspan") or _MAX_ROWSPAN, _MAX_ROWSPAN)
    text = flat(" ".join(map(_inside, blocks))).replace("|", "\\|")
    apart = _is_marked(element) or _BOLD.fullmatch(text) is not None
    return Cell(element.tag == "th", apart, _is_inline(element), columns, rows, blocks, text)


def _is_inline(element: Element) -> bool:
    """Whether the text of an element, or of the one paragraph it holds, is not parted by blocks."""
    blocks = [each for each in element.children if isinstance(each, Element) and holds_blocks(each)]
    return not blocks or (
        len(blocks) == 1 and blocks[0].tag in ("div", "p") and _is_inline(blocks[0])
    )


def _is_marked(element: Element) -> bool:
    """Whether the page gives a cell or a row a look, or a name, that heads have."""
    given = element.given
    return (
        "bgcolor" in given
        or _HEAD_STYLE.search(given.get("style", "")) is not None
        or _HEAD_NAME.search(given.get("class", "")) is not None
    )


def _number(element: Element, name: str) -> int:
    given = _SPAN.match(element.given.get(name, ""))
    return int(given[1]) if given else 1


def _inside(block: str) -> str:
    """A block as text of a cell."""
    if _TABLE.match(block):
        # A table of one row; with more this cell's table would be layout.
        return _rows_of(block)[0][2:-2].replace(" | ", " ").replace("\\|", "|")
    if block.startswith(_FENCE):
        return block
    text = _HEADING.sub("", block, count=1) if _HEADING.match(block) else block
    return _FIRST_BAR.sub("", text)


def _rows_of(table: str) -> list[str]:
    """The lines of a table that say something."""
    head, _, *body = table.split("\n")
    return [row for row in (head, *body) if row.strip("| ")]


def _is_layout(element: Element, rows: list[Row]) -> bool:
    if element.role in ("presentation", "none"):
        return True
    if max((len(row.cells) for row in rows), default=0) <= 1 or _has_sign(rows):
        return True
    if not _LISTINGS.isdisjoint(element.classes):
        return True
    cells = [cell for row in rows for cell in row.cells]
    blocks = [block for cell in cells for block in cell.blocks]
    if any(_TABLE.match(block) and len(_rows_of(block)) > 1 for block in blocks):
        return True
    if _is_code([block for cell in cells if not cell.header for block in cell.blocks]):
        return True
    if any(cell.header for cell in cells):
        return False
    if any(_HEADING.match(block) or _CODE.match(block) for block in blocks):
        return True
    if blocks and all(block.startswith(_FENCE) for block in blocks):
        return True
    filled = [cell for cell in cells if cell.blocks]
    plain = sum(
        cell.inline or (len(cell.blocks) == 1 and not _ITEMS.match(cell.blocks[0]))
        for cell in filled
    )
    return bool(filled) and 2 * plain <= len(filled)


def _has_sign(rows: list[Row]) -> bool:
    """Whether a picture stands beside all else, which is one column."""
    sign = next((cell for row in rows for cell in row.cells), None)
    if sign is None or sign.rows < len(rows) or not _IMAGE.fullmatch(sign.text):
        return False
    return all(len([cell for cell in row.cells if cell is not sign]) <= 1 for row in rows)


def _is_code(blocks: list[str]) -> bool:
    """Whether code is all there is, in more than one line."""
    return all(block.startswith(_FENCE) for block in blocks) and any(map(_CODE.match, blocks))


def _markdown(rows: list[Row]) -> list[str]:
    """The table, after its title when that is a row of its own."""
    size = sum(len(cell.text) for row in rows for cell in row.cells)
    room = _ADDED + _ADDED_TIMES * size
    grid = _laid_out(rows, room) or [_as_they_come(row) for row in rows]
    starts = sorted({span.start for line in grid for span in line})
    above: list[str] = []
    heads: list[list[_Span]] = []
    body: list[list[_Span]] = []
    first: Element | None = None
    headless = _is_form(rows) or not _is_headed(rows)
    for row, line in zip(rows, grid, strict=True):
        if not any(cell.text for cell in row.cells):
            continue
        across = len(line) == 1 and line[0].end > starts[-1] > 0
        if across and not heads and not body:
            above += row.cells[0].blocks
        elif headless:
            body.append(line)
        elif not heads or (not body and not across and row.heads and row.group is first):
            first = row.group
            heads.append(line)
        else:
            body.append(line)
    if not heads and not headless:
        return above
    if not body:
        # A table of nothing but headers has one row of them.
        heads, body = heads[:1], heads[1:]
    repeat = _repeated(heads, body, starts) <= room
    header = _header([_texts(line, starts, repeat, heads=True) for line in heads], len(starts))
    under = [_line(_texts(line, starts, repeat, heads=False)) for line in body]
    return [*above, "\n".join([header, "|" + "---|" * len(starts), *under])]


def _is_form(rows: list[Row]) -> bool:
    """Whether all rows are labels and values, but for titles above some of them."""
    said = [row for row in rows if any(cell.text for cell in row.cells) and len(row.cells) > 1]
    return bool(said) and all(row.turns and row.group.tag != "thead" for row in said)


def _is_headed(rows: list[Row]) -> bool:
    """Whether the first row says what stands in the columns. One row alone does where a ``<th>``
    is in it: others are a note beside its sign, or a name and what it is."""
    said = [row for row in rows if any(cell.text for cell in row.cells)]
    while said and len(said[0].cells) == 1:
        del said[0]  # A title.
    if not said:
        return True
    first, *below = said
    if first.heads or any(cell.header for cell in first.cells):
        return True
    if not below:
        return False
    # Every other row may have a background, and a sum may be bold, as heads are.
    if first.apart and not any(row.apart for row in below[:2]):
        return True
    names = [cell.text for cell in first.cells if cell.text]
    if _is_repeated(first, below) or not all(map(_NAME.fullmatch, names)):
        return False
    return len(names) >= _NAMES or _above_numbers(first, below)


def _is_repeated(first: Row, below: list[Row]) -> bool:
    """Whether a cell below one of the first row says the same. A row that says all of it again is
    the head once more, as in long tables."""
    names = [cell.text for cell in first.cells]
    rows = [[cell.text for cell in row.cells] for row in below if len(row.cells) == len(names)]
    return any(
        name and name == text
        for texts in rows
        if texts != names
        for name, text in zip(names, texts, strict=True)
    )


def _above_numbers(first: Row, below: list[Row]) -> bool:
    """Whether numbers alone, and more than one, stand below a cell."""
    rows = [row.cells for row in below if len(row.cells) == len(first.cells) > 1]
    columns = ([cells[at].text for cells in rows] for at in range(len(first.cells)))
    return len(rows) > 1 and any(all(map(_FIGURE.match, column)) for column in columns)


def _laid_out(rows: list[Row], room: int) -> _Grid | None:
    """Where browsers put the cells (HTML, 4.9.12); None when that would take more than ``room``."""
    grid: _Grid = []
    carried: list[_Span] = []
    group: Element | None = None
    for row in rows:
        if row.group is not group:
            group, carried = row.group, []
        room -= len(carried)
        if room < 0:
            return None
        line = list(carried)
        at = passed = 0
        for cell in row.cells:
            while passed < len(carried) and carried[passed].start <= at:
                at = max(at, carried[passed].end)
                passed += 1
            limit = carried[passed].start if passed < len(carried) else at + _MAX_COLSPAN
            end = min(at + cell.columns, limit)
            line.append(_Span(at, end, cell.rows, cell, False))
            at = end
        line.sort(key=lambda span: span.start)
        grid.append(line)
        carried = [span._replace(left=span.left - 1, again=True) for span in line if span.left > 1]
    starts = sorted({span.start for line in grid for span in line})
    fields = sum(_width(span, starts) for line in grid for span in line)
    return grid if len("|  ") * (fields - sum(map(len, grid))) <= room else None


def _as_they_come(row: Row) -> list[_Span]:
    return [_Span(at, at + 1, 1, cell, False) for at, cell in enumerate(row.cells)]


def _width(span: _Span, starts: list[int]) -> int:
    """Columns a span fills, of those in which a cell begins."""
    return bisect_left(starts, span.end) - bisect_left(starts, span.start)


def _repeated(heads: _Grid, body: _Grid, starts: list[int]) -> int:
    """Characters written more than once when cells repeat their text."""
    again = sum(len(span.cell.text) for line in [*heads, *body] for span in line if span.again)
    return again + sum(
        len(span.cell.text) * (_width(span, starts) - 1) for line in heads for span in line
    )


def _texts(line: list[_Span], starts: list[int], repeat: bool, *, heads: bool) -> list[str]:
    """The fields of a row: a cell's text in each row it spans, and in each column when it heads
    them; else in its first column."""
    texts: list[str] = []
    for span in line:
        texts += [""] * (bisect_left(starts, span.start) - len(texts))
        width = _width(span, starts)
        text = span.cell.text if repeat or not span.again else ""
        texts += [text] * width if repeat and heads else [text, *[""] * (width - 1)]
    return texts


def _header(rows: list[list[str]], width: int) -> str:
    """Several rows of headers as one: ``Sales`` above ``2020`` is ``Sales 2020``."""
    columns: list[dict[str, None]] = [{} for _ in range(width)]
    for row in rows:
        for column, text in zip(columns, row, strict=False):
            if text:
                column[text] = None
    return _row([" ".join(column) for column in columns])


def _line(texts: list[str]) -> str:
    """A row up to its last text; what is left out is empty."""
    while len(texts) > 1 and not texts[-1]:
        texts.pop()
    return _row(texts)


def _row(texts: list[str]) -> str:
    return "| " + " | ".join(texts) + " |"
