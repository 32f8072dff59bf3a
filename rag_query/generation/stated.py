"""Which setting, code, version, year or numbered thing a question is about.

They tell apart what is said in the same words: the default of ``retry`` is not that of
``max_retry``, what version 2 needs is not what version 3 needs, and what held in 2021 is no answer
about 2019. So what answers must name them itself, or stand where they are named: below a heading,
after a sentence, or in a document that is about them. A text that names no year at all is not
about another one. Both languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rag_query.generation.facts import UNIT_PATTERN, numbers, plain, values
from rag_query.generation.sections import together
from rag_query.generation.sentences import Sentence
from rag_query.text.section_paths import SEPARATOR


class StatedKind(StrEnum):
    """What a question may be about besides its words."""

    NAME = "name"
    VERSION = "version"
    YEAR = "year"
    MONTH = "month"
    NUMBERED = "numbered"


@dataclass(frozen=True, slots=True)
class Stated:
    """The values of one kind that a question names: several, where it compares."""

    kind: StatedKind
    values: frozenset[str]

    @property
    def binds(self) -> bool:
        """Whether what answers must name it; a time may be left unsaid."""
        return self.kind not in (StatedKind.YEAR, StatedKind.MONTH)

    @property
    def names(self) -> frozenset[str]:
        """The values that are names of settings, codes and the like."""
        return self.values if self.kind is StatedKind.NAME else frozenset()

    def found_in(self, text: str) -> frozenset[str]:
        """Those of the values that a text speaks of."""
        match self.kind:
            case StatedKind.NAME:
                return frozenset(v for v in self.values if _stands(v, text))
            case StatedKind.NUMBERED:
                return self.values & (values(text) | _counted(_ORDINAL, text))
            case StatedKind.VERSION:
                told = _versions(text)
                return frozenset(
                    v for v in self.values if any(_covers(t, v) for t in told) or _written(v, text)
                )
            case StatedKind.YEAR:
                return self.values & _years(text)
            case StatedKind.MONTH:
                return self.values & _months(text)

    def is_other(self, text: str) -> bool:
        """Whether a text tells of another version or time alone, be it not to compare with it."""
        text = _COMPARED.sub(" ", text)
        match self.kind:
            case StatedKind.VERSION:
                return bool(_versions(text)) and not self.found_in(text)
            case StatedKind.YEAR:
                return bool(_years(text)) and not self.found_in(text)
            case StatedKind.MONTH:
                return bool(_months(text)) and not self.found_in(text)
            case _:
                return False

    def told_by(self, text: str) -> bool | None:
        """Whether a text speaks of what is stated (true) or of another (false); None of neither."""
        if self.found_in(text):
            return True
        return False if self.is_other(text) else None


_QUOTED_NAME = re.compile(r"`([^`\n]{1,80})`")
#: max_retry, prefetch.limit, E2041, CP-80.
_NAME = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?:\.\w+)*"
    r"|[A-Za-z]\w+(?:\.[A-Za-z]\w+)+|(?![vV]\d)[A-Za-z]+\d[A-Za-z0-9]*(?:-\w+)*"
    r"|[A-Z]{1,5}-\d\w*(?:-\w+)*)(?![A-Za-z0-9_])",
    re.ASCII,
)
_DOTTED = r"\d+(?:\.\d+)*"
_NO_UNIT = rf"(?![\d,]|\.\d|\s*-?(?:{UNIT_PATTERN})(?![A-Za-z]))"
#: Version 3, v22.12, 版本 2.1, 2.1 版, and a decimal behind a name: Python 3.12. With "+", "or
#: later" or 以上 also all later ones.
_VERSION = re.compile(
    rf"(?:\b(?:[Vv]ersions?|[Rr]eleases?)\s+v?|版本\s*[:：]?\s*v?|(?<![A-Za-z])[vV]\.?)({_DOTTED})"
    rf"|\b[A-Z][A-Za-z.]+\s+(\d+(?:\.\d+)+){_NO_UNIT}|(?<![\d.])({_DOTTED})\s*版(?![权面图块税])"
)
_LATER = re.compile(
    r"\+|[`'”\"]?\s*(?:(?:or|and)\s+(?:later|higher|newer|above)|(?:及|或)?(?:以上|更高|更新))"
)
_YEAR = r"(?<!\d)(?<!\d[.,])(?:1[0-9]|20)\d\d(?!\d|[.,]\d)"
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_MONTH_NAME = rf"\b(?:{'|'.join(_MONTHS)}|{'|'.join(m[:3] for m in _MONTHS)}|Sept)\b"
#: "Since 1980" and "before 1900" ask for another year than they name.
_ASKED_YEAR = re.compile(
    rf"(?:\b(?:in|of|for|during|year|the|fiscal|season)\s+|{_MONTH_NAME}[\s,]*(?:\d{{1,2}}(?:st|nd"
    rf"|rd|th)?)?[\s,]*)({_YEAR}){_NO_UNIT}"
    rf"|(?<![自从至到\d])({_YEAR})\s*年(?!\s*(?:[以之]?[前后来]|[起至到代—–~～-]))"
)
_ASKED_YEAR_TOO = re.compile(rf"\b(?:in|of|for|during)\s+{_YEAR}\s+(?:and|or)\s+({_YEAR})")
_YEARS = re.compile(
    rf"({_YEAR})(?:\s*年?\s*(?:[-–—~～至到]|to|through)\s*(\d{{4}}|\d{{2}})(?!\d))?"
)
_DECADE = re.compile(r"(?<!\d)((?:1[0-9]|20)\d)0(?:s\b|\s*年代)")
_MONTH_SAID = re.compile(
    rf"({_MONTH_NAME})|(?<!\d)(\d{{1,2}})\s*月|(?<!\d)\d{{4}}-(\d{{2}})(?:-\d{{2}})?(?!\d)"
)
_ASKED_MONTH = re.compile(
    rf"\b(?:in|of|for|during|last|this)\s+({_MONTH_NAME})"
    r"|(?<![\d个自从至到])(\d{1,2})月(?!\s*(?:[以之]?[前后来]|[起至到底初]))"
)
#: "…, compared to 3 in 2005", 比 2020 年增长.
_COMPARED = re.compile(
    r"\b(?:compared (?:to|with)|than)\b.*"
    r"|(?:相比|比(?![例赛较分值重率如喻方])|较|而(?=\s*\d{4}))[^，。；,;]*",
    re.DOTALL,
)
_ORDINAL = re.compile(r"第\s*([\d零一二三四五六七八九十百]+)")
_NUMBERED = re.compile(
    r"第\s*([\d零一二三四五六七八九十百]+)\s*[届条章期季集版号]|(\d+)\s*号[线楼院馆]"
    r"|\b(?:[Aa]rticle|[Cc]hapter|[Ss]ection|[Cc]lause|[Aa]ppendix|[Ss]eason|[Ee]pisode|[Vv]olume)"
    r"\s+(\d+)(?![.\d])"
)


def stated_in(question: str) -> tuple[Stated, ...]:
    """What a question is about besides its words; empty for most."""
    text = plain(question)
    names = {*_QUOTED_NAME.findall(text), *_NAME.findall(_QUOTED_NAME.sub(" ", text))}
    found = {
        StatedKind.NAME: names,
        StatedKind.VERSION: {version for version, _ in _versions(text)},
        StatedKind.YEAR: _matched(_ASKED_YEAR, text) | _matched(_ASKED_YEAR_TOO, text),
        StatedKind.MONTH: {_month(said) for said in _matched(_ASKED_MONTH, text)},
        StatedKind.NUMBERED: _counted(_NUMBERED, text),
    }
    return tuple(Stated(kind, frozenset(said)) for kind, said in found.items() if said)


def spoken_of(stated: Sequence[Stated], sentences: Sequence[Sentence]) -> list[bool]:
    """For each sentence, whether it may be about what a question states.

    A sentence is about what it names; one that names none, about what the last before it in its
    section does, else about what the nearest heading does. Items and rows stand each for itself. A
    setting or code may be named right after what is said of it.
    """
    verdicts = [True] * len(sentences)
    for each in stated:
        verdicts = [
            both and one for both, one in zip(verdicts, _spoken(each, sentences), strict=True)
        ]
    return verdicts


def _spoken(stated: Stated, sentences: Sequence[Sentence]) -> list[bool]:
    verdicts: list[bool] = []
    told: bool | None = None
    before: Sentence | None = None
    for sentence in sentences:
        if before is None or not together(before, sentence):
            before, told = None, _told_above(stated, sentence)
        own = stated.told_by(f"{sentence.asked} {sentence.text}")
        said = told if own is None else own
        verdicts.append(not stated.binds if said is None else said)
        if own and stated.names and before and not (before.is_item or sentence.is_item):
            verdicts[-2] = True
        if not sentence.is_item:
            told = said
        before = sentence
    return verdicts


def _told_above(stated: Stated, sentence: Sentence) -> bool | None:
    chunk = sentence.chunk
    headings = (chunk.title, *chunk.section_path.split(SEPARATOR), *sentence.headings)
    verdicts = (stated.told_by(heading) for heading in reversed(headings))
    return next((verdict for verdict in verdicts if verdict is not None), None)


def _matched(pattern: re.Pattern[str], text: str) -> set[str]:
    """What the one group of each match holds that took part in it."""
    return {next(filter(None, match.groups())) for match in pattern.finditer(text)}


def _counted(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    """The numbers that a pattern finds, be they written in Chinese numerals."""
    # A unit makes a lone numeral readable as a number.
    said = _matched(pattern, text)
    return frozenset(number.value for each in said for number in numbers(f"{each}次"))


def _stands(name: str, text: str) -> bool:
    """Whether a name stands in a text as a word of its own, or all parts of it do."""
    return all(_as_word(part).search(text) for part in name.split(".") if part)


def _as_word(name: str) -> re.Pattern[str]:
    written = re.escape(name).replace(r"\-", r"[-‐‑–\s]?")
    return re.compile(rf"(?<![A-Za-z0-9_]){written}(?![A-Za-z0-9_])", re.IGNORECASE)


def _versions(text: str) -> set[tuple[str, bool]]:
    """The versions a text tells of, and whether it tells of all later ones too."""
    return {
        (next(filter(None, m.groups())), _LATER.match(text, m.end()) is not None)
        for m in _VERSION.finditer(text)
    }


def _covers(told: tuple[str, bool], asked: str) -> bool:
    """Whether what is told of a version holds for another: 3 for 3.2, "3.7 or later" for 3.9."""
    version, and_later = told
    if and_later and _parts(asked) >= _parts(version):
        return True
    return f"{asked}.".startswith(f"{version}.") or f"{version}.".startswith(f"{asked}.")


def _written(version: str, text: str) -> bool:
    """Whether a version stands in a text with nothing to say that it is one: instant-1.2, 3.12."""
    number = rf"(?<![\d.]){re.escape(version)}{_NO_UNIT}"
    return "." in version and re.search(number, text, re.IGNORECASE) is not None


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _years(text: str) -> frozenset[str]:
    """The years a text names, with those between the ends of a span and those of a decade."""
    found: set[str] = set()
    for first, last in _YEARS.findall(plain(text)):
        end = int(first[: 4 - len(last)] + last)
        found |= {str(year) for year in range(int(first), min(end, int(first) + 100) + 1)}
    for decade in _DECADE.findall(text):
        found |= {f"{decade}{digit}" for digit in range(10)}
    return frozenset(found)


def _months(text: str) -> frozenset[str]:
    return frozenset(_month(said) for said in _matched(_MONTH_SAID, plain(text)))


def _month(said: str) -> str:
    """Its number, without a leading zero."""
    if said.isdigit():
        return str(int(said))
    return str(1 + next(i for i, name in enumerate(_MONTHS) if name.startswith(said[:3])))
