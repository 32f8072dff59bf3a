"""Names of people and of places in a text, in both languages."""

from __future__ import annotations

import re

from rag_query.generation.vocabulary.facts import dates, han_names, latin_names

#: Names that no dictionary tells: 负责人：端木蓉, 由司徒澈负责, "Clementine organises the stand".
_TOLD_NAME = re.compile(
    r"[\u4e00-\u9fff][人员长师者任理授席持管]\s*[:：]\s*([\u4e00-\u9fff·]{2,5})(?=[\s，。；、,;（(]|$)"
    r"|由([\u4e00-\u9fff]{2,4}?(?<![部处科室组司管监理长员人者方会局院裁]))(?:负责|担任|主持|出任|代理)"
)
_FOREIGN_NAME = re.compile(r"[\u4e00-\u9fff]{1,8}(?:[·・•][\u4e00-\u9fff]{1,8})+")
_FIRST_NAME = re.compile(
    r"^\W*(?!(?:It|This|That|These|Those|He|She|They|We|You|There|Who|What|The|A|An|All|No|One"
    r"|Each|Every|Everyone|Nobody|Both)\b)([A-Z][^\W\d_]+)\s+(?:is|was|will|has)\b"
)
_PLACE_NAME = re.compile(
    r"[\u4e00-\u9fff]{2,}(?:省|市|县|区|州|国|岛|镇|村|路|街|山|湖|馆|大学|公园|中心|车站|机场)"
)
#: A column's head before its value in a row: "Monday — Hours: 8:00; Doctor: Ada Stern".
_HEAD = re.compile(r"(?<=[—;|])[^—;|:：]{1,40}[:：](?=\s)")

#: What stands before a time and has a capital where it opens a sentence.
_BEFORE_TIME = re.compile(r"^(?:On|In|By|At|From|Since|Until|Every|Each|Next|Last|Before|After)\s+")
#: Someone and somewhere told without a name: by the caretaker, below the sink, 由业主委员会受理.
_BY_SOMEONE = re.compile(
    r"\b(?:by|to)\s+(?:the|an?|our|your|its|their)\s+\w|[由向][\u4e00-\u9fff]{2}"
)
_SOMEWHERE = re.compile(
    r"\b(?:in|into|on|at|behind|under|below|above|beside|near|inside|outside|opposite|from)\s+"
    r"(?:the|an?|our|your|its|their)\s+(?!(?:morning|evening|afternoon|day|week|month|year|end)\b)\w"
    r"|[在于放存停挂][\u4e00-\u9fff]+[里上下中内外旁边侧室楼层]",
    re.IGNORECASE,
)


def people(text: str) -> list[str]:
    """Names that may be of people."""
    told = [name for found in _TOLD_NAME.findall(text) for name in found if name]
    told += [*_FOREIGN_NAME.findall(text), *_FIRST_NAME.findall(text)]
    return _no_times([*han_names(text, "nr"), *told, *_western(text)])


def places(text: str) -> list[str]:
    """Names that may be of places."""
    named = [*han_names(text, "ns", "nt", "nrt"), *_PLACE_NAME.findall(text)]
    return _no_times([*named, *_western(text)])


def tells_someone(text: str) -> bool:
    """Whether a phrase tells by whom or to whom."""
    return _BY_SOMEONE.search(text) is not None


def tells_somewhere(text: str) -> bool:
    """Whether a phrase tells where."""
    return _SOMEWHERE.search(text) is not None


def _western(text: str) -> list[str]:
    """Names in Latin letters; an acronym and the head of a column are neither a person nor a
    place."""
    return [name for name in latin_names(_HEAD.sub(",", text)) if not name.isupper()]


def _no_times(names: list[str]) -> list[str]:
    """Names without those of days and months, which have a capital too."""
    bare = ((name, _BEFORE_TIME.sub("", name).split()) for name in names)
    return [name for name, words in bare if any(dates(word) != [word] for word in words)]
