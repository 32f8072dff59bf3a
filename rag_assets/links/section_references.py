"""Words that name numbered sections of the same document: "see section 3.2", "参见第 3 章",
"Sections 2.1 and 3.2", "附录A"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from rag_assets.links.base import FoundLink
from rag_assets.markdown_tree import Spans
from rag_assets.sections.heading_lines import headings_of
from rag_query.text.ids import doc_id
from rag_query.text.numerals import ROMAN_DIGITS, ROMAN_SURELY, han_value, roman_value
from rag_query.text.slugs import unique_slugs

_DIGITS = r"\d{1,3}(?:\.\d{1,3}){0,5}"
_CHINESE = "[〇零一二三四五六七八九十百]{1,5}"
_ENDS = r"(?![A-Za-z0-9_%]|\.\d)"
_ROMAN = rf"(?-i:{ROMAN_SURELY})(?![A-Za-z])"
_DOTTED = r"\d{1,3}(?:\.\d{1,3}){1,5}"
#: What an appendix is numbered by: A, A.1, IV, 2.
_LETTERED = r"(?-i:[A-Z])(?:\.\d{1,3}){0,4}"
#: After a Chinese number of one: 附录一的表, and not 附件一并 or 附录一样.
_ENDS_CHINESE = r"(?![^\W中的所和与與及至到或为是列规規内內里裡之给給表图圖])"
#: 附件 3 份 counts.
_NO_COUNT = r"(?!\s*[份个個张張页頁])"
_APPENDIX = (
    rf"(?:(?:{_LETTERED}|{_ROMAN}){_ENDS}|{_DIGITS}{_ENDS}{_NO_COUNT}"
    rf"|(?>{_CHINESE}){_ENDS_CHINESE})"
)
#: One behind another in Chinese: 附件1、2, and not 附件2、3月报表 or 附录 A 和 C 语言.
_NEXT_APPENDIX = rf"{_APPENDIX}{_ENDS_CHINESE}(?!\s*(?:[份个個张張页頁次月日年人]|[语語]言))"
_AND = r"(?:\s*[,;&、和与與及至到或以~～–—-]+\s*(?:and\s+|or\s+)?|\s+(?:and|or|to|through)\s+)"


def _several(number: str, again: str = "", following: str = "") -> str:
    """A list of a few; longer ones are numbers of something else."""
    return rf"{number}(?:{_AND}{again}{following or number}){{0,5}}"


#: What follows a title in brackets is a part of that work: 《安全生产法》第三条.
_REFERENCE = re.compile(
    # Looking ahead spares most characters the rest.
    r"(?=[SCAPscap§第参详见參詳見如附])(?:(?:\b|(?=[§附]))(?:"
    rf"(?:(?P<words>sections|chapters|clauses|articles|parts)\s+|(?<!§)§§+\s*)"
    rf"(?P<listed>{_several(rf'(?:{_DIGITS}|{_ROMAN}){_ENDS}', '(?:§+ *)?')})"
    rf"|(?:(?P<word>section|sect?\.|chapter|clause|article|part)\s+|(?<!§)§\s*)"
    rf"(?P<en>{_DIGITS}|{_ROMAN}){_ENDS}"
    rf"|(?P<parts>appendices|annexes)\s+(?P<lettered>{_several(_APPENDIX)})"
    rf"|(?P<part>appendix|annex)\s+(?P<letter>{_APPENDIX})"
    rf"|(?<!》)(?P<zh_part>附[录錄件])\s*"
    rf"(?P<zh_letters>{_several(_APPENDIX, following=_NEXT_APPENDIX)}))"
    rf"|(?<!》)第\s*(?P<zh>{_several(f'(?:{_DIGITS}|{_CHINESE})', '(?:第 *)?')})"
    rf"\s*(?P<unit>小?[节節]|[章条條部篇款])"
    rf"|(?:[参參][见見阅閱看考照]|[详詳]?[见見])\s*(?P<see>{_several(_DOTTED + _ENDS)})(?!\s*版)"
    rf"|如\s*(?P<said>{_DOTTED})\s*中?\s*所[述示列说說])",
    re.IGNORECASE,
)
#: A number with nothing before it, which is looked for from its unit on: 3.2 节. 节 may begin
#: another word (3.2 节省), and behind 航速 it is one of knots.
_UNIT = re.compile(r"[节節](?![省约約能日点點目奏制流拍气氣电電假])")
_BARE_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_.》§速达约过为以])(?<![》速达约过为以]\s)(?P<bare>{_several(_DOTTED)})"
    r"\s*(?P<bare_unit>小?[节節])\Z"
)
_LONGEST_BARE = 60
_LISTS = frozenset(
    {"listed", "en", "lettered", "letter", "zh_letters", "zh", "see", "said", "bare"}
)
_NUMBER = re.compile(rf"{_DIGITS}|{_LETTERED}(?![A-Z])|{_ROMAN}|{_CHINESE}", re.IGNORECASE)
#: The number that "3. Rain", "三、雨" and "IV. Rain" bear, and "3D printing" and "I rain" do not.
_OWN_NUMBER = re.compile(
    rf"第\s*(?P<zh>{_DIGITS}|{_CHINESE})\s*(?P<unit>小?[节節]|[章条條部篇款])"
    rf"|(?P<word>section|chapter|article|clause|part)\s+(?P<en>{_DIGITS}|{_ROMAN}){_ENDS}"
    rf"|(?P<part>appendix|annex|附[录錄件])\s*(?P<letter>{_APPENDIX})"
    rf"|(?P<bare>{_DIGITS}{_ENDS}|(?-i:[A-Z])(?:\.\d{{1,3}}){{1,4}}{_ENDS}"
    rf"|{_CHINESE}(?=、)|{_ROMAN}(?=[.:)](?:\s|\Z)|、))",
    re.IGNORECASE,
)
#: One name for each kind of part, whatever it is called.
_KINDS = dict.fromkeys(("節", "小节", "小節", "sec", "sect", "section"), "节")
_KINDS |= {"chapter": "章", "article": "条", "條": "条", "part": "部"}
_KINDS |= dict.fromkeys(("appendix", "appendice", "附錄"), "附录")
_KINDS |= dict.fromkeys(("annex", "annexe"), "附件")
_BARE, _ANY = "", "*"
_APPENDICES = frozenset({"附录", "附件"})
#: Kinds that a heading with a bare number may be; part, 部, 篇 and 款 count other things as well.
_OF_ANY_TEXT = frozenset({"章", "节", "条", "clause"})
_ONES = "[一二三四五六七八九]"
#: Below 1000, or digit by digit; 十十 is none.
_CHINESE_PARTS = re.compile(
    f"(?:{_ONES}百)?[〇零]?(?:{_ONES}?十)?[〇零]?{_ONES}?|[〇零一二三四五六七八九]+"
)
_NO_REFERENCES = frozenset({"Heading", "Code", "CodeBlock"})


def section_references(md: str, own_uri: str, most: int) -> list[FoundLink]:
    """References of ``md`` to its own numbered headings, in order, ``most`` at most.

    A number no heading has, or that several have, leads nowhere and is left out, as is what
    stands in headings and code.
    """
    found: list[FoundLink] = []
    # Most documents have no such heading, and looking for them takes less than for references.
    if most < 1 or not (anchors := _anchors(md)):
        return found
    if not (_REFERENCE.search(md) or _UNIT.search(md)):
        return found
    elsewhere = Spans(md, _NO_REFERENCES)
    target = doc_id(own_uri)
    for reference in _written(md):
        anchor = _meant(reference, anchors)
        if anchor and not elsewhere.hold(reference.start):
            found.append(
                FoundLink(reference.start, "section", reference.text, own_uri, target, anchor)
            )
            if len(found) == most:
                break
    return found


class _Reference(NamedTuple):
    """One of the numbers that words such as "Sections 2.1 and 3.2" name.

    Attributes:
        text: the words up to it, or it alone.
        name: what kind of part it is said to be, as written; empty when nothing is said.
    """

    start: int
    text: str
    name: str
    number: str


def _written(md: str) -> Iterator[_Reference]:
    """What may be references in ``md``, in order."""
    for match in _matches(md):
        named = {group: words for group, words in match.groupdict().items() if words}
        (group,) = named.keys() & _LISTS
        name = next((words for other, words in named.items() if other != group), "")
        numbers = list(_NUMBER.finditer(md, *match.span(group)))
        starts = [match.start(), *(number.start() for number in numbers[1:])]
        ends = [*(number.end() for number in numbers[:-1]), match.end()]
        for number, start, end in zip(numbers, starts, ends, strict=True):
            yield _Reference(start, md[start:end], name, number[0])


_Anchors = dict[tuple[str, str | int], str | None]


def _anchors(md: str) -> _Anchors:
    """(kind, number as written and as a value) -> slug of the heading that bears it; None for one
    that several bear."""
    anchors: _Anchors = {}
    titles = [heading.title for heading in headings_of(md)]
    for title, slug in zip(titles, unique_slugs(titles), strict=True):
        if own := _OWN_NUMBER.match(title):
            kind = _kind(own["unit"] or own["word"] or own["part"])
            kinds = (kind,) if kind in _APPENDICES else (kind, _ANY)
            for form in _forms(own["zh"] or own["en"] or own["letter"] or own["bare"]):
                for key in ((borne, form) for borne in kinds):
                    anchors[key] = None if key in anchors else slug
    return anchors


def _matches(md: str) -> list[re.Match[str]]:
    """Those of :data:`_REFERENCE`, and bare numbers in none of them."""
    found = list(_REFERENCE.finditer(md))
    ends = [match.end() for match in found]
    bare = []
    for unit in _UNIT.finditer(md):
        start = max(unit.start() - _LONGEST_BARE, 0)
        match = _BARE_NUMBER.search(md, start, unit.end())
        # Where it begins within another, both tell of the same numbers.
        index = bisect_right(ends, match.start("bare")) if match else 0
        if match and not (index < len(found) and found[index].start() <= match.start()):
            bare.append(match)
    return sorted([*found, *bare], key=re.Match.start) if bare else found


def _meant(reference: _Reference, anchors: _Anchors) -> str | None:
    """The anchor of the one heading a reference means: of its own kind, or with a bare number."""
    _, _, name, number = reference
    if number == "I" and name and name[0].islower():
        return None  # "in this section I show"
    kind = _kind(name) if name else _ANY
    if kind in _APPENDICES:
        may_be_bare = "." in number and number[0].isalpha()  # "A.1 Rain"
    else:
        may_be_bare = kind in _OF_ANY_TEXT or number[0] in ROMAN_DIGITS
    for borne in (kind, _BARE) if may_be_bare else (kind,):
        for form in _forms(number):
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
    """Value of digits, a Roman or a Chinese number; None for 2.1, A and 十十."""
    if number.isdecimal():
        return int(number)
    if "." in number:
        return None
    if set(number) <= ROMAN_DIGITS.keys():
        return roman_value(number)
    return int(han_value(number)) if _CHINESE_PARTS.fullmatch(number) else None
