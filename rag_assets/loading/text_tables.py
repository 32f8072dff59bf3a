"""Tables that plain text sets in columns, as tables of Markdown.

Three or more lines between blank ones are one where each has three or more cells, the same columns
are blank in all, and the first gives heads: it has a rule below it, or some column holds numbers,
measures or dates below a head that is none. All else, as a list of names, stays as it is; so does
all of a table that has a shorter line, or that begins a text without a rule, where no line is left
for what Markdown has below heads.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from rag_assets.loading.text_prose import indent_of
from rag_assets.markdown_tree import parse_events

_TAB = 8
#: Columns from which what begins a block is code to Markdown.
_CODE = 4
_FEWEST_ROWS = 2
_FEWEST_CELLS = 3
#: What parts two cells, and how wide it is at least in all lines.
_GAP = re.compile(r"\S(?: {2,}+|[ ]*+\t)[ \t]*+(?=\S)")
_GUTTER = 2
#: The dashes below heads, or above and below a table: one rule, or one of each column.
_RULE = re.compile(r"[ \t]*[-=]{3,}(?P<more>(?:[ \t]+[-=]{2,})*)[ \t]*")
#: Drawings, code and commands; what is a table already.
_NO_TABLE = re.compile(r"[|{}<>─-╿\\]|[;,]$|/\*|(?<!:)//|^(?:[$%>#*•]|[-+]\s)|::|\.{4,}|\w\(|=\S")
_DIGIT = re.compile(r"\d")
#: A number, a measure, a price or a date: "-3.5 kg", "EUR 12", "5 working days", "3月5日".
_VALUE = re.compile(
    r"[^\w\s]{0,2} ?(?:[A-Z]{1,3}[$ ]? ?)?\d[\d.,:/%’' –-]{0,30}(?:\S{1,12}(?: \S{1,12})?)?"
)
#: Stands where there is no value.
_NOTHING = re.compile(r"[-–—/.]*|n/?a", re.IGNORECASE)
#: Severities of lines of a log.
_LEVEL = re.compile(r"\W?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|CRITICAL|FATAL)\W?")
_YEAR = re.compile(r"(?:19|20)\d\d年?")
_SENTENCE_END = re.compile(r"[.!?。！？]$")
_LONGEST_HEAD = 40


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of a text.

    Attributes:
        lines: those of the text it stands in, from 0.
        rows: its cells, the heads first.
        at: the line of the Markdown that each row is. The heads are above their delimiter, so where
            the text has no rule for it, on the line above their own, which is blank or a rule.
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


def with_tables(lines: Sequence[str], tables: Sequence[TextTable]) -> list[str]:
    """As many lines, with the tables as Markdown.

    A table stays as it is where Markdown would take it for a part of what is right above it: of a
    list, or of another table.
    """
    told = list(lines)
    for table in tables:
        _tell(told, table)
    begun = _table_starts("\n".join(told)) if tables else set()
    starts = [0, *accumulate(len(line.encode("utf-8", "surrogatepass")) + 1 for line in told)]
    kept = list(lines)
    for table in tables:
        if starts[table.at[0]] in begun:
            _tell(kept, table)
    return kept


def _tell(lines: list[str], table: TextTable) -> None:
    for number in table.lines:
        lines[number] = ""
    for number, row in zip(table.at, table.rows, strict=True):
        lines[number] = _row(row)
    lines[table.at[0] + 1] = _row(["---"] * len(table.rows[0]))


def _table_starts(md: str) -> set[int]:
    """The bytes with which the tables of a Markdown text begin."""
    begun = ((e["Start"], at) for e, at in parse_events(md) if type(e) is dict and "Start" in e)
    return {at["start"] for tag, at in begun if type(tag) is dict and "Table" in tag}


def _runs(lines: Sequence[str], but: set[int]) -> Iterator[range]:
    """Lines between blank ones that each may be a row or a rule."""
    start = 0
    for number in range(len(lines) + 1):
        if number < len(lines) and number not in but and _may_be_row(lines[number]):
            continue
        ends = number == len(lines) or not lines[number].strip()
        if ends and not (start and lines[start - 1].strip()):
            yield range(start, number)
        start = number + 1


def _may_be_row(line: str) -> bool:
    if _RULE.fullmatch(line):
        return True
    gaps = line.count("\t")  # Of which the first and the last may part a cell that is empty.
    if "  " in line or gaps:
        gaps = max(gaps, len(_GAP.findall(line)))
    return gaps >= _FEWEST_CELLS - 1 and _NO_TABLE.search(line.strip()) is None


def _table(lines: Sequence[str], run: range) -> TextTable | None:
    rules = {number: rule for number in run if (rule := _RULE.fullmatch(lines[number]))}
    at = [number for number in run if number not in rules]
    if len(at) <= _FEWEST_ROWS or indent_of(lines[at[0]]) >= _CODE:
        return None
    # Rules stand above the heads, below them and at the end, each alone.
    if not rules.keys() <= {at[0] - 1, at[0] + 1, at[-1] + 1}:
        return None
    parting = [rule[0] for rule in rules.values() if rule["more"]]
    rows = _cells([lines[number] for number in at], parting)
    is_ruled = at[0] + 1 in rules
    if not rows or not (_may_be_heads(rows[0]) and (is_ruled or _are_unlike(rows[0], rows[1:]))):
        return None
    if not is_ruled:
        at[0] -= 1
    return TextTable(run, tuple(rows), tuple(at)) if at[0] >= 0 else None


def _may_be_heads(cells: Sequence[str]) -> bool:
    ends = sum(_SENTENCE_END.search(cell) is not None for cell in cells)
    return ends <= 1 and all(len(cell) <= _LONGEST_HEAD for cell in cells)


def _are_unlike(heads: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether what the first row says is surely no more of what the others say."""
    if not all(heads) or any(_DIGIT.search(h) and not _YEAR.fullmatch(h) for h in heads):
        return False
    columns = list(zip(heads, zip(*body, strict=True), strict=True))
    if any(_LEVEL.fullmatch(head) and any(map(_LEVEL.fullmatch, below)) for head, below in columns):
        return False
    return any(_heads_values(head, below) for head, below in columns)


def _heads_values(head: str, below: Sequence[str]) -> bool:
    values = [cell for cell in below if not _NOTHING.fullmatch(cell)]
    if len(values) < _FEWEST_ROWS or not all(map(_VALUE.fullmatch, values)):
        return False
    if _YEAR.fullmatch(head):
        return not any(map(_YEAR.fullmatch, values))
    return _NOTHING.fullmatch(head) is None


def _cells(rows: Sequence[str], rules: Sequence[str]) -> list[tuple[str, ...]]:
    """The cells of rows; none where they do not stand below each other.

    Args:
        rules: that have a part for each column.
    """
    tabbed = [tuple(cell.strip() for cell in row.split("\t")) for row in rows]
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
