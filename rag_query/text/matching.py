"""Where in a text the words of a question stand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from rag_query.text.analysis import UNSPACED_RUNS, WORDS, WORDS_ASCII, Analyzer
from rag_query.text.variants import simplified_forms

#: Words that say how a sentence is built, not what it is about; as the analysis leaves them.
_ENGLISH = """
a an and ani are as at be been by can could do for from had has have i if in into is it me my of on
or our shall should so than that the their them then there these they this those to us was we were
will with would you your
"""
_CHINESE = """
的 了 是 在 和 与 及 或 有 吧 啊 把 被 对 于 从 到 为 以 之 其 这 那 我 你 他 它 们 是否 可以 需要
应该
"""
_ASKING = """
what which who whom whose when where whi how doe did 什么 什么样 什么时候 为什么 为何 怎么 怎么样
怎样 如何 哪 哪个 哪些 哪里 哪儿 哪位 哪种 哪年 哪几 谁 多少 几 几个 何时 吗 呢
"""
#: Words that only ask: what answers a question holds none of them.
QUESTION_WORDS = frozenset(_ASKING.split())
FUNCTION_WORDS = QUESTION_WORDS.union((_ENGLISH + _CHINESE).split())


def content_words(tokens: Collection[str]) -> frozenset[str]:
    """The tokens without function words; all of them when nothing would be left."""
    return frozenset(tokens) - FUNCTION_WORDS or frozenset(tokens)


class Place(NamedTuple):
    """A range of a text, half open, and the terms that stand there."""

    start: int
    end: int
    terms: Sequence[str]


def find_words(text: str, terms: Collection[str], analyzer: Analyzer) -> list[tuple[int, int]]:
    """Ranges of ``text`` whose tokens are among ``terms``: half open, ordered, apart."""
    return joined(find_places(text, terms, analyzer))


def find_places(text: str, terms: Collection[str], analyzer: Analyzer) -> list[Place]:
    """Where in ``text`` each of ``terms`` stands, in order.

    A word of letters is marked whole, an identifier whole when the question has all of it or a
    part of it. In scripts without blanks the characters of the term are marked.
    """
    return sorted(_places_in(text, frozenset(terms), analyzer))


def joined(places: Iterable[Place]) -> list[tuple[int, int]]:
    """Ranges of ordered places, those that touch as one."""
    ranges: list[tuple[int, int]] = []
    for start, end, _ in places:
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((start, end))
    return ranges


def _places_in(text: str, wanted: frozenset[str], analyzer: Analyzer) -> Iterator[Place]:
    unspaced = sorted((t for t in wanted if UNSPACED_RUNS.match(t)), key=lambda t: (-len(t), t))
    if unspaced:
        # One character becomes one character, so that places stay what they were.
        forms = simplified_forms()
        folds = any(ord(character) in forms for character in set(text))
        simple = text.translate(forms) if folds else text
        for match in re.finditer("|".join(map(re.escape, unspaced)), simple):
            yield Place(*match.span(), [term for term in unspaced if term in match[0]])
    ascii_only = text.isascii()
    for word in (WORDS_ASCII if ascii_only else WORDS).finditer(text):
        if not ascii_only and UNSPACED_RUNS.match(word[0]):
            continue
        tokens = analyzer.of_word(word[0])
        if not wanted.isdisjoint(tokens):
            yield Place(*word.span(), [token for token in tokens if token in wanted])
