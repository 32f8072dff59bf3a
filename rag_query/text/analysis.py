"""Tokens for BM25: one analysis at index and at query time.

Every index and every query must use the same profile, so it has an id of its own. The rules:

* Compatibility forms, case and accents do not matter.
* An ordinary word is exactly one token, its English stem, so that document lengths and term
  frequencies stay those of the prose.
* An identifier (``snake_case``, ``CamelCase``, ``a.b.c``, ``E1234``, ``v1.2.3``, ``src/io.py``)
  is kept whole, lower-cased and unstemmed, and followed by its parts.
* Traditional and Japanese forms of a Han character count as its simplified one.
* Chinese is cut into dictionary words, and long words into the words inside them (words the
  dictionary does not know are found by its hidden Markov model; adding bigrams lowers nDCG).
  Japanese kana, Korean and scripts without blanks become overlapping bigrams.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache

from rag_query.text.ids import profile_id
from rag_query.text.variants import simplified_forms

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff"
#: Thai, Lao, Burmese and Khmer: written without blanks between words.
_UNSPACED = "\u0e01-\u0e4e\u0e81-\u0ede\u1000-\u109f\u1780-\u17d3"
#: Vowel signs are not word characters for ``re`` but belong to the words of these scripts.
_INDIC = "\u0900-\u0963\u0971-\u0dff"

_BIGRAMS = _KANA + _HANGUL + _UNSPACED
_ASCII_UNIT = r"[A-Za-z0-9_]+"
_UNIT = rf"(?:[^\W{_HAN}{_BIGRAMS}]|[{_INDIC}])+"
_JOINT = r"(?:[./\\@'’-]|::)"
#: A word that nothing can be joined to: what most are, found without trying anything else.
_PLAIN = rf"[A-Za-z]++(?![\w{_INDIC}./\\@'’:+#-])"


def _compound(unit: str) -> str:
    number = r"\d{1,3}(?:,\d{3})+(?![\d,])"
    return rf"{_PLAIN}|{number}|(?<!\w)[A-Za-z](?:\+\+|\#)(?!\w)|{unit}(?:{_JOINT}{unit})*"


#: A word or a compound of a text in ASCII; what :data:`WORDS` finds there, in half the time.
WORDS_ASCII = re.compile(_compound(_ASCII_UNIT))
#: A word, a compound, or a run of a script without blanks.
WORDS = re.compile(rf"[{_HAN}]+|[{_BIGRAMS}]+|{_compound(_UNIT)}")
_STARTS_HAN = re.compile(f"[{_HAN}]")
_STARTS_BIGRAMS = re.compile(f"[{_BIGRAMS}]")
#: The beginning of a run of a script without blanks.
UNSPACED_RUNS = re.compile(f"[{_HAN}{_BIGRAMS}]")
_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")

_COMBINING = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]+")
_UNDECOMPOSED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})

_CONTRACTION = re.compile(r"[^\W\d_]+'(?:s|t|d|m|re|ve|ll)")
#: ``v1.2.3rc1``, ``2.0-beta.1``, ``2.4-fold``: a number and what is joined to it.
_DOTTED_NUMBER = re.compile(r"(v?)(\d+(?:\.\d+)+)([a-z]*\d*)(?:-(\w.*))?", re.DOTALL)
_ACRONYM = re.compile(r"[A-Z](?:\.[A-Z])+")
_ABBREVIATIONS = frozenset({"e.g", "i.e", "a.m", "p.m"})
_LANGUAGE_NAME = re.compile(r"[a-z](?:\+\+|#)")
_CAMEL = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z]{2})|(?<=[a-z]{2})(?=[A-Z]{3})"
)


@dataclass(frozen=True, slots=True)
class _Level:
    """One way parts are joined; ``keeps`` tells an identifier from joined prose."""

    joint: re.Pattern[str]
    keeps: Callable[[str, Sequence[str]], bool]


def _always(_word: str, _parts: Sequence[str]) -> bool:
    return True


def _never(_word: str, _parts: Sequence[str]) -> bool:
    return False


def _is_path(word: str, parts: Sequence[str]) -> bool:
    """``and/or`` and ``mg/kg`` are prose."""
    return len(parts) > 2 or "." in word or "_" in word


def _is_code(word: str, _parts: Sequence[str]) -> bool:
    """``UTF-8`` and ``CVE-2024-1`` are names, ``well-known`` is prose."""
    return any(ch.isdigit() for ch in word)


_LEVELS = (
    _Level(re.compile(r"[/\\]"), _is_path),
    _Level(re.compile("@"), _always),
    _Level(re.compile("::"), _always),
    _Level(re.compile(r"\."), _always),
    _Level(re.compile("-"), _is_code),
    _Level(re.compile("'"), _never),
    _Level(re.compile("_"), _always),
)

_MEMO_SIZE = 100_000
#: Longer compounds (encoded data, long addresses) are indexed by their parts only.
_MAX_WHOLE = 120


@dataclass(frozen=True, slots=True)
class AnalysisProfile:
    """Parameters of :class:`Analyzer`.

    Attributes:
        stemmer: a Snowball algorithm for words in plain Latin letters; empty for none.
        chinese: the dictionary that cuts Chinese; another dictionary gives other tokens.
        variants: the tables that fold variants of Han characters.
        rules_version: raised when the rules of this module change.
    """

    stemmer: str = "english"
    chinese: str = "rjieba-0.2/search"
    variants: str = "opencc-1.4/t2s+jp"
    rules_version: int = 2

    @property
    def id(self) -> str:
        """``analysis_profile_id``: sha256 of the profile's canonical JSON."""
        return profile_id(asdict(self))


DEFAULT_PROFILE = AnalysisProfile()


class Analyzer:
    """Turns text into tokens. Safe to use from several threads."""

    def __init__(self, profile: AnalysisProfile = DEFAULT_PROFILE) -> None:
        import rjieba
        from Stemmer import Stemmer

        self.profile = profile
        self._cut: Callable[[str], list[str]] = rjieba.cut_for_search
        self._simplified = simplified_forms()
        self._stemmer = Stemmer(profile.stemmer) if profile.stemmer else None
        self._stemming = threading.Lock()
        self._memo: dict[str, tuple[str, ...]] = {}

    @property
    def analysis_profile_id(self) -> str:
        """Names the rules; an index made with another id answers other questions."""
        return self.profile.id

    def tokens(self, text: str) -> list[str]:
        """The tokens of ``text`` in order; none is empty or holds a blank."""
        if text.isascii():
            return self._of_words(WORDS_ASCII.findall(text))
        if _INVISIBLE.search(text):
            text = _INVISIBLE.sub("", text)
        return self._of_words(WORDS.findall(unicodedata.normalize("NFKC", text)))

    def of_word(self, word: str) -> Sequence[str]:
        """The tokens of one word, as :data:`WORDS` finds it; quicker than :meth:`tokens`."""
        known = self._memo.get(word)
        return known if known is not None else self.tokens(word)

    def _of_words(self, words: Iterable[str]) -> list[str]:
        memo = self._memo
        out: list[str] = []
        for word in words:
            known = memo.get(word)
            out.extend(known if known is not None else self._learn(word))
        return out

    def _learn(self, word: str) -> Sequence[str]:
        if _STARTS_HAN.match(word):
            return self._cut(word.translate(self._simplified))
        if _STARTS_BIGRAMS.match(word):
            return _bigrams(word)
        tokens = tuple(self._of_compound(word))
        if len(self._memo) >= _MEMO_SIZE:
            self._memo = {}
        self._memo[word] = tokens
        return tokens

    def _of_compound(self, word: str) -> Iterator[str]:
        joined: str | None = word
        # A loop: a text may join more numbers than calls may be nested.
        while joined:
            joined = yield from self._of_beginning(joined)

    def _of_beginning(self, word: str) -> Generator[str, None, str | None]:
        """Tokens of a word, or of its beginning; returns what is joined to that."""
        if "," in word:
            yield word.replace(",", "")
            return None
        word = word.replace("’", "'").strip("_")
        if word.isalpha() and (word.islower() or word.isupper() or word.istitle()):
            yield self._word(word)
            return None
        if _ACRONYM.fullmatch(word):
            yield word.replace(".", "").lower()
            return None
        lower = _fold(word)
        if number := _DOTTED_NUMBER.fullmatch(lower):
            yield from self._of_number(lower, *number.groups())
            joined: str | None = number[4]
            return joined
        if lower in _ABBREVIATIONS or _LANGUAGE_NAME.fullmatch(lower):
            yield lower
        elif _CONTRACTION.fullmatch(lower):
            yield self._word(lower)
        elif word:
            yield from self._of_identifier(word)
        return None

    def _of_identifier(self, word: str) -> Iterator[str]:
        """The whole of an identifier, then what it is made of, coarse before fine."""
        for level in _LEVELS:
            parts = [part for part in level.joint.split(word) if part.strip("_")]
            if len(parts) > 1:
                if len(word) <= _MAX_WHOLE and level.keeps(word, parts):
                    yield _fold(word)
                for part in parts:
                    yield from self._of_compound(part)
                return
        humps = _CAMEL.split(word)
        if len(humps) > 1:
            yield _fold(word)
            for hump in humps:
                yield from self._of_compound(hump)
            return
        yield self._word(word)

    def _of_number(
        self, whole: str, v: str, digits: str, rest: str, joined: str | None
    ) -> Iterator[str]:
        """``3.14`` is one token; ``v1.2.3-rc.1`` is also found as ``1.2.3``, as ``1.2`` and by
        what is joined to it."""
        if not joined or len(whole) <= _MAX_WHOLE:
            yield whole
        if v or rest or joined:
            yield digits
        parts = digits.split(".")
        if len(parts) > 2:
            yield ".".join(parts[:2])

    def _word(self, word: str) -> str:
        folded = _fold(word)
        if not folded.isascii() or self._stemmer is None:
            return folded
        with self._stemming:
            stem: str = self._stemmer.stemWord(folded)
        return stem or folded


@cache
def analyzer() -> Analyzer:
    """The process's own, of the default profile; its dictionary is loaded once, on first use."""
    return Analyzer()


def _fold(word: str) -> str:
    """Without case and accents."""
    if word.isascii():
        return word.lower()
    bare = _COMBINING.sub("", unicodedata.normalize("NFD", word.casefold()))
    folded = unicodedata.normalize("NFC", bare.translate(_UNDECOMPOSED))
    return folded or word.casefold()


def _bigrams(run: str) -> list[str]:
    """Overlapping pairs; a single character is itself."""
    if len(run) < 2:
        return [run] if run else []
    return [run[i : i + 2] for i in range(len(run) - 1)]
