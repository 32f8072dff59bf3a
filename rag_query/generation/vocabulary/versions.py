"""Which versions a text tells of: version 3, v22.12, 版本 2.1, 2.1 版, and a decimal behind a name
(Python 3.12); also several ("2 and 3", "2 to 4") and all from or up to one ("3.7 or later", "until
version 4"). Both languages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_query.generation.vocabulary.facts import NO_UNIT

#: Longer numbers are no version, whoever wrote them.
_NUMBER = r"\d{1,9}(?:\.\d{1,9})*(?!\d)"
_NO_MEASURE = rf"(?!\d|\.\d){NO_UNIT}"
_TO = r"to\b|through\b|[-–—~～至到]"
_JOIN = re.compile(rf"\s*(?:,\s*(?:and|or)\b|,|(?:and|or)\b|[、和与及或]|(?P<to>{_TO}))\s*v?")
#: No list is longer; without an end, one of thousands would be read from each of its numbers.
_MORE = rf"(?:{_JOIN.pattern.replace('?P<to>', '?:')}{_NUMBER}{_NO_MEASURE}){{0,12}}"
_MARKED = re.compile(
    rf"(?:\b(?:[Vv]ersions?|[Rr]eleases?)\s+v?|版本\s*[:：]?\s*v?|(?<![A-Za-z\d-])[vV]\.?)"
    rf"({_NUMBER}{_MORE})|(?<![\d.])({_NUMBER}{_MORE})\s*版(?![权面图块税])"
)
#: What a decimal stands behind that is no name of a program: a currency, a part of a text, a word
#: that begins a sentence.
_NO_PROGRAM = (
    "USD|EUR|GBP|CNY|RMB|HKD|JPY|CHF|US|Section|Sec|Chapter|Figure|Fig|Table|Tab|Part|Article"
    "|Clause|Appendix|Annex|Equation|Eq|Step|Rule|Paragraph|Page|Level|Magnitude|No|About|Around"
    "|Over|Only|The|In|At|Of|Is|Are|Was|Were|Do|Does|Did"
)
_NAMED = re.compile(
    rf"\b(?!(?:{_NO_PROGRAM})\b)[A-Z][A-Za-z.]{{1,40}}\s{{1,9}}(\d{{1,9}}(?:\.\d{{1,9}})+)(?!,){_NO_MEASURE}"
)
#: What counts or ranks by the whole number behind it: the Top 5 products, Next 3 weeks.
_NO_NAME = "Top|Best|First|Last|Next|Day|Week"
#: "When does Fastify 4 reach …?": a whole number behind a name, which may be anything else.
_NAMED_WHOLE = re.compile(
    rf"\b(?!(?:{_NO_PROGRAM}|{_NO_NAME})\b)[A-Z][A-Za-z.]{{1,40}}\s{{1,9}}(\d{{1,2}})"
    rf"(?![.,:/-]\d|[A-Za-z%]){_NO_MEASURE}"
)
#: A row that begins with a version tells of it, below a head that says so.
_OF_ROW = re.compile(r"\s*v?(\d{1,4}(?:\.\d{1,9}){1,3})(?:\.x)?\s+[—|]\s")
_VERSION_HEAD = re.compile(r"\b(?:version|release)s?\b|版本", re.IGNORECASE)
_ASKS_VERSION = re.compile(
    r"\b(?:which|what) (?:\w+ ){0,2}(?:versions?|releases?)\b|哪一?个?\S{0,4}版本",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(?<![\d.])\d{1,4}(?:\.\d{1,9}){1,3}(?![.,]?\d|\s*%)")
_ONE = re.compile(_NUMBER)
_LATER = re.compile(
    r"\+|[`'”\"]?\s*(?:(?:or|and)\s+(?:later|higher|newer|above|up)\b|onwards?\b"
    r"|版?本?(?:(?:及|或)?(?:其?之后|以后|以上|更高|更新)|起|以来|开始))"
)
_EARLIER = re.compile(
    r"[`'”\"]?\s*(?:(?:or|and)\s+(?:earlier|older|lower|below|before)\b"
    r"|版?本?(?:及|或)?(?:其?之前|以前|以下|更早|更低|为止))"
)
_SINCE = re.compile(
    r"(?:\b(?:since|from|starting (?:with|from|in)|as of|after|above|(?:newer|later|higher) than)"
    r"|[自从])\s*$",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"(?:\b(?:until|till|before|up to|through|below|under|(?:older|earlier|lower) than)|[至到])"
    r"\s*$",
    re.IGNORECASE,
)
_Parts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Versions:
    """All versions from one to another, both among them; None where an end is open."""

    first: str | None
    last: str | None

    def hold(self, version: str, *, since: bool = False) -> bool:
        """Whether what is told of these is told of another: 3 of 3.2, 3.2 of 3.

        Args:
            since: what began with it or later is asked for.
        """
        asked = _parts(version)
        first = None if self.first is None else _parts(self.first)
        last = None if self.last is None else _parts(self.last)
        if since:
            return first is not None and (first >= asked or _is_part(asked, first))
        return (first is None or asked >= first or _is_part(asked, first)) and (
            last is None or asked <= last or _is_part(asked, last)
        )


def versions(text: str, *, marked_only: bool = False) -> list[Versions]:
    """The versions a text tells of.

    Args:
        marked_only: those that the text calls so; a decimal behind a name may be anything.
    """
    found = [each for m in _MARKED.finditer(text) for each in _told(text, m)]
    if not marked_only:
        found += [each for m in _NAMED.finditer(text) for each in _told(text, m)]
    return found


def asked_versions(question: str) -> set[str]:
    """The versions a question names; of a span its end, to which one upgrades."""
    return {each for told in versions(question) if (each := told.last or told.first)}


def asks_version(question: str) -> bool:
    """Whether a question asks for a version."""
    return _ASKS_VERSION.search(question) is not None


def dotted(text: str) -> list[str]:
    """What may be versions, whatever stands before them: 2.4.0, V5.2."""
    return _DOTTED.findall(text)


def asked_releases(question: str) -> set[str]:
    """The whole numbers behind a name in a question, which may be versions: 4 of Fastify 4."""
    return set(_NAMED_WHOLE.findall(question))


def release_of_row(text: str) -> str | None:
    """The version that a row of a table begins with."""
    found = _OF_ROW.match(text)
    return found[1] if found else None


def names_version(head: str) -> bool:
    """Whether the head of a column says that versions stand below it."""
    return _VERSION_HEAD.search(head) is not None


def is_release(version: str, of: str) -> bool:
    """Whether a version is one of those of another: 4.0.1 of 4."""
    return _is_part(_parts(version), _parts(of))


def asks_since(question: str) -> bool:
    """Whether a question is about what began with a version."""
    return any(told.last is None for told in versions(question))


def stands_alone(version: str, text: str) -> bool:
    """Whether a version stands in a text with nothing to say that it is one: instant-1.2, 3.12, or
    one of its own as 3.12.4."""
    number = rf"(?<![\d.]){re.escape(version)}(?:\.\d{{1,9}}){{0,2}}(?!,){_NO_MEASURE}"
    return "." in version and re.search(number, text, re.IGNORECASE) is not None


def _told(text: str, match: re.Match[str]) -> list[Versions]:
    """What one place tells: each of a list, and a span as one."""
    said = next(filter(None, match.groups()))
    found: list[Versions] = []
    is_span = False
    for number, join in _numbers(said):
        if is_span:
            found[-1] = Versions(found[-1].first, number)
        else:
            found.append(Versions(number, number))
        is_span = join is not None and join["to"] is not None
    end = found[-1]
    before = text[max(0, match.start() - 24) : match.start()]
    if _LATER.match(text, match.end()) or (len(found) == 1 and _SINCE.search(before)):
        found[-1] = Versions(end.first, end.last if end.first != end.last else None)
    elif _EARLIER.match(text, match.end()) or (len(found) == 1 and _UNTIL.search(before)):
        found[-1] = Versions(end.first if end.first != end.last else None, end.last)
    return found


def _numbers(said: str) -> list[tuple[str, re.Match[str] | None]]:
    """The numbers of a list or span, each with what joins it to the next."""
    found: list[tuple[str, re.Match[str] | None]] = []
    at = 0
    while number := _ONE.match(said, at):
        join = _JOIN.match(said, number.end())
        found.append((number[0], join))
        at = join.end() if join else len(said)
    return found


def _parts(version: str) -> _Parts:
    return tuple(int(part) for part in version.split("."))


def _is_part(one: _Parts, other: _Parts) -> bool:
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]
