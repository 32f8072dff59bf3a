"""Chinese words that stand in a text though it is cut otherwise: 水池 in 地下水|池.

A word of which neither end is where the text is cut is none: 病假 in 生病|假装.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from itertools import accumulate

#: What begins or ends a word as often as it is one: 我国|会 holds no 国会.
_WORDS_ALONE = frozenset("是要有在能会可被把为不了的和与或及对从到向")
#: Texts whose cuts are kept: a question asks for them once for each of its words.
_KEPT = 4096


def cut_otherwise(terms: Collection[str], held: Collection[str], text: str) -> set[str]:
    """Those of the terms that stand in a text but are none of the words ``held`` it is cut into."""
    return {
        term
        for term in terms
        if len(term) > 1 and not term.isascii() and term in text and term not in held
        if _WORDS_ALONE.isdisjoint((term[0], term[-1])) and _has_end(term, text)
    }


def _has_end(term: str, text: str) -> bool:
    cuts = _cuts(text)
    at = text.find(term)
    while at >= 0:
        if at in cuts or at + len(term) in cuts:
            return True
        at = text.find(term, at + 1)
    return False


@lru_cache(maxsize=_KEPT)
def _cuts(text: str) -> frozenset[int]:
    """The places between the words of a text, the characters of unknown ones apart."""
    import rjieba

    return frozenset(accumulate(map(len, rjieba.cut(text, hmm=False)), initial=0))
