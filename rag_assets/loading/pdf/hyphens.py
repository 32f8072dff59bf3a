"""Whether the hyphen at the end of a line belongs to its word.

A word that was only divided loses its hyphen ("docu-/ment"); a compound keeps it
("worst-/case"). The document itself is the dictionary: what it writes elsewhere decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

#: Letters of the scripts that divide words with hyphens: Latin, Greek, Cyrillic. What stands before
#: them in other scripts is no part of the word. Ranges are what a pattern is quickest at.
_LETTERS = "[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u052f]"
_WORD = re.compile(f"{_LETTERS}+(?:-{_LETTERS}+)*")
_LAST = re.compile(f"({_LETTERS}+(?:-{_LETTERS}+)*)-$")
_FIRST = re.compile(f"{_LETTERS}+")
#: An adverb of this length before a hyphen belongs to a compound ("strongly-coupled").
_ADVERB = 6
#: First parts of compounds that are no divided words.
_COMPOUND = frozenset(
    {"all", "cross", "half", "low", "high", "long", "non", "quasi", "self", "short"}
    | {"well", "worst"}
)


class Hyphens:
    """Judges by the words of ``texts``, rows in their order, read when the first hyphen asks."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts

    def divide(self, before: str, after: str) -> bool:
        """Whether ``before``, which ends with a hyphen, and ``after`` share one divided word."""
        last, first = _LAST.search(before), _FIRST.match(after)
        if last is None or first is None:
            return True
        left, right = last[1].casefold(), first[0].casefold()
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
        last, first = _LAST.search(before), _FIRST.match(after)
        if last is None or first is None:
            return False
        left, right = last[1].casefold(), first[0].casefold()
        return left + right in self._words and f"{left}-{right}" not in self._words

    @cached_property
    def _words(self) -> frozenset[str]:
        kept: list[str] = []
        divided = False
        for text in self._texts:
            # The halves of divided words are no words of their own.
            rest = _FIRST.sub("", text, count=1) if divided else text
            divided = text.endswith("-")
            kept.append(_LAST.sub("", rest) if divided else rest)
        # Most of a text are words that stood there before.
        return frozenset(_WORD.findall(" ".join(set("\n".join(kept).split())).casefold()))
