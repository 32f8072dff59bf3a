"""Rows that a table tells apart by a short name in its first column: below the head ``Zone`` the
rows A, B and C are zone A, zone B and zone C. Both languages (A 区, 方案 C).

A question about zone A is answered by its own row, and one about zone D by none of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag_query.generation.answer_types import AnswerType, answer_type
from rag_query.generation.facts import UNIT_PATTERN, plain
from rag_query.generation.parent import ParentText
from rag_query.generation.sentences import Sentence, sentences_of
from rag_query.text.numerals import roman_value

_END = r"(?![A-Za-z0-9_])"
_NUMBER = r"\d{1,4}[A-Za-z]?"
#: What a row may be called in its cell: A, XL, 4, 2b, iv. "All" is no one row.
_IN_CELL = rf"(?:(?!ALL|ANY)[A-Z]{{1,3}}|[a-z]|[ivx]{{2,4}}|{_NUMBER}){_END}"
#: And in a question, where "a", "I" and "in" are words and a number may be an amount.
_IN_TEXT = (
    rf"(?:(?!I\b)[A-Z]{{1,3}}|[b-hj-z]|[ai](?=\W*$)"
    rf"|{_NUMBER}(?![.:/,]\d|\s?%|\s*-?(?:{UNIT_PATTERN})(?![A-Za-z]))){_END}"
)
_TO = r"(?:[-–—~]|\bto\b|至|到)"
_JOIN = rf"\s?(?:{_TO}|[,/、&]|\b(?:and|or)\b|和|与|或)\s?"
_LISTED = rf"{_IN_TEXT}(?:{_JOIN}{_IN_TEXT}){{0,12}}"
_SPAN = re.compile(rf"(?<![A-Za-z0-9_])({_IN_CELL})(?:\s?{_TO}\s?({_IN_CELL}))?")
#: "Zone code", 区域编号: the zone is what has it.
_CODE = re.compile(r"\W+(?:no\.?|number|code|id|name)\W*$|(?:编号|代码|名称)$", re.IGNORECASE)
_LAST_WORD = re.compile(r"([A-Za-z]{3,})\W*$")
#: Heads that the other language calls so, in a question about a document of this one.
_ALSO = {
    "zone": "区", "area": "区", "sector": "区", "building": "[座栋楼]", "category": "类",
    "class": "[类级班]", "type": "[类型]", "level": "[级层]", "group": "组", "size": "码",
}  # fmt: skip
_HAN = re.compile(r"[\u4e00-\u9fff]{1,6}")
#: Characters of heads that count, or stand behind any number.
_COUNTING = re.compile(rf"(?:{UNIT_PATTERN}|[号数目项])")
_ANY = re.compile(rf"(?<![A-Za-z0-9_]){_IN_TEXT}")
#: Then what is asked for may be in the other rows.
_COMPARES = re.compile(
    r"\b(?:than|except|besides|unlike|instead|other)\b|比|除|其他|另外", re.IGNORECASE
)
#: What stands before that of which a question asks whether something holds.
_BEFORE_SUBJECT = re.compile(r"\W*\w+\s+(?:(?:the|our|your|this|that)\s+)?", re.IGNORECASE)
_ROMAN = re.compile(r"[IVXLC]+|[ivxlc]+")
#: A name of as many characters tells by itself what is meant: a 404.
_TELLING = 3


@dataclass(frozen=True, slots=True)
class _Names:
    """The names from one to another, both among them; mostly both are the same."""

    first: str
    last: str

    def hold(self, name: str) -> bool:
        if name.casefold() in (self.first.casefold(), self.last.casefold()):
            return True
        if _ROMAN.fullmatch(self.first) and str(roman_value(self.first.upper())) == name:
            return True
        ends = (self.first, name, self.last)
        if all(each.isdigit() for each in ends):
            return int(self.first) <= int(name) <= int(self.last)
        single = all(each.isalpha() and len(each) == 1 for each in ends)
        return single and self.first.upper() <= name.upper() <= self.last.upper()


@dataclass(frozen=True, slots=True)
class _Head:
    """How the rows below the head of a first column are named.

    Attributes:
        shown: with ``{}`` for the name: ``zone {}``, ``{} 区``.
        named: the head, or what is short for it, with one name or several.
        cell: a cell that holds nothing but them, be it with what stands in brackets behind.
    """

    shown: str
    named: re.Pattern[str]
    cell: re.Pattern[str]

    def names_in(self, text: str) -> Iterator[str]:
        """The names that a text gives together with the head, each as it is listed."""
        return (next(filter(None, match.groups())) for match in self.named.finditer(text))

    def of_cell(self, cell: str) -> tuple[_Names, ...]:
        """What a row is called; empty where its cell says something else."""
        match = self.cell.fullmatch(cell)
        return _spans(match[1]) if match else ()


def rows_spoken_of(questions: Sequence[str], sentences: Sequence[Sentence]) -> list[bool]:
    """For each sentence, whether it may be about what is asked: a row of another name is not.

    Args:
        questions: the question, then what it goes on from.
    """
    verdicts = [True] * len(sentences)
    if not _may_name(questions) or _COMPARES.search(questions[0]):
        return verdicts
    for n, sentence in enumerate(sentences):
        head = _head_of(sentence)
        asked = _asked(questions, head) if head else []
        if head and asked and (own := head.of_cell(_cell_of(sentence))):
            verdicts[n] = any(_hold(own, name) for name in asked)
    return verdicts


def absent_rows(questions: Sequence[str], parent: ParentText) -> list[str]:
    """Rows that a question asks about which a document's tables of such rows lack, as ``zone D``,
    and no other text of it names.

    Args:
        questions: the question, then what it goes on from.
    """
    if not _may_name(questions):
        return []
    tables: dict[_Head, list[tuple[_Names, ...]]] = defaultdict(list)
    for sentence in sentences_of(chunk for chunk in parent.chunks if "|" in chunk.text):
        if (head := _head_of(sentence)) and (cell := _cell_of(sentence)):
            tables[head].append(head.of_cell(cell))
    return [
        head.shown.format(name)
        for head, rows in tables.items()
        if len(rows) > 1 and all(rows)  # "Other zones" may be any.
        for name in _asked(questions, head)
        if not any(_hold(own, name) for own in rows)
        and _is_alike(name, rows)
        and not _is_told(name, head, parent)
    ]


def _may_name(questions: Sequence[str]) -> bool:
    return any(_ANY.search(plain(text)) for text in questions)


def _head_of(sentence: Sentence) -> _Head | None:
    """What the rows are of which a sentence is one; None where it is none."""
    if not sentence.cells or len(sentence.heads) != len(sentence.cells):
        return None
    return _read_head(plain(sentence.heads[0]).strip().casefold())


@lru_cache(maxsize=1024)
def _read_head(head: str) -> _Head | None:
    noun = _CODE.sub("", head)
    if word := _LAST_WORD.search(noun):
        before = _before(word[1])
        also = _ALSO.get(word[1])
        return _Head(
            f"{word[1]} {{}}",
            re.compile(rf"{before}({_LISTED})" + (_behind(also) if also else "")),
            _cell(rf"(?:{before})?", ""),
        )
    if not _HAN.fullmatch(noun):
        return None
    short = dict.fromkeys(n for n in (noun, noun[0], noun[-1]) if not _COUNTING.fullmatch(n))
    if not short:
        return None
    behind = "|".join(short)
    also = "".join(
        f"|{_before(word)}({_LISTED})"
        for word, letters in _ALSO.items()
        if any(re.fullmatch(letters, each) for each in short)
    )
    return _Head(
        f"{{}} {noun}",
        re.compile(f"{noun}\\s?({_LISTED}){_behind(behind)}{also}"),
        _cell(rf"(?:(?:{behind})\s?)?", behind),
    )


def _before(word: str) -> str:
    """How an English noun stands before a name."""
    noun = rf"(?<![A-Za-z])(?i:{word.removesuffix('s')}(?:e?s)?)"
    return rf"{noun}[\s-](?:\s*(?i:no\.|number|code)\s)?\s*"


def _behind(nouns: str) -> str:
    """How Chinese ones stand behind it, as one more alternative."""
    return rf"|(?<![A-Za-z0-9_.])({_LISTED})\s?(?:{nouns})"


def _cell(before: str, behind: str) -> re.Pattern[str]:
    return re.compile(
        rf"{before}({_IN_CELL}(?:{_JOIN}{_IN_CELL}){{0,12}})\s?(?:{behind})?"
        r"\s?(?:[(（:：–—-].*|(?<=[A-Z]\s)[a-z].*)?[.*†]*",
        re.DOTALL,
    )


def _cell_of(sentence: Sentence) -> str:
    return plain(sentence.cells[0]).strip()


def _asked(questions: Sequence[str], head: _Head) -> list[str]:
    """The names that the first question gives which gives any together with the head."""
    for question in questions:
        text = plain(question)
        listed = head.names_in(text)
        if answer_type(text) is AnswerType.YES_NO:
            # That the gym is on level 2 answers whether it is on level 3.
            before = _BEFORE_SUBJECT.match(text)
            subject = head.named.match(text, before.end() if before else 0)
            listed = iter([next(filter(None, subject.groups()))] if subject else [])
        names = [
            name for said in listed for span in _spans(said) for name in (span.first, span.last)
        ]
        if names:
            return list(dict.fromkeys(names))
    return []


def _spans(listed: str) -> tuple[_Names, ...]:
    return tuple(_Names(first, last or first) for first, last in _SPAN.findall(listed))


def _hold(own: Sequence[_Names], name: str) -> bool:
    return any(each.hold(name) for each in own)


def _is_alike(name: str, rows: Sequence[Sequence[_Names]]) -> bool:
    """Whether a name may be one of such rows: among numbers, letters in a row may be a word."""
    if len(name) == 1 or not name.isalpha():
        return True
    return any(each.first.isalpha() for own in rows for each in own)


def _is_told(name: str, head: _Head, parent: ParentText) -> bool:
    """Whether any text of a document names such a thing."""
    said = dict.fromkeys(part for each in parent.chunks for part in (each.section_path, each.text))
    text = plain("\n".join((parent.parent.title, *said)))
    if len(name) >= _TELLING and re.search(rf"(?<![A-Za-z0-9_]){name}{_END}", text):
        return True
    return any(_hold(_spans(listed), name) for listed in head.names_in(text))
