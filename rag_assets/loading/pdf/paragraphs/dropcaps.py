"""Large first letters of chapters and articles: each belongs to the word it begins."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rag_assets.loading.pdf.order.rows import DROP_CAP, PageRows, Row

#: Quotation marks that may be set as large as the letter.
_QUOTES = "\"'“‘„«‹「『"
_WORD = re.compile(r"[^\W\d_]+")
#: A letter, and a quotation mark before it.
_MAX_CAP = 2
#: What rises from its row, but does not stand in several, is so many times as large as the text.
_RAISED_CAP = 1.3
#: No text is narrower than so many of its font sizes a character.
_NARROWEST = 0.33
#: Letters that may be words of their own.
_ALONE = "AIO"


def join_drop_caps(pages: Sequence[PageRows], body: int) -> None:
    """Make a large letter that text runs around the first line of the row it begins; the letter
    keeps its place. Elsewhere single letters are headings, of an index perhaps. A row that one
    rises from has the size of its text.

    Args:
        body: see ``headings.body_size``.
    """
    raised, large = _RAISED_CAP * body, DROP_CAP * body
    for page in pages:
        for cap in [row for row in page.rows if row.size >= raised]:
            if len(cap.text) > _MAX_CAP:
                _set_size(cap, page.rows)
                continue
            letter = cap.text.lstrip(_QUOTES)
            if (
                cap.size < large
                or cap.vertical
                or len(cap.lines) > 1
                or len(letter) != 1
                or not letter.isalpha()
            ):
                continue
            first = _begun_by(cap, page.rows)
            if first is None:
                continue
            first.lines[0].glued = not _is_word(letter, first.text, pages)
            first.lines.insert(0, cap.lines[0])
            first.rewrite()
            page.rows.remove(cap)
            page.items.remove(cap)


def _set_size(row: Row, rows: Sequence[Row]) -> None:
    """Give a row that only begins with a large letter the size of its text, which is that of the
    next row: it is too narrow for its own, and the next one ends where it does."""
    at = rows.index(row) + 1
    after = rows[at] if at < len(rows) else row
    if (
        row.x1 - row.x0 < _NARROWEST * row.size * len(row.text)
        and after.block == row.block
        and after.size < row.size
        and abs(after.x1 - row.x1) <= after.size
    ):
        row.size = after.size


def _begun_by(cap: Row, rows: Sequence[Row]) -> Row | None:
    """The row that begins beside the upper half of a letter; null unless text like it goes on
    below the letter."""
    middle = (cap.y0 + cap.y1) // 2
    beside = [
        row
        for row in rows
        if cap.y0 <= (row.y0 + row.y1) // 2 <= middle
        and 2 * abs(row.x0 - cap.x1) <= cap.size
        and DROP_CAP * row.size <= cap.size
    ]
    first = min(beside, key=lambda row: row.y0, default=None)
    if first is None:
        return None
    size = first.size
    below = any(
        middle <= row.y0 <= cap.y1 + size
        and abs(row.x0 - cap.x0) <= size
        and 8 * abs(row.size - size) <= size
        for row in rows
    )
    return first if below else None


def _is_word(letter: str, text: str, pages: Sequence[PageRows]) -> bool:
    """Whether a letter is a word before ``text``, as far as the words of the document tell."""
    rest = _WORD.match(text)
    if letter not in _ALONE or rest is None:
        return False
    rows = [row.text.lower() for page in pages for row in page.rows]
    words = Counter(word for row in rows for word in _WORD.findall(row))
    # The row itself begins with it.
    return not words[(letter + rest[0]).lower()] and words[rest[0].lower()] > 1
