"""Rows of code: which rows in a monospaced font, and between them, are a block of it.

Of a row the font of its first character is known: prose that only begins with code is told by the
rows around it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from rag_assets.loading.pdf.extraction.scripts import is_east_asian
from rag_assets.loading.pdf.order.rows import Item, Row
from rag_assets.loading.pdf.paragraphs.paragraphs import had_room

#: What a line of code alone is known by: the prompt it was typed behind, or that it was set word by
#: word, its words so many font sizes apart.
_PROMPT = re.compile(r"(?:R?>|>>>|[$%])\s+\S|#\s+[\w./]")
_WORD_GAP = 0.7
#: So far apart are rows of code, and of prose, at most, in font sizes.
_CODE_PITCH = 1.6
_PROSE_PITCH = 2.5
#: The first row of a paragraph begins at most so many font sizes further in or out than the others.
_FIRST_LINE = 2.5
#: So many rows of a paragraph that follow each other may begin with code.
_IN_PARAGRAPH = 2


def code_rows(items: Sequence[Item], at: int) -> list[Row]:
    """The run of monospaced rows from ``at`` on; empty when it is too short to be a block."""
    rows: list[Row] = []
    for number, item in enumerate(items[at:], at):
        if not isinstance(item, Row) or item.level or item.furniture:
            break
        if rows and item.y1 < rows[-1].y0:
            break  # the next column
        if not item.mono and not (
            rows and _is_among_code(rows, item, items[number + 1 : number + 2])
        ):
            break
        rows.append(item)
    before = items[at - 1] if at else None
    if isinstance(before, Row) and not before.mono and _ends_paragraph(before, rows):
        return []
    following = items[at + len(rows)] if at + len(rows) < len(items) else None
    if (
        rows
        and isinstance(following, Row)
        and following.block == rows[-1].block
        and _is_in_sentence(items, rows[0], at)
    ):
        return []
    # A paragraph whose first row happens to be code goes on in another font.
    while (
        rows
        and isinstance(following, Row)
        and (_goes_on(rows[-1], following) or _goes_on_in_prose(rows[-1], following))
    ):
        following = rows.pop()
    if (
        isinstance(before, Row)
        and isinstance(following, Row)
        and _are_within(before, rows, following)
    ):
        return []
    while rows and not rows[-1].mono:
        rows.pop()
    if len(rows) == 1 and (_PROMPT.match(rows[0].text) or _is_set_by_words(rows[0])):
        return [] if isinstance(before, Row) and before.block == rows[0].block else rows
    return rows if len(rows) > 1 else []


def _is_set_by_words(row: Row) -> bool:
    """Whether the words of a row are pieces of their own, as programs set code."""
    gaps = [line.x0 - before.x1 for before, line in pairwise(row.lines) if not line.glued]
    return bool(gaps) and max(gaps) <= _WORD_GAP * row.size


def _ends_paragraph(before: Row, rows: list[Row]) -> bool:
    """Whether the first of some rows of code is the last of the paragraph before, or of East Asian
    text, and only begins with code: the row ``before``, which may begin further in, had no room for
    it."""
    own = [row.block for row in rows[:3]].count(before.block)
    return (
        (own == 1 or own == len(rows) == 2 or _goes_on_in_prose(before, rows[0]))
        and -before.size <= before.x0 - rows[0].x0 <= _FIRST_LINE * before.size
        and not had_room(before, rows[0], before.left, before.edge)
    )


def _is_in_sentence(items: Sequence[Item], first: Row, at: int) -> bool:
    """Whether rows of code with ``at`` items before them, and the rows of code of their block above
    them, stand within a sentence of that block."""
    for before in reversed(items[:at]):
        if not isinstance(before, Row) or before.block != first.block:
            return False
        if not before.mono:
            return _runs_into(before, first)
        first = before
    return False


def _runs_into(before: Row, row: Row) -> bool:
    """Whether a row of prose had no room for what begins the next row of its block."""
    return (
        not before.text.endswith((":", ".", ")"))
        and abs(row.x0 - before.x0) <= _FIRST_LINE * row.size
        and not had_room(before, row, before.left, before.edge)
    )


def _goes_on(row: Row, after: Row) -> bool:
    """Whether the paragraph a row begins may go on in the next row of its block: it had no room."""
    return (
        after.block == row.block
        and abs(after.x0 - row.x0) <= _FIRST_LINE * row.size
        and not had_room(row, after, row.left, row.edge)
    )


def _are_within(before: Row, rows: list[Row], after: Row) -> bool:
    """Whether one or two rows stand in the middle of a paragraph, and only begin with code: the row
    ``before`` had no room, and they stand above the one ``after`` as it does below them."""
    if not 0 < len(rows) <= _IN_PARAGRAPH or not before.block == rows[0].block == after.block:
        return False
    return (
        not before.mono
        and max([abs(row.x0 - after.x0) for row in rows]) * 4 <= after.size
        and after.lines[0].base - rows[-1].lines[0].base <= _CODE_PITCH * after.size
        and not had_room(before, rows[0], before.left, before.edge)
    )


def _goes_on_in_prose(row: Row, after: Row) -> bool:
    """Whether East Asian text goes on in the next row, only one of which begins with code: it had
    no room."""
    return (
        row.mono != after.mono
        and is_east_asian(row.text)
        and is_east_asian(after.text)
        and 0 < after.lines[0].base - row.lines[0].base <= _PROSE_PITCH * row.size
        and not had_room(row, after, row.left, row.edge)
    )


def _is_among_code(rows: list[Row], row: Row, after: Sequence[Item]) -> bool:
    """Whether a row in another font goes on with some rows of code: it begins with an East Asian
    character, stands between rows of code as these do, all of which end though there was room, and
    not left of them."""
    following = after[0] if after else None
    last = rows[-1]
    return (
        isinstance(following, Row)
        and following.mono
        and not (following.level or following.furniture)
        and is_east_asian(row.text[0])
        and 0 < row.lines[0].base - last.lines[0].base <= _CODE_PITCH * last.size
        and 0 < following.lines[0].base - row.lines[0].base <= _CODE_PITCH * last.size
        and 2 * (min([each.x0 for each in rows]) - row.x0) <= last.size
        and had_room(last, row, last.left, last.edge)
        and had_room(row, following, row.left, row.edge)
    )
