"""Evidence that says what another already says: overlapping spans and near duplicates.

* ``overlap``: two chunks of one version share more than half of the shorter one's characters (a
  chunker with a wide overlap): one evidence.
* ``near_duplicate``: two chunks of different places say the same words: the Jaccard index of
  their shingles of :data:`SHINGLE` tokens (Broder 1997) is at least :data:`ALIKE`. Two texts whose
  numbers and codes differ are never duplicates, however alike: a table of another year, the page
  of another error code. Neither are two versions of one document, which someone asked to compare.

The index is exact, not sketched: only the candidates that come near the budget are compared, and
a table from shingle to the evidences that hold it finds the one alike without comparing all pairs.
It holds few shingles of each: of two sets as alike as that, the first tenth of one in any order
of all shingles, and one more, has a shingle of the first tenth of the other (prefix filter;
Chaudhuri, Ganti, Kaushik 2006).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

SHINGLE = 4
ALIKE = 0.9
#: Share of the shorter span.
OVERLAPPING = 0.5

_TOKEN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]|\w+")
#: The same of a text in ASCII, in half the time.
_ASCII_TOKEN = re.compile(r"\w+", re.ASCII)
_HAS_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Span:
    """Where a candidate stands: half open code points of one version of a document."""

    document: str
    version: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Print:
    """Shingles of a text, the first of them in ascending order, and its numbers and codes."""

    shingles: frozenset[int]
    first: tuple[int, ...]
    numbers: Counter[str]


@dataclass
class Repetition:
    """What the kept evidences already say.

    Args:
        spans: of each candidate.
        text: the text of a candidate, read only when a candidate is compared.
        overlaps: whether overlapping spans count as one.
        duplicates: whether near duplicates count as one.

    Attributes:
        collapsed: kept candidate -> the candidates that were collapsed into it, best first.
    """

    spans: Sequence[Span]
    text: Callable[[int], str]
    overlaps: bool = True
    duplicates: bool = True
    collapsed: dict[int, list[int]] = field(default_factory=dict)
    _kept: dict[int, _Print] = field(default_factory=dict)
    _by_version: dict[str, list[int]] = field(default_factory=dict)
    _holders: dict[int, list[int]] = field(default_factory=dict)
    _seen: dict[int, _Print] = field(default_factory=dict)

    def overlapped(self, index: int) -> str | None:
        """``overlap`` when a kept candidate shares most of the shorter one's span."""
        return self._into(self._overlapping(index), index, "overlap")

    def duplicated(self, index: int) -> str | None:
        """``near_duplicate`` when a kept candidate's text is nearly this one's."""
        return self._into(self._alike(index), index, "near_duplicate")

    def keep(self, index: int) -> None:
        """This candidate became an evidence."""
        self._by_version.setdefault(self.spans[index].version, []).append(index)
        if self.duplicates:
            own = self._kept[index] = self._print(index)
            for shingle in own.first:
                self._holders.setdefault(shingle, []).append(index)

    def _into(self, kept: int | None, index: int, rule: str) -> str | None:
        if kept is None:
            return None
        self.collapsed.setdefault(kept, []).append(index)
        return rule

    def _overlapping(self, index: int) -> int | None:
        if not self.overlaps:
            return None
        span = self.spans[index]
        for other in self._by_version.get(span.version, ()):
            kept = self.spans[other]
            shared = min(span.end, kept.end) - max(span.start, kept.start)
            if shared > OVERLAPPING * max(1, min(span.end - span.start, kept.end - kept.start)):
                return other
        return None

    def _alike(self, index: int) -> int | None:
        if not self.duplicates:
            return None
        own = self._print(index)
        near = {other for s in own.first for other in self._holders.get(s, ())}
        shared = {other: len(own.shingles & self._kept[other].shingles) for other in near}
        for other, common in sorted(shared.items(), key=lambda pair: (-pair[1], pair[0])):
            kept = self._kept[other]
            if common / (len(own.shingles) + len(kept.shingles) - common) < ALIKE:
                continue
            if own.numbers == kept.numbers and not self._revised(index, other):
                return other
        return None

    def _revised(self, index: int, other: int) -> bool:
        one, two = self.spans[index], self.spans[other]
        return one.document == two.document and one.version != two.version

    def _print(self, index: int) -> _Print:
        if index not in self._seen:
            self._seen[index] = _printed(self.text(index))
        return self._seen[index]


def _printed(text: str) -> _Print:
    tokens = (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text.lower())
    width = max(1, min(SHINGLE, len(tokens)))
    shingles = frozenset(map(hash, zip(*(tokens[at:] for at in range(width)), strict=False)))
    first = sorted(shingles)[: len(shingles) - int(ALIKE * len(shingles)) + 1]
    numbers = [token for token in tokens if not token.isalpha() and _HAS_DIGIT.search(token)]
    return _Print(shingles, tuple(first), Counter(numbers))
