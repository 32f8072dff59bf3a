"""Words that name a numbered section of the same document: "see section 3.2", "参见第 3 章"."""

from __future__ import annotations

import re

from rag_assets.links.base import FoundLink
from rag_assets.markdown_tree import Spans
from rag_assets.sections.heading_lines import headings_of
from rag_query.text.ids import doc_id
from rag_query.text.slugs import unique_slugs

_DIGITS = r"\d{1,3}(?:\.\d{1,3}){0,5}"
_CHINESE = "[〇零一二三四五六七八九十百]{1,5}"
_ENDS = r"(?![A-Za-z0-9_%]|\.\d)"
#: Capitals below 400; a lone C or L letters a part and numbers none.
_ROMAN = (
    rf"(?-i:(?=[IVXLC])(?![CL]{_ENDS})C{{0,3}}(?:X[CL]|L?X{{0,3}})(?:I[XV]|V?I{{0,3}}))(?![A-Za-z])"
)
#: What follows a title in brackets is a part of that work: 《安全生产法》第三条.
_REFERENCE = re.compile(
    r"(?=[SCAPscap§第参详见])(?:"  # Looking ahead spares most characters the rest.
    rf"(?:\b(?P<word>sections?|sect?\.|chapters?|clauses?|articles?|parts?)\s+|(?<!§)§+\s*)"
    rf"(?P<en>{_DIGITS}|{_ROMAN}){_ENDS}"
    rf"|(?<!》)第\s*(?P<zh>{_DIGITS}|{_CHINESE})\s*(?P<unit>[章节節条部篇款])"
    rf"|(?:参见|参阅|详见|参看|见)\s*(?P<see>\d{{1,3}}(?:\.\d{{1,3}}){{1,5}}){_ENDS})",
    re.IGNORECASE,
)
#: The number that "3. Rain", "三、雨" and "IV. Rain" bear, and "3D printing" and "I rain" do not.
_OWN_NUMBER = re.compile(
    rf"第\s*(?P<zh>{_DIGITS}|{_CHINESE})\s*(?P<unit>[章节節条部篇款])"
    rf"|(?P<word>section|chapter|article|clause|part)\s+(?P<en>{_DIGITS}|{_ROMAN}){_ENDS}"
    rf"|(?P<bare>{_DIGITS}{_ENDS}|{_CHINESE}(?=、)|{_ROMAN}(?=[.:)](?:\s|\Z)|、))",
    re.IGNORECASE,
)
#: One name for each kind of part, whatever it is called.
_KINDS = dict.fromkeys(("節", "sec", "sect", "section"), "节")
_KINDS |= {"chapter": "章", "article": "条", "part": "部"}
_BARE, _ANY = "", "*"
#: Kinds that a heading with a bare number may be; part, 部, 篇 and 款 count other things as well.
_OF_ANY_TEXT = frozenset({"章", "节", "条", "clause"})
_ONES = "[一二三四五六七八九]"
_CHINESE_PARTS = re.compile(
    f"(?:(?P<c>{_ONES})百)?〇?(?:(?P<x>{_ONES})?(?P<ten>十))?〇?(?P<i>{_ONES})?"
)
_CHINESE_DIGITS = "〇一二三四五六七八九"
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_NO_REFERENCES = frozenset({"Heading", "Code", "CodeBlock"})


def section_references(md: str, own_uri: str, most: int) -> list[FoundLink]:
    """References of ``md`` to its own numbered headings, in order, ``most`` at most.

    A number no heading has, or that several have, leads nowhere and is left out, as is what
    stands in headings and code.
    """
    found: list[FoundLink] = []
    if most < 1 or not _REFERENCE.search(md):
        return found
    anchors = _anchors(md)
    if not anchors:
        return found
    elsewhere = Spans(md, _NO_REFERENCES)
    target = doc_id(own_uri)
    for match in _REFERENCE.finditer(md):
        anchor = _meant(match, anchors)
        if anchor and not elsewhere.hold(match.start()):
            found.append(FoundLink(match.start(), "section", match[0], own_uri, target, anchor))
            if len(found) == most:
                break
    return found


_Anchors = dict[tuple[str, str | int], str | None]


def _anchors(md: str) -> _Anchors:
    """(kind, number as written and as a value) -> slug of the heading that bears it; None for one
    that several bear."""
    anchors: _Anchors = {}
    titles = [heading.title for heading in headings_of(md)]
    for title, slug in zip(titles, unique_slugs(titles), strict=True):
        if own := _OWN_NUMBER.match(title):
            kind = _kind(own["unit"] or own["word"])
            for form in _forms(own["zh"] or own["en"] or own["bare"]):
                for key in ((kind, form), (_ANY, form)):
                    anchors[key] = None if key in anchors else slug
    return anchors


def _meant(match: re.Match[str], anchors: _Anchors) -> str | None:
    """The anchor of the one heading a reference means: of its own kind, or with a bare number."""
    word = match["unit"] or match["word"]
    if match["en"] == "I" and word and word[0].islower():
        return None  # "in this section I show"
    kind = _kind(word) if word else _ANY
    number = match["en"] or match["zh"] or match["see"]
    forms = _forms(number)
    may_be_bare = kind in _OF_ANY_TEXT or number[0] in _ROMAN_VALUES
    for borne in (kind, _BARE) if may_be_bare else (kind,):
        for form in forms:
            if (borne, form) in anchors:
                return anchors[borne, form]
    return None


def _kind(word: str | None) -> str:
    name = (word or _BARE).lower().rstrip("s.")
    return _KINDS.get(name, name)


def _forms(number: str) -> tuple[str | int, ...]:
    """A number as it is written and, without dots, its value: what is written alike comes first."""
    value = _value(number)
    return (number,) if value is None else (number, value)


def _value(number: str) -> int | None:
    """Value of digits, a Roman or a Chinese number; None for 2.1 and for 十十."""
    if number.isdecimal():
        return int(number)
    if number[0] in _ROMAN_VALUES:
        values = [_ROMAN_VALUES[letter] for letter in number]
        following = [*values[1:], 0]
        pairs = zip(values, following, strict=True)
        return sum(-value if value < after else value for value, after in pairs)
    return _chinese(number) if "." not in number else None


def _chinese(number: str) -> int | None:
    """Value below 1000 of 三, 十二, 二十, 一百零五 or, digit by digit, 二〇."""
    number = number.replace("零", "〇")
    if "十" not in number and "百" not in number:
        return int("".join(str(_CHINESE_DIGITS.index(digit)) for digit in number))
    parts = _CHINESE_PARTS.fullmatch(number)
    if parts is None:
        return None
    hundreds, tens, ones = (
        _CHINESE_DIGITS.index(digit) if digit else 0 for digit in parts.group("c", "x", "i")
    )
    return 100 * hundreds + (10 * (tens or 1) if parts["ten"] else 0) + ones
