"""Labels drawn over several rows of a table: the empty first cells below "事假" are 事假 too.

An empty first cell says so only where the column is one of labels. Otherwise it is a cell that
nobody filled in, as beside an unlabelled sum or a task that is not done.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rag_query.generation.vocabulary.facts import numbers

#: What a row of sums holds, which is of no label above it.
_SUM = re.compile(
    r"[合总小共累]\s*计|平均|余额|\b(?:sums?|(?:sub)?totals?|average|overall|net|balance|vat|tax(?:es)?"
    r"|all together|altogether)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_NO_LABEL = re.compile(r"\W*(?:yes|no)\W*|.*[：:].*", re.IGNORECASE | re.DOTALL)
#: A column with fewer labels is none of labels, where one alone is drawn over several rows.
_FEW = 3

_Row = Sequence[str]


def drawn_over(rows: Sequence[_Row]) -> list[bool]:
    """Of each row, whether its empty first cell is the label above it."""
    owners = _owners(rows)
    held = {
        (_shape(row), rows[owner][0]) for row, owner in zip(rows, owners, strict=True) if owner >= 0
    }
    labels = {label for _, label in held}
    under = Counter(shape for shape, _ in held)
    named = sum(map(_is_label, rows))
    last = len(rows) - 1

    def is_drawn(at: int) -> bool:
        row = rows[at]
        if owners[at] < 0:
            return False
        if not any(row[1:2]):  # As of heads over two columns, or of a sum in the last one.
            return under[_shape(row)] > 1
        if len(labels) > 1:
            return True
        if len(row) < 3 or not all(row[1:]) or named < _FEW:
            return False
        return at < last or not _adds_up(row, rows[:at])

    return [is_drawn(at) for at in range(len(rows))]


def _owners(rows: Sequence[_Row]) -> list[int]:
    """Of each row with an empty first cell, which row above may give the label; -1 of others."""
    owners = []
    owner = -1
    for at, row in enumerate(rows):
        if not any(row) or row[0]:
            owner = at if _is_label(row) else -1
            owners.append(-1)
        else:
            owners.append(-1 if any(map(_SUM.search, row)) else owner)
    return owners


def _is_label(row: _Row) -> bool:
    return len(_LETTER.findall(row[0])) > 1 and not _NO_LABEL.fullmatch(row[0])


def _shape(row: _Row) -> tuple[bool, ...]:
    return tuple(map(bool, row))


def _adds_up(row: _Row, above: Sequence[_Row]) -> bool:
    """Whether a cell holds the sum of those above it."""
    for column in range(1, len(row)):
        held = [_value(other[column]) for other in above if len(other) > column]
        found = [value for value in held if value is not None]
        if len(found) > 1 and _value(row[column]) == sum(found):
            return True
    return False


def _value(cell: str) -> float | None:
    said = numbers(cell)
    return float(said[0].value) if len(said) == 1 else None
