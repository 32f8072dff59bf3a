"""Whether the hyphen at the end of a line belongs to its word.

A word that was only divided loses its hyphen ("docu-/ment"); a compound keeps it
("worst-/case"). The document itself is the dictionary: what it writes elsewhere decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)-$")
_FIRST = re.compile(r"[^\W\d_]+")
#: First parts of compounds that are no divided words.
_COMPOUND = frozenset(
    {"all", "cross", "half", "low", "high", "long", "non", "quasi", "self", "short", "well"}
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
        if "-" in left or left in _COMPOUND:
            return False
        # Two words of the document side by side are a compound; halves of a word are none.
        return not (left in self._words and right in self._words)

    @cached_property
    def _words(self) -> frozenset[str]:
        found: set[str] = set()
        divided = False
        for text in self._texts:
            # The halves of divided words are no words of their own.
            rest = _FIRST.sub("", text, count=1) if divided else text
            divided = text.endswith("-")
            rest = _LAST.sub("", rest) if divided else rest
            found.update(_WORD.findall(rest.casefold()))
        return frozenset(found)
