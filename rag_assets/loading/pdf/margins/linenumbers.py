"""Line numbers printed in a margin: those of manuscripts and court papers."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from rag_assets.loading.pdf.extraction.blocks import (
    Block,
    Line,
    PageContent,
    TextBlock,
    bounds,
    on_one_baseline,
)
from rag_assets.loading.pdf.extraction.stext import UNIT
from rag_assets.loading.pdf.order.rows import PageRows, Row

#: How many numbers make a column when they count every line, and when they count every fifth.
_FEWEST = {1: 8, 5: 4}
_TOLERANCE = UNIT // 2
#: Share of the numbers that have one line of text beside them, and of these lines that are full:
#: the rows of a table or of a list are not.
_MOST = 0.8
_FULL = 0.6
#: Share of the full lines that begin within a sentence.
_RUNNING = 0.4
#: Share of the page's height, at either end, where headers and footers may reach farther out.
_MARGIN = 0.1
#: Share of the width of the text that a full line has.
_WIDE = 0.85
#: Numbers at even steps down a page, of whose height they take this share, count no rows when only
#: so many stand on the baseline of any text, to so many parts of its size.
_GRID = 20
_TALL = 0.6
_BY_CHANCE = 0.3
_ON_BASELINE = 12
#: Numbers that run on from page to page count lines whatever stands on one of the pages, when this
#: share of all of them have a full line beside them; the rows of a table have pieces.
_RUNNING_FULL = 0.3
#: And so much of the full lines begins within a sentence.
_RUNNING_ON = 0.3
#: So many numbers on a page may tell that they run on.
_REST = 2


class _Column(NamedTuple):
    """Numbers below each other by ``step``, and the lines of their page they stand outside of."""

    numbers: list[Line]
    step: int
    text: list[Line]

    def follows(self, other: _Column) -> bool:
        following = int(other.numbers[-1].text) + self.step
        return self.step == other.step and int(self.numbers[0].text) == following

    def is_long(self) -> bool:
        return len(self.numbers) >= _FEWEST[self.step]


class _Beside(NamedTuple):
    """Lines of text beside numbers: how many there are, how many numbers have any and how many have
    one, how many of these lines are full and how many of those begin within a sentence."""

    lines: int
    named: int
    single: int
    full: int
    going_on: int


def take_line_numbers(pages: Iterable[PageContent]) -> list[list[Line]]:
    """Take the line numbers of each page out of its blocks; downwards, and empty when it has none.

    They stand below each other outside all the text beside them, and count lines of running text;
    or they run on from page to page, or count, as in copies for review and in bills, the lines that
    a page has room for.
    """
    chains: list[list[_Column]] = []
    found: list[tuple[PageContent, list[_Column]]] = []
    for page in pages:
        last = chains[-1][-1] if chains else None
        columns = _outer_columns(page, _REST if last else min(_FEWEST.values()))
        following = [column for column in columns if last and column.follows(last)]
        columns = [column for column in columns if column.is_long()]
        if following:
            chains[-1].append(following[0])
        elif columns:
            chains.append([columns[0]])
        found.append((page, following[:1] + columns))
    known = {id(column.numbers) for chain in chains if _run_on(chain) for column in chain}
    known.update(id(column.numbers) for column in _recurring([columns for _, columns in found]))
    return [_take_first(page, columns, known) for page, columns in found]


def _take_first(page: PageContent, columns: list[_Column], known: set[int]) -> list[Line]:
    for column in columns:
        if id(column.numbers) in known or (column.is_long() and _count_lines(column)):
            _take(column.numbers, page)
            return column.numbers
    grids = [column for column in columns if _is_grid(column.numbers, column.text, page.height)]
    # Numbers of one width end below each other and begin so as well.
    numbers = list({id(line): line for column in grids for line in column.numbers}.values())
    if numbers:
        _take(numbers, page)
    return numbers


def add_line_numbers(page: PageRows, numbers: Sequence[Line]) -> None:
    """Put line numbers at the end of their page, as furniture."""
    if numbers:
        row = Row.of(numbers[0], -1, numbers[0].x0, numbers[0].x1)
        row.lines += numbers[1:]
        row.rewrite()
        row.furniture = "line_number"
        page.items.append(row)
        page.rows.append(row)


def _take(lines: Sequence[Line], page: PageContent) -> None:
    taken = set(map(id, lines))
    kept: list[Block] = []
    for block in page.blocks:
        if isinstance(block, TextBlock):
            left = [line for line in block.lines if id(line) not in taken]
            if not left:
                continue
            if len(left) < len(block.lines):
                block.lines, block.box = left, bounds(left)
        kept.append(block)
    page.blocks = kept


def _right(line: Line) -> int:
    return line.x1


def _left(line: Line) -> int:
    return line.x0


def _outer_columns(page: PageContent, fewest: int) -> list[_Column]:
    """The columns of at least so many numbers outside the text of a page, the longest first."""
    if page.numbers < fewest:
        return []
    lines = page.lines()
    digits = [line for line in lines if line.text.isdecimal()]
    columns = [*_columns(digits, _right), *_columns(digits, _left)]
    stepped = [(column, step) for column in columns if (step := _step(column))]
    top = _MARGIN * page.height
    inner = [
        line
        for line in lines
        if stepped and line.y0 >= top and line.y1 <= page.height - top and not line.text.isdecimal()
    ]
    stepped.sort(key=lambda each: -len(each[0]))
    return [
        _Column(column, step, inner)
        for column, step in stepped
        if inner and len(column) >= fewest and _stand_outside(column, inner)
    ]


def _columns(digits: Sequence[Line], edge: Callable[[Line], int]) -> list[list[Line]]:
    """Numbers that end, or begin, below each other; each column downwards."""
    columns: list[list[Line]] = []
    for line in sorted(digits, key=edge):
        if columns and edge(line) - edge(columns[-1][-1]) <= _TOLERANCE:
            columns[-1].append(line)
        else:
            columns.append([line])
    return [sorted(column, key=lambda line: line.base) for column in columns]


def _stand_outside(numbers: Sequence[Line], text: Sequence[Line]) -> bool:
    """Whether numbers stand left, or right, of all of some text."""
    gap = max([line.size for line in numbers]) // 2
    return max([line.x1 for line in numbers]) + gap <= min([line.x0 for line in text]) or min(
        [line.x0 for line in numbers]
    ) - gap >= max([line.x1 for line in text])


def _step(numbers: Sequence[Line]) -> int:
    """By how much each number is more than the one above; 0 when that differs."""
    values = [int(line.text) for line in numbers]
    steps = {after - value for value, after in pairwise(values)}
    step = steps.pop() if len(steps) == 1 else 0
    return step if step in _FEWEST else 0


def _beside(column: _Column) -> _Beside:
    numbers = column.numbers
    beside = [line for line in column.text if line.y1 > numbers[0].y0 and line.y0 < numbers[-1].y1]
    if not beside:
        return _Beside(0, 0, 0, 0, 0)
    rows = [[t for t in beside if on_one_baseline(t, line)] for line in numbers]
    # Some papers are printed with numbers down to their foot.
    named = sum(map(bool, rows))
    single = [row[0] for row in rows if len(row) == 1]
    width = max([line.x1 for line in beside]) - min([line.x0 for line in beside])
    full = [line for line in single if line.x1 - line.x0 >= _WIDE * width]
    going_on = sum(_goes_on(line.text) for line in full)
    return _Beside(len(beside), named, len(single), len(full), going_on)


def _count_lines(column: _Column) -> bool:
    """Whether a column counts the lines of the text it stands beside. Every line may be a row that
    is numbered, unless it is running text; five lines to each number, as of verse, are none."""
    beside, step = _beside(column), column.step
    named = beside.named
    if (
        beside.single < max(_MOST * named, _FEWEST[step])
        or not _MOST * step * (named - 1) <= beside.lines <= step * named / _MOST
    ):
        return False
    is_running = beside.full >= _FULL * beside.single and (
        beside.going_on >= _RUNNING * beside.full
    )
    return step > 1 or is_running


def _is_grid(numbers: Sequence[Line], text: Sequence[Line], height: int) -> bool:
    """Whether numbers stand at even steps down a page, wherever the lines of its text do."""
    if len(numbers) < _GRID or numbers[-1].base - numbers[0].base < _TALL * height:
        return False
    if not _is_even(numbers):
        return False
    bases = sorted((line.base, line.size // _ON_BASELINE) for line in text)
    named = 0
    for line in numbers:
        at = bisect_left(bases, (line.base, 0))
        named += any(abs(base - line.base) <= near for base, near in bases[max(at - 1, 0) : at + 1])
    return named <= _BY_CHANCE * len(numbers)


def _recurring(pages: Sequence[Sequence[_Column]]) -> list[_Column]:
    """Columns that count by fives at the same even steps in the same place of two pages or more,
    where lines of text stand beside some of them only: the rows of a table all have text.

    Args:
        pages: the columns of each.
    """
    alike: dict[tuple[int, int], list[_Column]] = defaultdict(list)
    for columns in pages:
        column = next((each for each in columns if each.step > 1 and _is_even(each.numbers)), None)
        if column is not None:
            numbers = column.numbers
            step = (numbers[-1].base - numbers[0].base) // (len(numbers) - 1)
            alike[round(numbers[-1].x1 / UNIT), round(step / UNIT)].append(column)
    return [
        column
        for group in alike.values()
        if len(group) > 1
        and sum(_beside(each).named for each in group)
        <= _MOST * sum(len(each.numbers) for each in group)
        for column in group
    ]


def _is_even(numbers: Sequence[Line]) -> bool:
    """Whether numbers stand at even steps."""
    steps = [after.base - line.base for line, after in pairwise(numbers)]
    return max(steps) - min(steps) <= numbers[0].size // 5


def _run_on(chain: list[_Column]) -> bool:
    """Whether columns, each of which goes on where that of the page before ends, count lines."""
    _, named, _, full, going_on = map(sum, zip(*map(_beside, chain), strict=True))
    enough = full >= max(_RUNNING_FULL * named, 1)
    return len(chain) > 1 and enough and going_on >= _RUNNING_ON * full


def _goes_on(text: str) -> bool:
    """Whether a line may begin within a sentence."""
    return text[0].islower() or not text[0].isascii()
