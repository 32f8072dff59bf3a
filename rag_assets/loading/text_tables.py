"""Tables that plain text sets in columns, as tables of Markdown.

Three or more lines between blank ones are one where each has three or more cells, the same columns
are blank in all, and the first gives heads: it has a rule below it, or no numbers but years.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_TAB = 8
#: Columns from which a line is code to Markdown.
_CODE = 4
_FEWEST_ROWS = 2
_FEWEST_CELLS = 3
#: What parts two cells, and how wide it is at least in all lines.
_GAP = re.compile(r"\S(?: {2,}+|[ ]*+\t)[ \t]*+(?=\S)")
_GUTTER = 2
#: The dashes below heads, or above and below a table: one rule, or one of each column.
_RULE = re.compile(r"[ \t]*[-=]{3,}(?P<more>(?:[ \t]+[-=]{2,})*)[ \t]*")
#: Drawings, code and commands; what is a table already.
_NO_TABLE = re.compile(
    r"[|{}<>─-╿\\]|[;,]$|/\*|(?<!:)//|^(?:[$%>#*•]|[-+]\s)|::|->|=>|\.{4,}|\w\(|=\S"
)
_VALUE = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d年?")
_SENTENCE_END = re.compile(r"[.!?。！？]$")
_LONGEST_HEAD = 40


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of a text.

    Attributes:
        lines: those of the text it stands in, from 0.
        rows: its cells, the heads first.
        at: the line of the text that each row is.
    """

    lines: range
    rows: tuple[tuple[str, ...], ...]
    at: tuple[int, ...]


def tables_of(lines: Sequence[str], but: set[int]) -> list[TextTable]:
    """The tables of a text, in order.

    Args:
        but: lines that are none of a table, as headings and code.
    """
    found = (_table(lines, run) for run in _runs(lines, but))
    return [table for table in found if table is not None]


def table_lines(table: TextTable) -> dict[int, str]:
    """The lines of the text it stands in as Markdown, by number; the heads are two where no rule
    is below them."""
    told = dict.fromkeys(table.lines, "")
    for number, row in zip(table.at, table.rows, strict=True):
        told[number] = _row(row)
    delimiter = _row(["---"] * len(table.rows[0]))
    heads, below = table.at[0], table.at[0] + 1
    if below in table.at:
        told[heads] += f"\n{delimiter}"
    else:
        told[below] = delimiter
    return told


def _runs(lines: Sequence[str], but: set[int]) -> Iterator[range]:
    """Lines between blank ones that each may be a row or a rule."""
    start = 0
    for number in range(len(lines) + 1):
        if number < len(lines) and number not in but and _may_be_row(lines[number]):
            continue
        ends = number == len(lines) or not lines[number].strip()
        if ends and number - start > _FEWEST_ROWS and not (start and lines[start - 1].strip()):
            yield range(start, number)
        start = number + 1


def _may_be_row(line: str) -> bool:
    indent = len(line[: len(line) - len(line.lstrip())].expandtabs(_CODE))
    if indent >= _CODE or _RULE.fullmatch(line):
        return indent < _CODE
    inner = line.strip()
    if "  " not in inner and "\t" not in inner:
        return False
    gaps = max(len(_GAP.findall(line)), inner.count("\t"))
    return gaps >= _FEWEST_CELLS - 1 and _NO_TABLE.search(inner) is None


def _table(lines: Sequence[str], run: range) -> TextTable | None:
    rules = {number: rule for number in run if (rule := _RULE.fullmatch(lines[number]))}
    at = [number for number in run if number not in rules]
    if len(at) <= _FEWEST_ROWS:
        return None
    # Rules stand above the heads, below them and at the end, each alone.
    if not rules.keys() <= {at[0] - 1, at[0] + 1, at[-1] + 1}:
        return None
    parting = [rule[0] for rule in rules.values() if rule["more"]]
    rows = _cells([lines[number] for number in at], parting)
    is_ruled = at[0] + 1 in rules
    if not rows or not _are_heads(rows[0], is_ruled=is_ruled):
        return None
    return TextTable(run, tuple(rows), tuple(at))


def _are_heads(cells: Sequence[str], *, is_ruled: bool) -> bool:
    if not is_ruled and not all(cells):
        return False
    if sum(_SENTENCE_END.search(cell) is not None for cell in cells) > 1:
        return False
    values = any(_VALUE.search(cell) and not _YEAR.fullmatch(cell) for cell in cells)
    return (is_ruled or not values) and all(len(cell) <= _LONGEST_HEAD for cell in cells)


def _cells(rows: Sequence[str], rules: Sequence[str]) -> list[tuple[str, ...]]:
    """The cells of rows; none where they do not stand below each other.

    Args:
        rules: that have a part for each column.
    """
    tabbed = [tuple(cell.strip() for cell in row.strip("\n").split("\t")) for row in rows]
    if len(tabbed[0]) >= _FEWEST_CELLS and all(tabbed[0]) and len({*map(len, tabbed)}) == 1:
        return tabbed
    taken: set[int] = set()
    for line in (*rows, *rules):
        for character, column in _columns(line):
            if not character.isspace():
                taken.update(range(column, column + _width(character)))
    ends = sorted(taken)
    starts = [after for before, after in pairwise(ends) if after - before > _GUTTER]
    return [_cut(row, starts) for row in rows] if len(starts) >= _FEWEST_CELLS - 1 else []


def _cut(row: str, starts: Sequence[int]) -> tuple[str, ...]:
    """The cells of a row, of which all but the first begin in the columns ``starts``."""
    cells = [""] * (len(starts) + 1)
    for character, column in _columns(row):
        cells[bisect_right(starts, column)] += character
    return tuple(cell.strip() for cell in cells)


def _columns(line: str) -> Iterator[tuple[str, int]]:
    """Each character with the column it begins in; a wide one takes up two."""
    column = 0
    for character in line.rstrip().expandtabs(_TAB):
        yield character, column
        column += _width(character)


def _width(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
