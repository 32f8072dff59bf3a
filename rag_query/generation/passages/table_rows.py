"""Rows of tables: the heads above their cells, and which cell a number stands in.

A row says nothing by itself ("机械密封 | 6 个月"); with the heads of its table it is a sentence
("机械密封 — 质保期: 6 个月"). The heads alone are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_query.generation.vocabulary.facts import (
    CALENDAR,
    MONEY,
    UNIT_PATTERN,
    Number,
    numbers,
    unit_of,
)

_CELL_BORDER = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*")
#: No head is as long, and none holds a number as long.
_LONG = 40
_LONG_NUMBER = re.compile(r"\d{5}|\d{3,4}-\d{4}")
#: The unit of a column, at the end of its head: 标准（元/晚）, "Mean (m)", 年假天数.
_UNIT_OF_HEAD = re.compile(
    rf"[（(]\s*(?P<inside>{UNIT_PATTERN})(?![A-Za-z])|(?P<last>{UNIT_PATTERN})数?\s*$",
    re.IGNORECASE,
)
#: The unit that a head gives: 最高限价（万元）.
_UNIT_ALONE = re.compile(r"[（(][^（()）\d]{1,8}[)）]")
_AMOUNT = re.compile(rf"[-−+]?\d[\d.,]*\s?[十百千万亿]?\s?(?:{UNIT_PATTERN})", re.IGNORECASE)
_DIGIT = re.compile(r"\d")  # 万元 is a unit alone.
_BARE_NUMBER = re.compile(r"[-−+]?\d[\d.,]*\s?%?")
_UP_TO = re.compile(r"不满|未满|不足|以下|\bbelow\b|\bunder\b", re.IGNORECASE)
_BETWEEN = re.compile(r"\d[^\d]*?(?:至|到|[-–—~～]|\bto\b)[^\d]*?\d", re.IGNORECASE)


def is_row(line: str) -> bool:
    """Whether a line is one of a table in Markdown."""
    return line.lstrip().startswith("|")


def is_delimiter(line: str) -> bool:
    """Whether a line parts the heads of a table from its rows."""
    return is_row(line) and _DELIMITER.fullmatch(line.strip()) is not None


def cells_of(line: str) -> tuple[str, ...]:
    """The cells of a row, as they are written."""
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(cell.strip() for cell in _CELL_BORDER.split(inner))


def heads_of(cells: Sequence[str], below: Sequence[Sequence[str]] = ()) -> tuple[str, ...]:
    """The heads a first row gives; none where it holds values, as in a table without heads.

    Args:
        below: the other rows. What stands above bare numbers alone is a head (3 小时预见期), but
            no amount is: "3 EUR".
    """
    values = (
        _is_value(cell) and (_is_amount(cell) or not _heads_numbers(number, below))
        for number, cell in enumerate(cells[1:], 1)
    )
    return () if any(values) or not any(cells[1:]) else tuple(cells)


def _heads_numbers(column: int, below: Sequence[Sequence[str]]) -> bool:
    held = [row[column] for row in below if len(row) > column and row[column]]
    return len(held) > 1 and all(map(_BARE_NUMBER.fullmatch, held))


def row_text(cells: Sequence[str], heads: Sequence[str]) -> str:
    """A row as a reader sees it; without heads, its cells that say anything."""
    if len(heads) < 2 or len(heads) != len(cells):
        return " | ".join(filter(None, cells))
    told = [
        f"{head}: {cell}" if head else cell
        for head, cell in zip(heads[1:], cells[1:], strict=True)
        if cell
    ]
    return " — ".join(filter(None, (cells[0], "; ".join(told))))


def placed_numbers(
    cells: Sequence[str], heads: Sequence[str], asked: Sequence[Number]
) -> tuple[frozenset[str], frozenset[str]]:
    """Of the numbers a question gives: those a row speaks of, and those it holds of another kind.

    "15 年" is spoken of by "满 10 年不满 20 年", not by a 15 below 年假天数.
    """
    spoken: set[str] = set()
    other: set[str] = set()
    titles = heads if len(heads) == len(cells) else [""] * len(cells)
    for number in asked:
        if number.unit is None:
            continue
        for head, cell in zip(titles, cells, strict=True):
            unit = unit_of_head(head)
            held = [n for n in numbers(cell) if (n.unit or unit) in (number.unit, None)]
            if _speaks_of(number, held, cell):
                spoken.add(number.value)
            elif any(n.value == number.value for n in numbers(cell)):
                other.add(number.value)
    return frozenset(spoken), frozenset(other - spoken)


def _is_value(cell: str) -> bool:
    held = numbers(_UNIT_ALONE.sub(" ", cell))
    measured = any(n.unit and n.unit not in CALENDAR for n in held)
    return measured or len(cell) > _LONG or _LONG_NUMBER.search(cell) is not None


def _is_amount(cell: str) -> bool:
    if _AMOUNT.fullmatch(cell):
        return True
    return _DIGIT.search(cell) is not None and any(n.unit in MONEY for n in numbers(cell))


def unit_of_head(head: str) -> str | None:
    """The name of the unit that a head gives its column; None where it gives none."""
    match = _UNIT_OF_HEAD.search(head)
    return unit_of(match["inside"] or match["last"]) if match else None


def _speaks_of(number: Number, held: Sequence[Number], cell: str) -> bool:
    """Whether a cell holds a number, or a range it lies in."""
    if len(held) == 2:
        low, high, value = (float(n.value) for n in (*held, number))
        if _UP_TO.search(cell):
            return low <= value < high
        if _BETWEEN.search(cell):
            return low <= value <= high
    return any(n.value == number.value for n in held)
