"""Chinese words that stand in a text though it is cut otherwise: 水池 in 地下水|池.

A word of which neither end is where the text is cut is none: 病假 in 生病|假装.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import accumulate

#: What begins or ends a word as often as it is one: 我国|会 holds no 国会.
_WORDS_ALONE = frozenset("是要有在能会可被把为不了的和与或及对从到向")
#: Texts whose cuts are kept: a question asks for them once for each of its words.
_KEPT = 4096
#: The light of a lamp: red is the one of a red lamp, where the text speaks of light.
_LIT = re.compile(r"[灯光闪亮]")
_LAMP = re.compile(r"([红橙黄绿青蓝紫白])灯")


def cut_otherwise(terms: Collection[str], held: Collection[str], text: str) -> set[str]:
    """Those of the terms that stand in a text but are none of the words ``held`` it is cut into."""
    return {
        term
        for term in terms
        if len(term) > 1 and not term.isascii() and term in text and term not in held
        if _WORDS_ALONE.isdisjoint((term[0], term[-1])) and _has_end(term, text)
    }


def lamps(terms: Collection[str], text: str) -> set[str]:
    """The lamps of which a text gives the colour: 红灯 where the light is 红色."""
    found = {term: _LAMP.fullmatch(term) for term in terms if term.endswith("灯")}
    if not found or not _LIT.search(text):
        return set()
    return {term for term, lamp in found.items() if lamp and f"{lamp[1]}色" in text}


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
