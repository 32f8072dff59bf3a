"""The proper names of a question that stand nowhere in a library.

Where the offices are in Berlin and Oslo, nothing that is said of an office answers a question about
the one in Madrid. A word that is no name may be said by another; a name is not, but for how it is
spelled. Both languages.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable, Sequence

from rag_query.generation.vocabulary.asking import offers_choice, without_asking
from rag_query.generation.vocabulary.facts import (
    UNIT_OF,
    WORD_CHARACTER,
    dates,
    han_names,
    latin_names,
    plain,
)
from rag_query.generation.vocabulary.spellings import folded, is_derived
from rag_query.text.analysis import Analyzer
from rag_query.text.variants import simplified_forms

_WORD = re.compile(rf"{WORD_CHARACTER}+")
_LETTERS = re.compile(rf"(?:(?![\d_]){WORD_CHARACTER})+")
_HAN = re.compile(r"[\u4e00-\u9fff]")
#: The first word of a sentence is written with a capital, whatever it is; X2 always is.
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+)\W*[A-Z](?![A-Za-z]*\d)")
#: "Where Is The Office?": all words are.
_HEADLINE = re.compile(
    r"\w\W+(?:Is|Are|Was|Were|Do|Does|Did|Can|The|Of|An?|In|On|For|To|With|My|Your|Our)\b"
)
#: API, LEDs: short for words that the library may write out. Of what is written in capitals
#: altogether nothing tells the names.
_ACRONYM = re.compile(r"[A-Z]{2,}s?")
#: German writes every noun with a capital.
_GERMAN = re.compile(
    r"\b(?:wie|wer|wann|welche[nmrs]?|ist|sind|wird|werden|kann|können|gibt|kostet|für|und|ich|wir"
    r"|eine[nmrs]?|das|dem|zum|zur)\b|(?<!van )(?<!von )\bder\b",
    re.IGNORECASE,
)
_TITLE = frozenset(("mrs", "miss", "madam", "sir", "prof", "professor", "doctor"))
#: Of two spellings of one name, by :class:`difflib.SequenceMatcher`: Gandhi and Ghandi.
_ALIKE = 0.8
#: By how many letters one of them may be the longer: Austria is not Australia.
_LONGER = 1
#: A shorter word is like many others: "per" and Peru.
_SHORTEST_ALIKE = 5
#: 东西 is a thing as often as east and west, 西区 and 南部 are parts of any place.
_DIRECTION = re.compile(r"[东南西北中][东南西北中部区边方面侧]")
#: What a place is: of 苏州市 the name is 苏州, and 州市 stands in 杭州市 too.
_KIND_OF_PLACE = re.compile(r"(?<=[\u4e00-\u9fff]{2})[省市县区镇乡州]$")
#: The dictionary takes many a word of two characters for the name of a person.
_SHORTEST_PERSON = 3


def unknown_names(
    question: str, analyzer: Analyzer, frequency: Callable[[str], int]
) -> frozenset[str]:
    """The names of a question that no chunk of the library holds; words of a name each by itself.

    Args:
        frequency: token -> number of chunks that hold it.
    """

    def is_known(word: str) -> bool:
        return any(map(frequency, analyzer.tokens(word)))

    text = plain(question)
    # Of names that are offered one is asked for, and the others may be none of the library's.
    if offers_choice(text):
        return frozenset()
    han = {name: _cut_otherwise(_without_kind(name)) for name in _han(text)}
    found = {name for name, cuts in han.items() if not any(map(is_known, cuts))}
    if not (_HEADLINE.search(text) or _GERMAN.search(text)):
        for words in _latin(text):
            known = [word for word in words if is_known(word)]
            # A Chinese text may write a name in Chinese, but not half of it.
            if known or not _HAN.search(text):
                found |= {word for word in words if is_name(word) and word not in known}
    return frozenset(found)


def is_said(name: str, text: str) -> bool:
    """Whether a text has a name, be it spelled or derived in another way: Light-House for
    Lighthouse, Norwegian for Norway, 台灣 for 台湾."""
    if _HAN.search(name):
        name, text = (each.translate(simplified_forms()) for each in (name, text))
        name = _without_kind(name)
        return any(name[at : at + 2] in text for at in range(len(name) - 1))
    mine = folded(name)
    words = _LETTERS.findall(folded(plain(text)))
    if mine in _run_together(words):
        return True
    if any(is_derived(mine, word) for word in set(words)):
        return True
    near = [word for word in set(words) if abs(len(word) - len(mine)) <= _LONGER]
    alike = [word for word in near if min(len(word), len(mine)) >= _SHORTEST_ALIKE]
    return bool(difflib.get_close_matches(mine, alike, n=1, cutoff=_ALIKE))


def _han(text: str) -> list[str]:
    written = without_asking(text).translate(simplified_forms())
    people = [name for name in han_names(written, "nr") if len(name) >= _SHORTEST_PERSON]
    names = people + han_names(written, "ns", "nt", "nrt")
    return [name for name in names if not _DIRECTION.fullmatch(name)]


def _without_kind(name: str) -> str:
    return _KIND_OF_PLACE.sub("", name)


def _cut_otherwise(name: str) -> list[str]:
    """A Chinese name, and what of it stays when its first or its last character belongs to the word
    beside it."""
    return [name, name[1:], name[:-1]] if len(name) > 2 else [name]


def _latin(text: str) -> list[list[str]]:
    """The words of each name in Latin letters."""
    text = _SENTENCE_START.sub(lambda match: match[0].lower(), text)
    return [_WORD.findall(name) for name in latin_names(text, skip_first=False)]


def words_of_names(names: Sequence[str]) -> frozenset[str]:
    """The words of names in Latin letters, see :func:`is_name`."""
    words = (word for name in names for word in _WORD.findall(plain(name)))
    return frozenset(filter(is_name, words))


def is_name(word: str) -> bool:
    """Whether a word of a name must stand in a text as it is: no acronym, nothing with digits,
    which may be a code, no time and no unit."""
    said = word.casefold()
    return (
        word[0].isupper()
        and len(word) > 2
        and word.isalpha()
        and not _ACRONYM.fullmatch(word)
        and not dates(word)
        and said not in UNIT_OF
        and said not in _TITLE
    )


def _run_together(words: Sequence[str]) -> set[str]:
    """Each word, and each with the one or the two behind it: Light-House, Super Bowl."""
    two = map("".join, itertools.pairwise(words))
    three = map("".join, zip(words, words[1:], words[2:], strict=False))
    return {*words, *two, *three}
