"""The text shown of an evidence, at three depths, never longer than asked.

* ``l0``: the title path and the sentence that holds most of the query's words.
* ``l1``: the sentences that hold most of the query's words, in reading order.
* ``l2``: the chunk from its beginning.
* ``auto``: the whole chunk when it fits, else ``l1``.

Cuts fall at sentence ends, in every language ``text/sentences.py`` knows; a single sentence
that is too long is cut between words. Left-out text shows as "…".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from rag_query.contracts.plan import SnippetPolicy
from rag_query.text.analysis import Analyzer
from rag_query.text.matching import find_words
from rag_query.text.sentences import split_sentences

ELLIPSIS = "…"
GAP = f" {ELLIPSIS} "
_SEPARATOR = " › "


_Range = tuple[int, int]
#: A text and the parts of the chunk's text it is made of.
_Cut = tuple[str, list[_Range]]


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
    if policy == "auto":
        policy = "l2" if len(text) <= max_chars else "l1"
    if policy == "l0":
        shown, ranges = _l0(text, max_chars, terms, analyzer, title_path)
    elif len(text) <= max_chars:
        shown, ranges = text, [(0, len(text))]
    elif policy == "l2":
        shown, ranges = _beginning(text, max_chars)
    else:
        shown, ranges = _best_sentences(text, max_chars, terms, analyzer)
    places = tuple((left_out + start, left_out + end) for start, end in ranges if start < end)
    return Snippet(shown, policy, places, tuple(find_words(shown, terms, analyzer)))


def _l0(
    text: str,
    max_chars: int,
    terms: Collection[str],
    analyzer: Analyzer,
    title_path: tuple[str, ...],
) -> _Cut:
    sentences = split_sentences(text)
    matches = _matches(text, sentences, terms, analyzer)
    best = max(range(len(sentences)), key=lambda i: (matches[i], -i), default=None)
    start, sentence = _stripped(text, sentences[best]) if best is not None else (0, "")
    path = _SEPARATOR.join(part for part in title_path if part)
    before = f"{path}: " if path and sentence else path
    shown = _between_words(before + sentence, max_chars)
    length = min(len(shown.removesuffix(ELLIPSIS)), len(before + sentence)) - len(before)
    return shown, [(start, start + length)] if length > 0 else []


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
        return shown, [(0, len(shown.removesuffix(ELLIPSIS)))]
    shown = text[:end].rstrip()
    return f"{shown} {ELLIPSIS}", [(0, len(shown))]


def _best_sentences(text: str, max_chars: int, terms: Collection[str], analyzer: Analyzer) -> _Cut:
    """The sentences with most matches that fit, in reading order."""
    sentences = split_sentences(text)
    matches = _matches(text, sentences, terms, analyzer)
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
            if len(_joined(text, sentences, {*chosen, index})) <= max_chars:
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
        start, sentence = _stripped(text, sentences[best])
        shown, (begin, end) = _around_match(sentence, max_chars, terms, analyzer)
        return shown, [(start + begin, start + end)]
    ranges = []
    for index in sorted(chosen):
        start, sentence = _stripped(text, sentences[index])
        ranges.append((start, start + len(sentence)))
    return _joined(text, sentences, chosen), ranges


def _matches(
    text: str, sentences: list[tuple[int, int]], terms: Collection[str], analyzer: Analyzer
) -> list[int]:
    """How many different terms each sentence holds."""
    wanted = set(terms)
    return [len(wanted.intersection(analyzer.tokens(text[start:end]))) for start, end in sentences]


def _joined(text: str, sentences: list[tuple[int, int]], chosen: set[int]) -> str:
    parts: list[str] = []
    previous = -1
    for index in sorted(chosen):
        start, end = sentences[index]
        if parts and index == previous + 1:
            parts[-1] += text[start:end]
        else:
            parts.append(text[start:end])
        previous = index
    body = GAP.join(part.strip() for part in parts)
    before = f"{ELLIPSIS} " if min(chosen) > 0 else ""
    after = f" {ELLIPSIS}" if max(chosen) < len(sentences) - 1 else ""
    return f"{before}{body}{after}"


def _around_match(
    sentence: str, max_chars: int, terms: Collection[str], analyzer: Analyzer
) -> tuple[str, _Range]:
    """The part of a long sentence (a table, a line of data) that has most matches."""
    wanted = set(terms)
    width = max(1, max_chars - 2 * (len(ELLIPSIS) + 1))
    starts = range(0, max(1, len(sentence) - width // 2), max(1, width // 2))
    best = max(
        starts,
        key=lambda s: (len(wanted.intersection(analyzer.tokens(sentence[s : s + width]))), -s),
    )
    if best == 0:
        shown = _between_words(sentence, max_chars)
        return shown, (0, len(shown.removesuffix(ELLIPSIS)))
    rest = sentence[best:].lstrip()
    start = len(sentence) - len(rest)
    before = f"{ELLIPSIS} "
    shown = _between_words(before + rest, max_chars)
    # The mark of what is left out at the end is no text of the sentence.
    whole = len(shown) == len(before + rest)
    length = len(shown) - len(before) - (0 if whole else len(ELLIPSIS))
    return shown, (start, start + max(length, 0))


def _between_words(text: str, max_chars: int) -> str:
    """Cut at a blank where there is one in the last third, else anywhere; ends with "…"."""
    if len(text) <= max_chars:
        return text
    cut = text[: max(0, max_chars - len(ELLIPSIS))]
    blank = cut.rfind(" ")
    if blank > len(cut) * 2 // 3:
        cut = cut[:blank]
    return cut.rstrip() + ELLIPSIS
