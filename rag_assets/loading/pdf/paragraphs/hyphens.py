"""What a word or sentence that was broken at the end of a line has there when it is whole.

A word that was only divided loses its hyphen ("docu-/ment"); a compound keeps it
("worst-/case"). Between Chinese or Japanese and a digit or Latin letter some documents set a blank
and some do not. The document itself is the dictionary: what it writes elsewhere decides. So do the
links it draws over its addresses, which have no end of a line in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from rag_assets.loading.pdf.extraction.scripts import CJK

#: Letters of the scripts that divide words with hyphens: Latin, Greek, Cyrillic. What stands before
#: them in other scripts is no part of the word. Ranges are what a pattern is quickest at.
_LETTERS = "[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u052f]"
_WORD = re.compile(f"{_LETTERS}+(?:-{_LETTERS}+)*")
_LAST = re.compile(f"({_LETTERS}+(?:-{_LETTERS}+)*)-$")
_FIRST = re.compile(f"{_LETTERS}+")
#: What some programs divide words with; it may be all of a document's hyphens.
_HYPHEN = "\u2010"
#: An adverb of this length before a hyphen belongs to a compound ("strongly-coupled").
_ADVERB = 6
#: First parts of compounds that are no divided words.
_COMPOUND = frozenset(
    {"all", "cross", "half", "low", "high", "long", "non", "quasi", "self", "short"}
    | {"well", "worst"}
)
#: Of the scripts without blanks; what else they have is punctuation.
_IDEOGRAPH = "[\u3005\u3007\u3041-\u30ff\u31f0-\u9fff\uf900-\ufaff]"
#: Where they stand beside a digit or a Latin letter: by whether they stand first, and whether it is
#: a digit. Letters and what stands before and after them differ, for some programs set a space
#: where others only move a word.
_BESIDE = {
    (True, True): re.compile(f"{_IDEOGRAPH} ?(?=[0-9])"),
    (True, False): re.compile(f"{_IDEOGRAPH} ?(?=[A-Za-z])"),
    (False, True): re.compile(f"[0-9] ?(?={_IDEOGRAPH})"),
    (False, False): re.compile(f"[A-Za-z] ?(?={_IDEOGRAPH})"),
}
#: So many characters of a document tell what it does.
_ENOUGH = 50_000
_CJK = re.compile(f"[{CJK}]")
_FIRST_CJK = CJK[0]
#: No blank stands between it and an ideograph; the marks of CJK have none on either side.
_PUNCTUATION = re.compile(f"(?!{_IDEOGRAPH})[{CJK}“”‘’—…·]")
#: What has a blank before it wherever it stands: an address, the mark of an item, the date below a
#: signature.
_APART = re.compile(r"https?:|www\.|(?:\d{1,3}|[A-H])[.)．、](?!\d)|\d{4}年\d{1,2}月\d{1,2}日$")
#: The beginning of an address, the rest of it, and signs of which it has more than the one it may
#: be broken behind: a sentence may end with the name of a file.
_ADDRESS = re.compile(r"[A-Za-z][!-'*-;=?-~]*$")
_ADDRESS_REST = re.compile(r"[!-'*-;=?-~]+")
_ADDRESS_SIGN = re.compile(r"[/@.]")


class Hyphens:
    """Judges by the words of ``texts``, rows in their order, and the ``addresses`` of links; both
    are read when the first line asks."""

    def __init__(self, texts: Sequence[str], addresses: Iterable[str] = ()) -> None:
        self._texts = texts
        self._addresses = addresses
        #: Of the places in ``_BESIDE`` asked for, how often each was found, how often with a blank.
        self._habits: dict[tuple[bool, bool], tuple[int, int]] = {}

    def divide(self, before: str, after: str) -> bool:
        """Whether ``before``, which ends with a hyphen, and ``after`` share one divided word."""
        halves = _halves(before, after)
        if halves is None:
            return True
        left, right = halves
        if before[-1] == _HYPHEN and "-" in before:
            return True  # compounds have the other one
        if f"{left}-{right}" in self._words:
            return False
        if left + right in self._words:
            return True
        if "-" in left or left in _COMPOUND or (left.endswith("ly") and len(left) >= _ADVERB):
            return False
        # Two words of the document side by side are a compound; halves of a word are none.
        return not (left in self._words and right in self._words)

    def is_one_word(self, before: str, after: str) -> bool:
        """Whether the document writes what a hyphen ends and ``after`` begins as one word
        ("Open-/Type"), and nowhere as a compound."""
        halves = _halves(before, after)
        if halves is None:
            return False
        left, right = halves
        return left + right in self._words and f"{left}-{right}" not in self._words

    def is_address(self, before: str, after: str) -> bool:
        """Whether a link leads to what ``before`` ends with and ``after`` begins, as one."""
        if not self._linked:
            return False
        last, first = _ADDRESS.search(before), _ADDRESS_REST.match(after)
        if last is None or first is None:
            return False
        begin, rest = last[0], first[0].rstrip(".,:;")
        has_sign = _ADDRESS_SIGN.search(begin[:-1]) or _ADDRESS_SIGN.search(rest)
        return has_sign is not None and begin + rest in self._linked

    def joint(self, before: str, after: str) -> str:
        """What stands between two lines of one text: nothing or a blank."""
        last, first = before[-1:], after[:1]
        if last < _FIRST_CJK and first < _FIRST_CJK:
            return " "  # which most text is
        if "\u4e00" <= last <= "\u9fff" and "\u4e00" <= first <= "\u9fff":
            return ""  # which most CJK text is
        cjk_first, cjk_last = _CJK.match(last) is not None, _CJK.match(first) is not None
        if cjk_first == cjk_last:
            return "" if cjk_first else " "
        if last in ".,;:!?" or _APART.match(after):
            return " "
        if _PUNCTUATION.match(last) or _PUNCTUATION.match(first):
            return ""
        is_digit = (first if cjk_first else last) in "0123456789"
        return " " if self._sets_blank((cjk_first, is_digit)) else ""

    def _sets_blank(self, key: tuple[bool, bool]) -> bool:
        found, spaced = self._habit(key)
        if not found:
            found, spaced = map(sum, zip(*map(self._habit, _BESIDE), strict=True))
        # Of a document that does not say, numbers are known to stand close.
        return 2 * spaced > found if found else not key[1]

    def _habit(self, key: tuple[bool, bool]) -> tuple[int, int]:
        if key not in self._habits:
            found = _BESIDE[key].findall(self._beginning)
            self._habits[key] = (len(found), sum(map(len, found)) - len(found))
        return self._habits[key]

    @cached_property
    def _beginning(self) -> str:
        return "\n".join(self._texts)[:_ENOUGH]

    @cached_property
    def _linked(self) -> str:
        return "\n".join(dict.fromkeys(self._addresses))

    @cached_property
    def _words(self) -> frozenset[str]:
        kept: list[str] = []
        divided = False
        for written in self._texts:
            text = written.replace(_HYPHEN, "-")
            # The halves of divided words are no words of their own.
            rest = _FIRST.sub("", text, count=1) if divided else text
            divided = text.endswith("-")
            kept.append(_LAST.sub("", rest) if divided else rest)
        # Most of a text are words that stood there before.
        return frozenset(_WORD.findall(" ".join(set("\n".join(kept).split())).casefold()))


def _halves(before: str, after: str) -> tuple[str, str] | None:
    """What stands before the hyphen that ends ``before`` and the first word of ``after``."""
    last, first = _LAST.search(before.replace(_HYPHEN, "-")), _FIRST.match(after)
    return (last[1].casefold(), first[0].casefold()) if last and first else None
