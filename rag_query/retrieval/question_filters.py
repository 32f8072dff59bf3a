"""Conditions and preferences that a question's own words state (DEV_SPEC 3.2.3.2, 2).

Only what cannot mean anything else acts, and all that acts is reported:

* a document, by a phrase that ends in what documents are called ("in the station handbook",
  观测手册里), by 《title》, or by its file's name, when exactly one document has such a title;
* the time it was first seen: "since 2025", 2025年以来; other sides ("before", 之前) only beside a
  word for documents, for most sentences with them speak of something else;
* a tag or a collection the library really has, beside the word tag or collection (标签, 合集).

A condition read here never empties an answer: when nothing satisfies it, it is dropped, and said.
Preferences ("latest", 最新, "official", 官方, "screenshot", 示意图) only order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from rag_query.contracts.evidence import Preference
from rag_query.contracts.explain import ParsedCondition
from rag_query.retrieval.names import NamedDocument, Names, folded
from rag_query.text.analysis import analyzer
from rag_query.text.letter_case import lowered
from rag_query.text.months import MONTHS

_ENGLISH_NOUNS = (
    "handbook|manual|guide|report|document|paper|specification|spec|policy|protocol|contract|"
    "tutorial|faq|minutes|readme|changelog|whitepaper"
)
_CHINESE_NOUNS = (
    "手册|指南|报告|文档|说明书|规范|规程|论文|教程|白皮书|年报|合同|协议|纪要|记录|排查|"
    "手冊|報告|文檔|說明書|規範|規程|論文|協議|紀要|記錄"
)
_IN_ENGLISH = re.compile(
    rf"\b(?:in|from|according to)\s+(?:the|our|this)\s+"
    rf"((?:[\w'’-]+\s+){{0,5}}?(?:{_ENGLISH_NOUNS}))\b",
    re.IGNORECASE,
)
_IN_CHINESE = re.compile(rf"([\u3400-\u9fff\w]{{0,20}}?(?:{_CHINESE_NOUNS}))(?:中|里|裡|内|內|上)")
_TITLE_MARKS = re.compile(r"《([^《》]{1,100})》")
_FILE = re.compile(
    # 在 is a letter of names too: without a bound every one of many would read all that follow.
    r"(?:\b(?:in|from)\s+(?:the\s+file\s+)?|在|文件)"
    r"`?([\w.-]{1,200}\.(?:md|pdf|html?|txt|jsonl))\b`?",
    re.IGNORECASE,
)
_MONTH = "|".join(MONTHS)
_DATE = (
    rf"(?:(?P<month>{_MONTH})\s+)?(?P<year>(?:19|20)\d\d)(?:-(?P<m>[01]\d)(?:-(?P<d>[0-3]\d))?)?"
)
_SINCE = re.compile(rf"\bsince\s+{_DATE}\b", re.IGNORECASE)
_OTHER_SIDE = re.compile(
    rf"\b(?:documents?|files?|reports?|papers?|notes?|added|ingested|indexed)\s+(?:\w+\s+){{0,2}}?"
    rf"(?P<side>after|before|until)\s+{_DATE}\b",
    re.IGNORECASE,
)
_CHINESE_DATE = (
    r"(?P<year>(?:19|20)\d\d)\s*年(?:\s*(?P<m>\d{1,2})\s*月)?(?:\s*(?P<d>\d{1,2})\s*[日号])?"
)
_SINCE_CHINESE = re.compile(rf"自?(?:从)?{_CHINESE_DATE}\s*(?:以来|以後|以后|之后|起|至今)")
_BEFORE_CHINESE = re.compile(
    rf"{_CHINESE_DATE}\s*(?:以前|之前)(?=[^，。？！]{{0,6}}(?:文档|资料|文件|报告|收录|入库|添加))"
)
_TAG = re.compile(
    r"\btagged\s+(?:as\s+|with\s+)?[\"“]?(?P<a>[\w-]+)|\bwith\s+(?:the\s+)?tag\s+[\"“]?(?P<b>[\w-]+)"
    r"|标签(?:为|是|:|：)\s*[“\"「]?(?P<c>[^\s，。？！”\"」的]+)"
    r"|带有?[“\"「]?(?P<d>[^\s，。？！”\"」]{1,12})[”\"」]?标签"
    r"|(?<!\S)#(?P<e>[^\W\d][\w-]*)",
    re.IGNORECASE,
)
_COLLECTION = re.compile(
    r"\bin\s+(?:the\s+)?[\"“]?(?P<a>[\w-]+)[\"”]?\s+collection\b|\bcollection\s+[\"“]?(?P<b>[\w-]+)"
    r"|[“\"「]?(?P<c>[^\s，。？！”\"」在]{1,20})[”\"」]?(?:合集|集合|文集)(?:中|里|内)",
    re.IGNORECASE,
)
#: Statements of a kind that every document's title is compared with. A text with more was pasted.
_MOST = 20
_PREFERENCES: tuple[tuple[Preference, re.Pattern[str]], ...] = (
    ("recent", re.compile(r"\b(latest|newest|most recent)\b|最新|最近的", re.IGNORECASE)),
    ("official", re.compile(r"\bofficial(ly)?\b|官方|正式发布", re.IGNORECASE)),
    (
        "has_image",
        re.compile(
            r"\b(diagram|screenshot|photo|picture)s?\b|图片|示意图|架构图|截图|照片", re.IGNORECASE
        ),
    ),
)


def read_preferences(text: str) -> tuple[Preference, ...]:
    """Soft preferences a text asks for."""
    return tuple(name for name, cue in _PREFERENCES if cue.search(text))


def read_conditions(text: str, names: Callable[[], Names]) -> list[ParsedCondition]:
    """At most one condition a field, the first that is stated.

    Args:
        names: of the library; only read when a cue is there.
    """
    found: dict[str, ParsedCondition] = {}
    for field, value, cue in (*_documents(text, names), *_times(text), *_labels(text, names)):
        found.setdefault(field, ParsedCondition(field=field, value=value, words=cue.strip()))
    return list(found.values())


_Read = tuple[str, Any, str]


def _documents(text: str, names: Callable[[], Names]) -> Iterator[_Read]:
    for match in _first(_IN_ENGLISH, text):
        if (doc := _one(_titled_english(match[1], names()))) is not None:
            yield "document_ids", [doc], match[0]
    for match in _first(_TITLE_MARKS, text):
        if (doc := _one(_titled_chinese(match[1], names()))) is not None:
            yield "document_ids", [doc], match[0]
    for match in _first(_IN_CHINESE, text):
        # The beginning of the title is not marked: the longest end that some title holds counts.
        for start in range(len(match[1]) - 1):
            if held := _titled_chinese(match[1][start:], names()):
                if (doc := _one(held)) is not None:
                    yield "document_ids", [doc], match[0][start:]
                break
    for match in _first(_FILE, text):
        named = [d for d in names().documents if d.file_name.casefold() == match[1].casefold()]
        if (doc := _one(named)) is not None:
            yield "document_ids", [doc], match[0]


def _first(cue: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The first statements of a kind."""
    return islice(cue.finditer(text), _MOST)


def _titled_english(phrase: str, names: Names) -> list[NamedDocument]:
    words = frozenset(analyzer().tokens(phrase))
    return [document for document in names.documents if words <= document.tokens]


def _titled_chinese(phrase: str, names: Names) -> list[NamedDocument]:
    exact = [d for d in names.documents if folded(d.title) == folded(phrase)]
    return exact or [d for d in names.documents if folded(phrase) in folded(d.title)]


def _one(documents: list[NamedDocument]) -> str | None:
    return documents[0].doc_id if len(documents) == 1 else None


def _times(text: str) -> Iterator[_Read]:
    for match in (*_SINCE.finditer(text), *_SINCE_CHINESE.finditer(text)):
        if day := _day(match, last=False):
            yield "time_range", {"from": day}, match[0]
    for match in _BEFORE_CHINESE.finditer(text):
        if day := _day(match, last=False):
            yield "time_range", {"to": f"{day}T00:00:00Z"}, match[0]
    for match in _OTHER_SIDE.finditer(text):
        side = lowered(match["side"])
        if not (day := _day(match, last=side != "before")):
            continue
        moment = {
            "after": {"from": f"{day}T23:59:59.999999Z"},
            "before": {"to": f"{day}T00:00:00Z"},
            "until": {"to": day},
        }
        yield "time_range", moment[side], match[0]


def _day(match: re.Match[str], *, last: bool) -> str | None:
    """The first or the last day of what is named; None when there is no such day."""
    import calendar

    parts = match.groupdict()
    year = int(parts["year"])
    named = MONTHS.index(lowered(parts["month"]).capitalize()) + 1 if parts.get("month") else None
    month = named or (int(parts["m"]) if parts.get("m") else (12 if last else 1))
    if not 1 <= month <= 12:
        return None
    longest = calendar.monthrange(year, month)[1]
    day = int(parts["d"]) if parts.get("d") else (longest if last else 1)
    return f"{year}-{month:02}-{day:02}" if 1 <= day <= longest else None


def _labels(text: str, names: Callable[[], Names]) -> Iterator[_Read]:
    for match in _TAG.finditer(text):
        for tag in filter(None, match.groups()):
            if (known := names().tags.get(folded(tag))) is not None:
                yield "tag_ids", [known], match[0]
    for match in _COLLECTION.finditer(text):
        for name in filter(None, match.groups()):
            if (known := names().collections.get(folded(name))) is not None:
                yield "collection", [known], match[0]
