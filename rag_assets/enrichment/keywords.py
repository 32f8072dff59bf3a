"""Keywords of a chunk, from its own document alone, so that no other document changes them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain

from rag_query.text.analysis import AnalysisProfile, Analyzer
from rag_query.text.pictures import ASSET_SCHEME

#: Words without a subject; the analysis keeps them, keywords need not.
_ENGLISH = (
    "a about above after again all also although always am among an and another any are around as "
    "at be because been before being below between both but by can cannot could did do does doing "
    "don't done down during each either else etc even ever every few first for from further get "
    "gets getting give given go goes going got had has have having he her here hers him his how "
    "however i if in into is isn't it it's its itself just last less let like made make makes many "
    "may me might more most much must my need needs never new next no nor not now of off often on "
    "once one only or other others our out over own per same see set shall she should since so "
    "some still such take than that that's the their them then there therefore these they this "
    "those through thus to together too two under until up upon us use used uses using very via "
    "want was way we well were what when where whether which while who whose why will with within "
    "without would yet you you'll you're your"
)
_CHINESE = (
    "一个 一些 一样 一种 一般 一下 一直 不同 不是 不能 不要 不会 与其 为了 为什么 之前 之后 "
    "之间 也是 也可以 了解 于是 什么 什么样 今天 他们 以上 以下 以及 以后 任何 但是 你们 "
    "使用 例如 其中 其他 其它 其实 关于 其次 再次 几个 出来 分别 别的 即可 即使 又是 只是 "
    "只有 只要 可以 可能 各种 各自 同时 同样 后面 因为 因此 如何 如果 如此 它们 对于 对应 "
    "就是 已经 并且 当前 很多 怎么 怎样 我们 或者 所以 所有 所谓 时候 是否 更多 最后 最好 "
    "有些 有关 有时 根据 此外 每个 比如 没有 没什么 然后 然而 现在 甚至 由于 的话 相关 看到 "
    "第一 第二 等等 自己 虽然 还是 还有 这个 这些 这样 这里 这种 通过 那个 那些 那么 那样 "
    "除了 除非 需要 非常 并不 一定 不仅 而且 而是 从而 以便 起来 进行 具有 之类 那里 哪些 "
    "您的 我的 你的"
)
_STOP_WORDS = frozenset(_ENGLISH.split()) | frozenset(_CHINESE.split())
#: Link targets and media addresses are no words of the text.
_TARGET = re.compile(rf"\]\([^)\s]*\)|{ASSET_SCHEME}\w+|https?://\S+|<[^>\n]{{1,200}}>")
_WORD = re.compile(r"[^\W\d_][\w'.-]*")


class KeywordExtractor:
    """The most telling words of each chunk of a document."""

    def __init__(self, top_k: int) -> None:
        self._top_k = top_k
        self._analyzer = _analyzer()

    def keywords(self, chunks: Sequence[str]) -> list[list[str]]:
        """At most ``top_k`` words for each chunk of one document, best first.

        A word scores by how often the chunk says it, damped, times how few of the document's
        chunks do (tf-idf inside the document). Words of equal score stand as the text has them.
        """
        if not self._top_k:
            return [[] for _ in chunks]
        counts = [self._words(chunk) for chunk in chunks]
        spread = Counter(chain.from_iterable(counts))
        # Few different numbers of chunks, many words.
        weight_of = {n: math.log(1 + len(chunks) / n) for n in set(spread.values())}
        weight = {word: weight_of[n] for word, n in spread.items()}
        return [self._best(chunk, weight) for chunk in counts]

    def _words(self, text: str) -> Counter[str]:
        """How often each word that says something stands in the text, in its order."""
        tokens = self._analyzer.tokens(_TARGET.sub(" ", text))
        return Counter(filter(None, map(_telling, tokens)))

    def _best(self, counts: Counter[str], weight: dict[str, float]) -> list[str]:
        score = {word: (1 + math.log(number)) * weight[word] for word, number in counts.items()}
        return sorted(score, key=score.__getitem__, reverse=True)[: self._top_k]


@cache
def _analyzer() -> Analyzer:
    """One for all shards of a run, which say the same words. Keywords are shown to people, so they
    are not stemmed."""
    return Analyzer(AnalysisProfile(stemmer=""))


@lru_cache(maxsize=50_000)
def _telling(token: str) -> str | None:
    """The word of a token, when it says something by itself."""
    word = token.removesuffix("'s")
    shortest = 3 if word.isascii() else 2
    says_something = (
        len(word) >= shortest
        and word not in _STOP_WORDS
        and len(word) <= 40
        and _WORD.fullmatch(word) is not None
    )
    return word if says_something else None
