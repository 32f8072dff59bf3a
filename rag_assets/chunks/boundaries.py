"""Where a section may be cut, from the best places to the worst."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from operator import attrgetter

from rag_assets.chunks.measure import Measure
from rag_assets.sections.blocks import Block
from rag_query.text.sentences import split_sentences

#: A separator that stands for the ends of sentences.
SENTENCE = "<sentence>"

_CJK = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_CLOSING = "，。、；：？！）」』】》〉”’,.;:?!)\\]}"
_CLAUSE = re.compile(rf"(?:[，、；：]|[,;:](?=\s))[{_CLOSING}]*\s*")
_WORD = re.compile(rf"\s+|[{_CJK}{_CLOSING}](?![\s{_CLOSING}])")
#: "3.14", "12:30", "2026-01-05", "setup.py", "it’s", and the signs of "https://".
_INSIDE_WORD = re.compile(
    rf"[^\W_{_CJK}](?:[-.:@'’][^\W_{_CJK}]|:(?=//))|:/(?=/)|(?<=:)//(?=[^\W_{_CJK}])"
)
_BLANK_LINES = re.compile(r"\n\s*\n")
_ENDS_LINE = re.compile(r"(?:[。！？!?.…:：;；]|  |\\)[^\S\n]*\Z")

#: Blocks that stay together when they are at most so large, in chunk sizes.
_LARGEST_KEPT = {"heading": 0.5, "code": 1.0, "table": 1.0}

#: Finds the last place in ``(low, high]``, or None.
Finder = Callable[[int, int], int | None]


class Boundaries:
    """The places of one section's text where a chunk may end.

    Args:
        limit: chunk size; a code block or table not longer than this is not cut, wherever it
            stands.
        separators: in order of preference; see ``RctsParams.separators``.
    """

    def __init__(
        self,
        text: str,
        blocks: Sequence[Block],
        ruler: Measure,
        limit: float,
        separators: Sequence[str],
    ) -> None:
        self._text = text
        self._blocks = blocks
        self._starts = [block.start for block in blocks]
        self._kept = _kept_whole(blocks, ruler, limit)
        self._kept_starts = [start for start, _ in self._kept]
        self.headings = [
            block.start
            for before, block in pairwise(blocks)
            if block.kind == "heading" and before.kind != "heading"
        ]
        self._finders = [finder for name in separators for finder in self._finders_of(name)]

    def last(self, low: int, high: int, *, keep_whole: bool = True) -> int | None:
        """The best place ``c`` with ``low < c <= high``; of equally good ones the last.

        Args:
            keep_whole: never inside what should stay together.
        """
        for finder in self._finders:
            place = finder(low, high)
            while keep_whole and place is not None and (held := self.held(place)):
                place = finder(low, held[0]) if held[0] > low else None
            if place is not None:
                return place
        return None

    def first(self, low: int, high: int) -> int | None:
        """The first place where a word ends in ``(low, high)``."""
        places = (m.end() for m in _WORD.finditer(self._text, low, high))
        return next((p for p in places if low < p < high and not self._inside_word(p)), None)

    def whole_character(self, low: int, high: int) -> int | None:
        """The last place in ``(low, high]`` that parts no characters drawn as one."""
        place = high
        while place > low and _joined(self._text, place):
            place -= 1
        return place if place > low else None

    def held(self, place: int) -> tuple[int, int] | None:
        """The range that should stay together and has ``place`` inside it."""
        index = bisect_right(self._kept_starts, place - 1) - 1
        if index >= 0 and self._kept[index][0] < place < self._kept[index][1]:
            return self._kept[index]
        return None

    def block_at(self, place: int) -> Block | None:
        """The block that holds the character at ``place``."""
        index = bisect_right(self._starts, place) - 1
        if index >= 0 and place < self._blocks[index].end:
            return self._blocks[index]
        return None

    def prose_at(self, place: int) -> tuple[int, str] | None:
        """Where what holds the character at ``place`` begins, and its kind.

        That is a block; in a block with code or tables inside, one of those or what follows one.
        """
        block = self.block_at(place)
        if block is None:
            return None
        index = bisect_right(block.nested, place, key=_start_of) - 1
        if index < 0:
            return block.start, block.kind
        inside = block.nested[index]
        return (inside.start, inside.kind) if place < inside.end else (inside.end, block.kind)

    def sentences(self, low: int, high: int) -> list[int]:
        """Ends of sentences in ``(low, high]``."""
        block = self.block_at(low)
        start = max(block.start, low - 200) if block else low
        stop = min(len(self._text), high + 80)
        spans = split_sentences(self._text[start:stop])
        ends = [start + end for _, end in spans]
        if stop < len(self._text):
            ends = ends[:-1]
        return [end for end in ends if low < end <= high]

    def _finders_of(self, separator: str) -> Iterable[Finder]:
        if separator == "\n\n":
            return (_among(self.headings), _among(self._starts), self._inner_start)
        if separator == "\n":
            return (self._line_end,)
        if separator == SENTENCE:
            return (self._sentence_end, self._any_line)
        if separator == " ":
            return (self._matching(_CLAUSE), self._word_end)
        if separator == "":
            return (self._sign, self.whole_character)
        return (self._matching(re.compile(re.escape(separator))),)

    def _inner_start(self, low: int, high: int) -> int | None:
        """Where a block begins, or an item, row or paragraph of one, or of code."""
        return _among(self._inner)(low, high)

    @cached_property
    def _inner(self) -> list[int]:
        inner = set(self._starts)
        for block in self._blocks:
            inner.update(block.inner)
            if block.kind == "code":
                gaps = _BLANK_LINES.finditer(self._text, block.start, block.end)
                inner.update(gap.end() for gap in gaps)
        return sorted(inner)

    def _line_end(self, low: int, high: int) -> int | None:
        """A line's end that is not only where prose was wrapped."""
        place = self._any_line(low, high)
        while place is not None:
            block = self.block_at(place - 1)
            before = self._text[max(0, place - 80) : place - 1]
            if block is None or block.kind != "paragraph" or _ENDS_LINE.search(before):
                return place
            place = self._any_line(low, place - 1)
        return None

    def _any_line(self, low: int, high: int) -> int | None:
        place = self._text.rfind("\n", low, high) + 1
        return place if place > low else None

    def _sentence_end(self, low: int, high: int) -> int | None:
        ends = self.sentences(low, high)
        return ends[-1] if ends else None

    def _word_end(self, low: int, high: int) -> int | None:
        places = [m.end() for m in _WORD.finditer(self._text, low, high) if m.end() > low]
        return next((place for place in reversed(places) if not self._inside_word(place)), None)

    def _sign(self, low: int, high: int) -> int | None:
        """Behind the last sign between words: a word that is cut in two is found in neither.

        A sign inside a name or number is taken where there is no other.
        """
        inside = None
        for place in range(high, low, -1):
            if _is_sign(self._text[place - 1]) and not _joined(self._text, place):
                if not self._inside_word(place):
                    return place
                inside = inside or place
        return inside

    def _inside_word(self, place: int) -> bool:
        """Whether the sign before ``place`` stands inside a name or number."""
        return place > 1 and _INSIDE_WORD.match(self._text, place - 2) is not None

    def _matching(self, pattern: re.Pattern[str]) -> Finder:
        def find(low: int, high: int) -> int | None:
            places = [m.end() for m in pattern.finditer(self._text, low, high) if m.end() > low]
            return places[-1] if places else None

        return find


def _kept_whole(blocks: Sequence[Block], ruler: Measure, limit: float) -> list[tuple[int, int]]:
    """Disjoint ranges with no good place inside: code and tables that fit, a heading with the
    beginning of what follows it."""
    kept: list[tuple[int, int]] = []
    following = [*(block.start for block in blocks[1:]), None]
    for block, after in zip(blocks, following, strict=False):
        for part in block.nested or (block,):
            most = _LARGEST_KEPT.get(part.kind)
            if most is None or ruler.size(part.start, part.end) > most * limit:
                continue
            span = (part.start, part.end)
            if part.kind == "heading" and after is not None:
                span = (part.start, after + 1)
            if kept and kept[-1][1] > span[0]:
                kept[-1] = (kept[-1][0], max(kept[-1][1], span[1]))
            else:
                kept.append(span)
    return kept


_start_of = attrgetter("start")


def _among(places: Sequence[int]) -> Finder:
    def find(low: int, high: int) -> int | None:
        index = bisect_right(places, high) - 1
        return places[index] if index >= 0 and places[index] > low else None

    return find


def _is_sign(character: str) -> bool:
    """Whether it stands in no word: punctuation or a symbol, but no underscore."""
    return character != "_" and unicodedata.category(character)[0] in "PS"


def _joined(text: str, place: int) -> bool:
    """Whether the characters around ``place`` are drawn as one."""
    if place <= 0 or place >= len(text):
        return False
    before, after = text[place - 1], text[place]
    if before < "\u0300" and after < "\u0300":
        return before == "\r" and after == "\n"
    regional = "\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff"
    return (
        regional
        or unicodedata.category(after) in ("Mn", "Mc", "Me")
        or before == "\u200d"
        or after == "\u200d"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
    )
