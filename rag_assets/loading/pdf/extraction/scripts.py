"""Scripts of East Asia, and what so stands between two runs of text."""

from __future__ import annotations

import re

#: Scripts written without blanks between words.
CJK = "\u2e80-\u303f\u3040-\u30ff\u31c0-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
_CJK = re.compile(f"[{CJK}]")
_EAST_ASIAN = re.compile(f"[{CJK}\uac00-\ud7af]")
_NUMERALS = frozenset("一二三四五六七八九十")
#: Before all of them.
_FIRST_CJK = CJK[0]


def is_east_asian(text: str) -> bool:
    """Whether a text begins or ends with a character of an East Asian script."""
    first, last = text[0], text[-1]
    # What most texts begin and end with is known without a pattern.
    if first < _FIRST_CJK and last < _FIRST_CJK:
        return False
    return (
        "\u4e00" <= first <= "\u9fff"
        or _EAST_ASIAN.match(first) is not None
        or _EAST_ASIAN.match(last) is not None
    )


def half_width(text: str, width: int, size: int) -> float:
    """How wide each character of a monospaced text is that is none of East Asia: those are as wide
    as its font is large. Never less than one hundredth of a point."""
    wide = 0 if text.isascii() else len(_EAST_ASIAN.findall(text))
    return max((width - wide * size) / max(len(text) - wide, 1), 1)


def joint(before: str, after: str) -> str:
    """What stands between two runs of text that follow each other: nothing between characters of
    scripts without blanks, else a blank."""
    last, first = before[-1:], after[:1]
    if last < _FIRST_CJK or first < _FIRST_CJK:
        return " "
    return "" if _CJK.match(last) and _CJK.match(first) else " "


def is_set_wide(before: str, after: str) -> bool:
    """Whether two pieces of CJK text belong together however wide the gap between them is: those
    of a word, as one character that is no number begins ("摘 要", "姓 名："), or the brackets an
    answer is written into."""
    return (len(before) == 1 and before not in _NUMERALS) or after.lstrip("（ ")[:1] in ("", "）")
