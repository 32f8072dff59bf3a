"""The text shown of an evidence, at three depths, never longer than asked.

* ``l0``: the title path and the sentence that holds most of the query's words.
* ``l1``: the sentences that hold most of the query's words, in reading order.
* ``l2``: the chunk from its beginning.
* ``auto``: the whole chunk when it fits, else ``l1``.

Cuts fall at sentence ends, in every language ``text/sentences.py`` knows; a single sentence
that is too long is cut between words. Left-out text shows as "…".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rag_query.contracts.plan import SnippetPolicy
from rag_query.text.analysis import Analyzer
from rag_query.text.matching import Place, find_places, find_words, joined
from rag_query.text.sentences import split_sentences

ELLIPSIS = "…"
GAP = f" {ELLIPSIS} "
_SEPARATOR = " › "


_Range = tuple[int, int]


class _Part(NamedTuple):
    """A part of the chunk's text, half open, and where in the snippet it begins."""

    start: int
    end: int
    at: int


_Cut = tuple[str, list[_Part]]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A snippet and the policy that really made it (``auto`` becomes ``l2`` or ``l1``).

    ``ranges`` are the parts of the chunk's text that it shows, in order, and ``matches`` the
    places in ``text`` where words of the query stand; half open.
    """

    text: str
    policy: SnippetPolicy
    ranges: tuple[_Range, ...] = field(default=(), compare=False)
    matches: tuple[_Range, ...] = field(default=(), compare=False)


def make_snippet(
    text: str,
    policy: SnippetPolicy,
    max_chars: int,
    *,
    terms: Collection[str],
    analyzer: Analyzer,
    title_path: tuple[str, ...] = (),
) -> Snippet:
    """Cut a chunk's text.

    Args:
        text: of the chunk.
        max_chars: the result is never longer, in code points.
        terms: the query's tokens, by the same analysis.
        title_path: document title and headings, for ``l0``.
    """
    left_out = len(text) - len(text.lstrip())
    text = text.strip()
    places = find_places(text, terms, analyzer)
    if policy == "auto":
        policy = "l2" if len(text) <= max_chars else "l1"
    matches: list[_Range] = []
    if policy == "l0":
        path = _SEPARATOR.join(part for part in title_path if part)
        shown, parts = _l0(text, max_chars, places, path)
        matches = find_words(path[: len(shown)], terms, analyzer)
    elif len(text) <= max_chars:
        shown, parts = text, [_Part(0, len(text), 0)]
    elif policy == "l2":
        shown, parts = _beginning(text, max_chars)
    else:
        shown, parts = _best_sentences(text, max_chars, places)
    matches += joined(_moved(places, parts))
    ranges = tuple((left_out + start, left_out + end) for start, end, _ in parts if start < end)
    return Snippet(shown, policy, ranges, tuple(matches))


def _moved(places: Sequence[Place], parts: Sequence[_Part]) -> list[Place]:
    """The places that are shown whole, where the snippet has them."""
    ranges = [(start, end) for start, end, _ in parts]
    return [
        Place(at + place.start - start, at + place.end - start, place.terms)
        for (start, _, at), inside in zip(parts, _inside(ranges, places), strict=True)
        for place in inside
    ]


def _l0(text: str, max_chars: int, places: Sequence[Place], path: str) -> _Cut:
    sentences = split_sentences(text)
    matches = _matches(sentences, places)
    best = max(range(len(sentences)), key=lambda i: (matches[i], -i), default=None)
    start, sentence = _stripped(text, sentences[best]) if best is not None else (0, "")
    before = f"{path}: " if path and sentence else path
    shown = _between_words(before + sentence, max_chars)
    length = min(len(shown.removesuffix(ELLIPSIS)), len(before + sentence)) - len(before)
    return shown, [_Part(start, start + length, len(before))] if length > 0 else []


def _stripped(text: str, place: _Range) -> tuple[int, str]:
    """A part of a text without the blanks around it, and where that begins."""
    part = text[slice(*place)]
    return place[0] + len(part) - len(part.lstrip()), part.strip()


def _beginning(text: str, max_chars: int) -> _Cut:
    """Whole sentences from the start."""
    end = 0
    for _, sentence_end in split_sentences(text):
        if len(text[:sentence_end].rstrip()) + len(ELLIPSIS) + 1 > max_chars:
            break
        end = sentence_end
    if not end:
        shown = _between_words(text, max_chars)
        return shown, [_Part(0, len(shown.removesuffix(ELLIPSIS)), 0)]
    shown = text[:end].rstrip()
    return f"{shown} {ELLIPSIS}", [_Part(0, len(shown), 0)]


def _best_sentences(text: str, max_chars: int, places: Sequence[Place]) -> _Cut:
    """The sentences with most matches that fit, in reading order."""
    sentences = split_sentences(text)
    matches = _matches(sentences, places)
    if not any(matches):
        return _beginning(text, max_chars)
    lengths = [len(text[start:end].strip()) for start, end in sentences]
    chosen: set[int] = set()

    def choose(order: Iterable[int]) -> None:
        taken = sum(lengths[index] for index in chosen)
        for index in order:
            # Most do not fit even without what would stand between them.
            if taken + lengths[index] > max_chars:
                continue
            if len(_joined(text, sentences, {*chosen, index})[0]) <= max_chars:
                chosen.add(index)
                taken += lengths[index]

    every = range(len(sentences))
    choose(sorted((i for i in every if matches[i]), key=lambda i: (-matches[i], i)))
    if chosen:
        # The space that is left shows what stands around the matches.
        matched = sorted(chosen)
        rest = [i for i in every if not matches[i]]
        choose(sorted(rest, key=lambda i: (min(abs(i - m) for m in matched), i)))
    if not chosen:
        best = max(range(len(sentences)), key=lambda i: (matches[i], -i))
        return _around_match(text, sentences[best], max_chars, places)
    return _joined(text, sentences, chosen)


def _matches(ranges: Iterable[_Range], places: Sequence[Place]) -> list[int]:
    """How many different terms stand in each range."""
    return [
        len({term for place in inside for term in place.terms})
        for inside in _inside(ranges, places)
    ]


def _inside(ranges: Iterable[_Range], places: Sequence[Place]) -> Iterator[list[Place]]:
    """For each range the places that stand whole in it."""
    starts = [place.start for place in places]
    for start, end in ranges:
        among = places[bisect_left(starts, start) : bisect_left(starts, end)]
        yield [place for place in among if place.end <= end]


def _joined(text: str, sentences: list[_Range], chosen: Collection[int]) -> _Cut:
    """The chosen sentences, with a mark for what is left out between them."""
    order = sorted(chosen)
    shown = f"{ELLIPSIS} " if order[0] else ""
    parts: list[_Part] = []
    for place, index in enumerate(order):
        start, sentence = _stripped(text, sentences[index])
        if parts:
            follows = index == order[place - 1] + 1
            shown += text[parts[-1].end : start] if follows else GAP
        parts.append(_Part(start, start + len(sentence), len(shown)))
        shown += sentence
    return shown if index == len(sentences) - 1 else f"{shown} {ELLIPSIS}", parts


def _around_match(text: str, sentence_at: _Range, max_chars: int, places: Sequence[Place]) -> _Cut:
    """The part of a long sentence (a table, a line of data) that has most matches."""
    begin, sentence = _stripped(text, sentence_at)
    width = max(1, max_chars - 2 * (len(ELLIPSIS) + 1))
    starts = range(0, max(1, len(sentence) - width // 2), max(1, width // 2))
    matches = _matches([(begin + s, begin + s + width) for s in starts], places)
    best = max(range(len(starts)), key=lambda i: (matches[i], -i))
    if best == 0:
        shown = _between_words(sentence, max_chars)
        return shown, [_Part(begin, begin + len(shown.removesuffix(ELLIPSIS)), 0)]
    rest = sentence[starts[best] :].lstrip()
    start = begin + len(sentence) - len(rest)
    before = f"{ELLIPSIS} "
    shown = _between_words(before + rest, max_chars)
    # The mark of what is left out at the end is no text of the sentence.
    whole = len(shown) == len(before + rest)
    length = len(shown) - len(before) - (0 if whole else len(ELLIPSIS))
    return shown, [_Part(start, start + max(length, 0), len(before))]


def _between_words(text: str, max_chars: int) -> str:
    """Cut at a blank where there is one in the last third, else anywhere; ends with "…"."""
    if len(text) <= max_chars:
        return text
    cut = text[: max(0, max_chars - len(ELLIPSIS))]
    blank = cut.rfind(" ")
    if blank > len(cut) * 2 // 3:
        cut = cut[:blank]
    return cut.rstrip() + ELLIPSIS
