"""What indented rows are: the rest of an entry that began further left, or lines of verse.

Most indented rows begin a paragraph, which is told row by row (``paragraphs``). Bibliographies,
glossaries and indexes are set the other way round, the first row of an entry further left than
what follows; two rows alike cannot tell which it is, and so it is judged by many. Where paragraphs
begin indented, two indented rows are two of them, however full the first is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag_assets.loading.pdf.order.rows import Item, PageRows, Row
from rag_assets.loading.pdf.paragraphs.clauses import SENTENCE_END
from rag_assets.loading.pdf.paragraphs.paragraphs import had_room, starts_item

#: So many indented rows make a habit, when this share of the rows follows it.
_MIN_INDENTS = 3
_MOST = 0.75
#: Of the capitals that lines of verse begin with; a row that was wrapped begins with any word.
_CAPITALS = 0.9
#: Lines of verse are at most so many font sizes long, longer ones were wrapped; and they are alike:
#: on average they fill this share of the longest.
_MAX_VERSE = 28
_MIN_FILL = 0.6
#: What entries begin with in many bibliographies.
_LABEL = re.compile(r"\[[^\]]{1,12}\]")
#: Rows begin at one place when they are so many font sizes apart.
_SAME = 0.25
#: A heading so short stands over the entries of one letter, in the middle of an index.
_LETTER = 2

#: The first row of a paragraph is indented by so many font sizes; so many of them must go on where
#: the other rows begin.
_FIRST_LINE = (0.9, 2.6)
_MIN_RETURNS = 2


def mark_indents(page: PageRows) -> None:
    """Set ``Row.part`` and ``Row.anew`` where the rows of a column tell what indentation means."""
    # Asked of every row of a document: most pages have no or few rows that are indented.
    indents = [
        (before.x0, row.x0)
        for before, row in pairwise(page.rows)
        if row.x0 - before.x0 > row.size and not row.mono
    ]
    if len(indents) >= _MIN_INDENTS and _most_common(indents)[1] >= _MIN_INDENTS:
        for column in _columns(page.items):
            if len(column) >= 2 * _MIN_INDENTS:
                _mark(column)
    # Most rows begin at the left of their column.
    pairs = [
        (before, row)
        for before, row in pairwise(page.rows)
        if before.x0 - before.left > _FIRST_LINE[0] * before.size
        and 4 * abs(row.x0 - before.x0) < row.size
        and row.y0 > before.y0
        and not (before.part or row.part or before.level or before.mono)
        and SENTENCE_END.search(before.text)
    ]
    for before, row in pairs:
        if not starts_item(row) and _begin_indented(before, page.rows):
            row.anew = True


def _most_common(indents: list[tuple[int, int]]) -> tuple[tuple[int, int], int]:
    return Counter(indents).most_common(1)[0]


def _columns(items: Sequence[Item]) -> Iterator[list[Row | None]]:
    """Runs of rows that stand below each other; None for what is no text among them."""
    found: list[Row | None] = []
    last: Row | None = None
    for item in items:
        if not isinstance(item, Row) or item.furniture or item.mono or item.vertical:
            found.append(None)
            continue
        is_below = last is None or (2 * (item.y0 - last.y0) > item.size and item.left == last.left)
        if not is_below or (item.level and len(item.text) > _LETTER):
            yield found
            found = []
        found.append(None if item.level else item)
        last = item
    yield found


def _mark(column: list[Row | None]) -> None:
    indents = [
        (before.x0, row.x0)
        for before, row in pairwise(column)
        if before and row and row.size < row.x0 - before.x0 < (row.right - row.left) // 2
    ]
    if len(indents) < _MIN_INDENTS:
        return
    (outer, inner), times = _most_common(indents)
    if times < _MIN_INDENTS:
        return
    runs = list(_runs(column, outer, inner))
    rows = [row for run in runs for row, _ in run]
    first = [row for run in runs for row, is_inner in run if not is_inner]
    # The items of a list tell by their marks where they begin.
    if not first or 2 * sum(map(starts_item, first)) >= len(first):
        return
    edge = min(max([row.x1 for row in rows]), rows[0].edge)
    judged = _Judged(runs, outer, edge)
    if judged.hang():
        for row in rows:
            row.edge = min(row.edge, edge)
        for run in runs:
            _mark_entries(run, outer)
    elif _are_short(rows, edge - outer) and judged.alternate():
        for row in rows:
            row.part = "line"


def _begin_indented(given: Row, rows: Sequence[Row]) -> bool:
    """Whether paragraphs begin where a row of their column does, and go on further left."""
    nearest, farthest = _FIRST_LINE
    returns = rests = 0
    for before, row in pairwise(rows):
        inwards = row.x0 - before.x0
        if not nearest * row.size <= abs(inwards) <= farthest * row.size or before.level:
            continue
        inner = row if inwards > 0 else before
        if not before.left == row.left == given.left or 4 * abs(inner.x0 - given.x0) > row.size:
            continue
        if SENTENCE_END.search(before.text) is None:
            returns += inwards < 0
            rests += inwards > 0  # of an item, or what explains a term
    return returns >= _MIN_RETURNS and returns > 2 * rests


def _runs(column: list[Row | None], outer: int, inner: int) -> Iterator[list[tuple[Row, bool]]]:
    """Rows next to each other that begin at one of the two places, and whether at the inner."""
    run: list[tuple[Row, bool]] = []
    for row in column:
        slack = _SAME * row.size if row else 0
        is_inner = row is not None and abs(row.x0 - inner) <= slack
        if row is None or not (is_inner or abs(row.x0 - outer) <= slack):
            yield run
            run = []
            continue
        if run and abs(row.size - run[-1][0].size) > 0.12 * row.size:
            yield run
            run = []
        run.append((row, is_inner))
    yield run


class _Judged:
    """What the rows of some runs, which stand between ``left`` and ``edge``, have in common."""

    def __init__(self, runs: list[list[tuple[Row, bool]]], left: int, edge: int) -> None:
        rows = [each for run in runs for each in run]
        first = [row.text for row, is_inner in rows if not is_inner]
        labels = [text for text in first if _LABEL.match(text)]
        self._labelled = len(labels) >= _MOST * len(first)
        self._rest = [row.text[0] for row, is_inner in rows if is_inner]
        self._starts = [text[0] for text in first] + self._rest
        self._has_items = any(starts_item(row) for row, _ in rows)
        #: Whether the first of two rows is indented, the second is, and the first is full.
        self._pairs = [
            (was_inner, is_inner, not had_room(before, row, left, edge))
            for run in runs
            for (before, was_inner), (row, is_inner) in pairwise(run)
        ]

    def hang(self) -> bool:
        """Whether the rows are entries, of which all rows but the first are indented.

        Then what comes before an indented row is full, and what comes before another is not.
        Where paragraphs begin indented it is the other way round.
        """
        indents = [full for was_inner, is_inner, full in self._pairs if is_inner > was_inner]
        outdents = [not full for was_inner, is_inner, full in self._pairs if is_inner < was_inner]
        right = [is_inner == full for _, is_inner, full in self._pairs]
        shares = [indents] if self._labelled else [indents, outdents, right]
        return (
            len(indents) >= _MIN_INDENTS
            and all(sum(each) >= _MOST * len(each) for each in shares)
            and not _are_capitals(self._rest)
        )

    def alternate(self) -> bool:
        """Whether every second row is indented, and that says nothing of paragraphs."""
        changes = [was_inner != is_inner for was_inner, is_inner, _ in self._pairs]
        paragraphs = [is_inner != full for _, is_inner, full in self._pairs]
        return (
            not self._has_items
            and sum(changes) > _CAPITALS * len(changes)
            and (sum(paragraphs) < _MOST * len(paragraphs) or _are_capitals(self._starts))
        )


def _are_short(rows: list[Row], width: int) -> bool:
    """Whether rows are as long as lines of verse; ``width`` is that of the longest."""
    filled = sum([row.x1 - row.x0 for row in rows])
    return width < _MAX_VERSE * rows[0].size and filled >= _MIN_FILL * width * len(rows)


def _are_capitals(characters: list[str]) -> bool:
    return sum(map(str.isupper, characters)) >= _CAPITALS * len(characters)


def _mark_entries(run: list[tuple[Row, bool]], left: int) -> None:
    for number, (row, is_inner) in enumerate(run):
        if is_inner:
            row.part = "rest"
            continue
        before, was_inner = run[number - 1] if number else (row, True)
        has_rest = number + 1 < len(run) and run[number + 1][1]
        # What is no entry among entries is a paragraph, of full rows below each other.
        if was_inner or has_rest or had_room(before, row, left, before.edge):
            row.part = "first"
