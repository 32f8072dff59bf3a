"""Which setting, code, version, year, weekday or numbered thing a question is about.

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

from rag_query.generation.passages.sections import together
from rag_query.generation.passages.sentences import Sentence
from rag_query.generation.questions.numbered_things import asked_things, name_of, things
from rag_query.generation.vocabulary.answer_types import AnswerType, answer_type
from rag_query.generation.vocabulary.changes import changed_versions
from rag_query.generation.vocabulary.facts import plain, values
from rag_query.generation.vocabulary.numbered import (
    asked_numbered,
    listed_with_hao,
    may_be_with_hao,
    numbered,
    roman_numbers,
    with_hao,
)
from rag_query.generation.vocabulary.versions import (
    asked_releases,
    asked_versions,
    asks_since,
    is_release,
    names_version,
    release_of_row,
    stands_alone,
    versions,
)
from rag_query.generation.vocabulary.weekdays import (
    asked_weekdays,
    has_open_weekday,
    single_weekdays,
    weekday_of,
    weekdays,
)
from rag_query.generation.vocabulary.years_and_months import (
    asked_months,
    asked_years,
    has_open_month,
    may_reach,
    months,
    years,
)
from rag_query.text.section_paths import SEPARATOR


class StatedKind(StrEnum):
    """What a question may be about besides its words."""

    NAME = "name"
    VERSION = "version"
    YEAR = "year"
    MONTH = "month"
    WEEKDAY = "weekday"
    NUMBERED = "numbered"
    WITH_HAO = "with_hao"
    WITH_NOUN = "with_noun"
    RELEASE = "release"


@dataclass(frozen=True, slots=True)
class Stated:
    """The values of one kind that a question names: several, where it compares.

    Attributes:
        since: what began with the version is asked for.
        things: first letters of what has the numbers with 号: 楼 of 3号楼; nouns before others.
    """

    kind: StatedKind
    values: frozenset[str]
    since: bool = False
    things: frozenset[str] = frozenset()

    @property
    def binds(self) -> bool:
        """Whether what answers must name it; a time may be left unsaid, a whole number behind a
        name may be no version, and a numbered thing may be written in many ways."""
        return self.kind in (StatedKind.NAME, StatedKind.VERSION, StatedKind.NUMBERED)

    def may_be_told_in(self, text: str) -> bool:
        """Whether a text may tell of all that is stated: it names what binds, and holds the numbers
        of the rest, however it writes them. A time may be left unsaid."""
        match self.kind:
            case StatedKind.RELEASE:
                return self.values <= values(text) | numbered(text) | roman_numbers(text)
            case StatedKind.WITH_HAO:
                return self.values <= self.found_in(text)
            case _:
                return not self.binds or self.values <= self.found_in(text)

    @property
    def names(self) -> frozenset[str]:
        """The values that are names of settings, codes and the like."""
        return self.values if self.kind is StatedKind.NAME else frozenset()

    def found_in(self, text: str) -> frozenset[str]:
        """Those of the values that a text speaks of."""
        text = plain(text)
        match self.kind:
            case StatedKind.NAME:
                return frozenset(v for v in self.values if _stands(v, text))
            case StatedKind.NUMBERED:
                return self.values & (values(text) | numbered(text))
            case StatedKind.WITH_HAO:
                written = listed_with_hao if self._names_such(text) else may_be_with_hao
                return self.values & written(text)
            case StatedKind.WITH_NOUN:
                named = things(text)
                return frozenset(v for v in self.values if any(each.hold(v) for each in named))
            case StatedKind.VERSION:
                told = versions(text)
                return frozenset(
                    v
                    for v in self.values
                    if any(each.hold(v, since=self.since) for each in told) or stands_alone(v, text)
                )
            case StatedKind.RELEASE:
                told_of = release_of_row(text)
                return frozenset(v for v in self.values if told_of and is_release(told_of, v))
            case StatedKind.YEAR:
                return self.values & years(text)
            case StatedKind.MONTH:
                return self.values & months(text)
            case StatedKind.WEEKDAY:
                told_days = weekdays(text)
                return frozenset(v for v in self.values if weekday_of(v) in told_days)

    def is_other(self, text: str) -> bool:
        """Whether a text tells of another version or time alone, be it not to compare with it."""
        text = _COMPARED.sub(" ", plain(text))
        if self.found_in(text):
            return False
        match self.kind:
            case StatedKind.VERSION:
                return bool(versions(text, marked_only=True))
            case StatedKind.WITH_HAO:
                return self._names_such(text)
            case StatedKind.WITH_NOUN:
                return any(each.noun in self.things for each in things(text))
            case StatedKind.RELEASE:
                return release_of_row(text) is not None
            case StatedKind.YEAR:
                return bool(years(text)) and not may_reach(text, self.values)
            case StatedKind.MONTH:
                return bool(months(text)) and not has_open_month(text)
            case StatedKind.WEEKDAY:
                return bool(weekdays(text)) and not has_open_weekday(text)
            case _:
                return False

    def has_noun(self, text: str) -> bool:
        """Whether a text holds the noun of what it is about, be it without a number."""
        text = plain(text).casefold()
        return any(noun in text for noun in self.things)

    def _names_such(self, text: str) -> bool:
        """Whether a text names things of the same sort by numbers with 号."""
        return any(thing in self.things for _, thing in with_hao(text))

    def told_by(self, text: str) -> bool | None:
        """Whether a text speaks of what is stated (true) or of another (false); None of neither."""
        if self.found_in(text):
            return True
        return False if self.is_other(text) else None


_QUOTED_NAME = re.compile(r"`([^`\n]{1,80})`")
#: max_retry, prefetch.limit, E2041, CP-80, not FY2025.
_NAME = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?:\.\w+)*"
    r"|[A-Za-z]\w+(?:\.[A-Za-z]\w+)+|(?![vV]\d|FY\d{4})[A-Za-z]+\d[A-Za-z0-9]*(?:-\w+)*"
    r"|[A-Z]{1,5}-[A-Z]{0,3}\d\w*(?:-\w+)*)(?![A-Za-z0-9_])",
    re.ASCII,
)
#: "…, compared to 3 in 2005", 比 2020 年增长.
_COMPARED = re.compile(
    r"\b(?:compared (?:to|with)|than)\b.*"
    r"|(?:相比|比(?![例赛较分值重率如喻方])|较|而(?=\s*\d{4}))[^，。；,;]*",
    re.DOTALL,
)
#: What a name may end on that people leave out: Node.js.
_SUFFIX = re.compile(r"(?<=\w)\.(?:js|io|ai|com|org|net|dev|app)$", re.IGNORECASE)
_OPTION = re.compile(r"-|\W+$")


def stated_in(question: str) -> tuple[Stated, ...]:
    """What a question is about besides its words; empty for most."""
    text = plain(question)
    is_yes_no = answer_type(question) is AnswerType.YES_NO
    names = {*_QUOTED_NAME.findall(text), *_NAME.findall(_QUOTED_NAME.sub(" ", text))}
    found = {
        StatedKind.NAME: names,
        StatedKind.VERSION: asked_versions(text) | changed_versions(text),
        StatedKind.YEAR: asked_years(text),
        StatedKind.MONTH: asked_months(text),
        # That something is so on other days answers whether it is on this one.
        StatedKind.WEEKDAY: set() if is_yes_no else asked_weekdays(text),
        StatedKind.NUMBERED: asked_numbered(text),
        StatedKind.RELEASE: asked_releases(text),
    }
    since = asks_since(text)
    stated = [
        Stated(kind, frozenset(said), since=since and kind is StatedKind.VERSION)
        for kind, said in found.items()
        if said
    ]
    if hao := with_hao(text):
        numbers, letters = map(frozenset, zip(*hao, strict=True))
        stated.append(Stated(StatedKind.WITH_HAO, numbers, things=letters))
    if named := asked_things(text):
        nouns = frozenset(noun for noun, _ in named)
        said = frozenset(name_of(noun, number) for noun, number in named)
        stated.append(Stated(StatedKind.WITH_NOUN, said, things=nouns))
    return tuple(stated)


def weekdays_told(stated: Sequence[Stated], text: str) -> frozenset[str]:
    """Of the weekdays that are stated those that a text tells of, be it as part of a span."""
    days = (each.found_in(text) for each in stated if each.kind is StatedKind.WEEKDAY)
    return frozenset().union(*days)


def is_told_in_span(stated: Sequence[Stated], text: str) -> bool:
    """Whether a text tells of a weekday that is stated as one of several only."""
    days = {weekday_of(day) for day in weekdays_told(stated, text)}
    return bool(days) and days.isdisjoint(single_weekdays(plain(text)))


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


def is_named(stated: Stated, sentence: Sentence) -> bool:
    """Whether a sentence itself names what is stated, or a row does together with its head."""
    return _told(stated, sentence) is True


def _spoken(stated: Stated, sentences: Sequence[Sentence]) -> list[bool]:
    verdicts: list[bool] = []
    told: bool | None = None
    before: Sentence | None = None
    for sentence in sentences:
        if before is None or not together(before, sentence):
            before, told = None, _told_above(stated, sentence)
        own = _told(stated, sentence)
        said = told if own is None else own
        verdicts.append(not stated.binds if said is None else said)
        if own and stated.names and before and not (before.is_item or sentence.is_item):
            verdicts[-2] = True
        if not sentence.is_item:
            told = said
        before = sentence
    return verdicts


def _told(stated: Stated, sentence: Sentence) -> bool | None:
    if stated.kind is StatedKind.RELEASE and not (
        sentence.heads and names_version(sentence.heads[0])
    ):
        return None
    # A number below such a noun is told with it.
    head = sentence.heads[0] if sentence.heads and stated.kind is StatedKind.WITH_NOUN else ""
    return stated.told_by(f"{sentence.about} {sentence.asked} {head} {sentence.text}")


def _told_above(stated: Stated, sentence: Sentence) -> bool | None:
    chunk = sentence.chunk
    headings = (chunk.title, *chunk.section_path.split(SEPARATOR), *sentence.headings)
    verdicts = (stated.told_by(heading) for heading in reversed(headings))
    return next((verdict for verdict in verdicts if verdict is not None), None)


def _stands(name: str, text: str) -> bool:
    """Whether a name stands in a text as a word of its own, or all parts of it do.

    Of a command, its first and its last word do: ``npm run build`` may be written shorter.
    """
    words = [word for word in name.split() if not _OPTION.match(word)]
    if len(words) > 1:
        return all(_as_word(word).search(text) for word in (words[0], words[-1]))
    parts = _SUFFIX.sub("", name).split(".")
    return all(_as_word(part).search(text) for part in parts if part)


def _as_word(name: str) -> re.Pattern[str]:
    """A name as it may be written: CP-80 as CP80, RTX4090 as RTX 4090, CO2 as CO_2."""
    written = re.escape(name).replace(r"\-", r"[-‐‑–\s]?")
    written = re.sub(r"(?<=[A-Za-z])(?=\d)", r"[-‐‑–\\s_]?", written)
    return re.compile(rf"(?<![A-Za-z0-9_]){written}(?![A-Za-z0-9_])", re.IGNORECASE)
