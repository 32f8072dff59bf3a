"""The boxes of a form whose answers are ticked in print: what is a list mark elsewhere says there
which answer was given, and is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from rag_assets.loading.pdf.order.rows import PageRows, Row

#: Empty boxes and those that are ticked; both mark the items of lists too.
_BOXES = frozenset("○●□■")
_PAIRS = (frozenset("○●"), frozenset("□■"))
#: A box within a row, before an answer.
_ANOTHER = re.compile(r"\s[○●□■☐☑☒]\s?[^\W_]")
_EMPTY = re.compile(r"[○□☐]")


def mark_answers(pages: Sequence[PageRows]) -> None:
    """Set ``answers`` of the rows that begin with a box, in a document where some row has more than
    one and not all are filled, as those of a legend are, or where empty and ticked ones stand
    below each other."""
    # Asked of every row, and so first without a call.
    boxed = [(page, [row for row in page.rows if row.text[0] in _BOXES]) for page in pages]
    if any(_are_answers(page, rows) for page, rows in boxed if rows):
        for _, rows in boxed:
            for row in rows:
                row.answers = True


def _are_answers(page: PageRows, boxed: list[Row]) -> bool:
    return any(_ANOTHER.search(row.text) and _EMPTY.search(row.text) for row in boxed) or any(
        {row.text[0], below.text[0]} in _PAIRS and _is_next(page, row, below)
        for row, below in pairwise(boxed)
    )


def _is_next(page: PageRows, row: Row, below: Row) -> bool:
    """Whether a row begins below another of the same page with nothing in between but what stands
    further in: an item of an outer or an inner list begins elsewhere."""
    at = page.rows.index(row)
    between = page.rows[at + 1 : page.rows.index(below, at)]
    near = row.size // 2
    return abs(row.x0 - below.x0) < near and all(each.x0 >= row.x0 + near for each in between)
