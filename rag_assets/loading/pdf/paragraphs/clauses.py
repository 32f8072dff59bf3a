"""What begins anew behind a full row: numbered clauses, questions and parts, and what has a label.

A row may be full by chance; what the next one begins with tells then that the text does not go on.
"""

from __future__ import annotations

import re

from rag_assets.loading.pdf.extraction.blocks import TableBlock
from rag_assets.loading.pdf.order.rows import PageRows, Row

SENTENCE_END = re.compile(r"[.!?:;。！？：；…؟؛۔][\"'”’)\]）」』]*(?:\[\^[^\]\s]+\])*$")
NUMBERED = re.compile(r"^\(?\d{1,3}[.)]\s+(?=\S)|^[①-⑳]")
#: What numbers clauses, questions and references; in text these may stand anywhere, but seldom do
#: where both a sentence and a row begin.
CLAUSE = re.compile(
    r"[1-9]\d?(?:\.[1-9]\d?){1,3}\s+(?=[A-ZÀ-Þ《“「（(\u4e00-\u9fff])(?![和与及至或中小节章])"
    r"|\d{1,3}[．、]|\d{1,3}\.(?=[（(\u4e00-\u9fff])|（(?:\d{1,2}|[一二三四五六七八九十]{1,3})）"
    r"|\((?:\d{1,2}|[一二三四五六七八九十]{1,3})\)(?=[\u4e00-\u9fff])"
    r"|第[一二三四五六七八九十百零\d]{1,5}条\s|\[\d{1,3}\]\s"
)
#: What numbers the parts of a Chinese text; "二、三产业" and "第一、二章" are none.
_NUMERALS = "一二三四五六七八九十"
_PART = re.compile("[一二三四五六七八九十]{1,3}、(?![一二三四五六七八九十百千第])")
#: A number that stands before an item, in whichever brackets.
_NUMBER = re.compile(
    r"([（(\[]?)(\d{1,3}|[①-⑳一二三四五六七八九十])([)）\]．、]|\.(?!\d)|(?<=[①-⑳]))"
)
#: The answers one may choose from, in one row, and the last of them.
CHOICES = re.compile(r"A[.．、]\s*\S.*?\sB[.．、]\s*\S")
_CHOICE = re.compile(r"[A-H][.．、]\s*\S")
#: The title of a section on a package insert; within a sentence it may name a figure or a key.
_BRACKETED = re.compile(r"【[^】]{1,12}】")
#: What is bold up to its colon, and what lists the keywords of an article, in whatever type.
_LABEL = re.compile(r"[\u4e00-\u9fff]{2,8}[：:]|[A-Z][a-z]+(?: [A-Za-z]+){0,2}:")
#: What names a table above it.
_CAPTION = re.compile(r"(?:[表图]|Tab(?:le|\.)|Fig(?:ure|\.))\s*[A-Z]?\d")
_KEYWORDS = re.compile(r"关键[词字]\s*[：:]|Key ?[Ww]ords?\s*[:—–]")


def mark_captions(page: PageRows) -> None:
    """Let the row right above a table begin anew where it names the table, behind the end of a
    sentence and with none of its own."""
    items = page.items
    for before, row, table in zip(items, items[1:], items[2:], strict=False):
        if (
            isinstance(table, TableBlock)
            and isinstance(row, Row)
            and isinstance(before, Row)
            and _CAPTION.match(row.text)
            and _ends_sentence(before)
            and not _ends_sentence(row)
        ):
            row.anew = True


def starts_clause(before: Row, row: Row) -> bool:
    """Whether a row begins anew though ``before`` is full."""
    text = row.text
    first = text[0]
    # Most rows begin with a letter, and of those only what is numbered in Chinese is a clause.
    if first.isalpha():
        if first in _NUMERALS:
            return begins_part(before, row)
        if first == "第":
            return CLAUSE.match(text) is not None and _ends_sentence(before)
        return _has_label(before, row) and _ends_sentence(before)
    if first == "【":
        anew = before.text[0] == "【" or _ends_sentence(before)
        return anew and _BRACKETED.match(text) is not None
    if CLAUSE.match(text) and (_ends_sentence(before) or _CHOICE.match(before.text)):
        return True
    return _is_next(before, row) or _is_outer(before, row)


def begins_part(before: Row, row: Row) -> bool:
    """Whether a row begins with the number of a part of a Chinese text."""
    return (
        row.text[0] in _NUMERALS
        and before.text[-1] not in "、，第"
        and _PART.match(row.text) is not None
    )


def stands_apart(text: str) -> bool:
    """Whether what begins anew is a paragraph of its own, and no item or clause of a list."""
    return text[0] == "【" or (text[0].isalpha() and text[0] != "第")


def _ends_sentence(row: Row) -> bool:
    return SENTENCE_END.search(row.text) is not None


def _has_label(before: Row, row: Row) -> bool:
    if row.bold > before.bold:
        return _LABEL.match(row.text) is not None
    return row.text[0] in "关K" and _KEYWORDS.match(row.text) is not None


def _is_next(before: Row, row: Row) -> bool:
    """Whether the numbers that two rows begin with follow each other."""
    this, last = _NUMBER.match(row.text), _NUMBER.match(before.text)
    return (
        this is not None
        and last is not None
        and this[1] == last[1]
        and this[3] == last[3]
        and _value(this[2]) == _value(last[2]) + 1
    )


def _value(number: str) -> int:
    if number.isdecimal():
        return int(number)
    return _NUMERALS.index(number) + 1 if number in _NUMERALS else ord(number) - ord("①") + 1


def _is_outer(before: Row, row: Row) -> bool:
    """Whether a numbered row stands further left than the one before it, which ends a sentence, as
    an item does below one that is indented or the rest of one."""
    return (
        2 * (before.x0 - row.x0) > row.size
        and NUMBERED.match(row.text) is not None
        and _ends_sentence(before)
    )
