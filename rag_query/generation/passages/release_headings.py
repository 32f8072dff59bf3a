"""Headings that are a date or a version and nothing more: 2.4.0 (2025-03-18), Firmware 2.4.0,
v1.2 - May 2025, 2025年3月. Both languages."""

from __future__ import annotations

import re

from rag_query.text.months import MONTH_PATTERN

_MONTH = rf"(?:{MONTH_PATTERN})\.?"
_DATE = (
    r"(?:\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{4}\s?年(?:\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?[日号])?)?"
    rf"|(?:\d{{1,2}}\s)?{_MONTH}(?:\s\d{{1,2}})?,?\s\d{{4}}|(?:19|20)\d\d)"
)
_VERSION = r"[vV]?\d{1,4}(?:\.\d{1,9}){1,3}"
#: At most two words, none of which names a part of a text.
_NAME = (
    r"(?:(?!(?:Chapter|Section|Sec|Part|Figure|Fig|Table|Appendix|Annex|Article|Clause|Step)\b)"
    r"[A-Z][A-Za-z]{0,30}\s){0,2}"
    r"(?:[\u4e00-\u9fff]{0,7}(?![第章节表图款条])[\u4e00-\u9fff]\s?)?"
)
_BETWEEN = r"[\s,:·–—\-(（\[【\])）】]{1,4}"
_HEADING = re.compile(
    rf"[\[【(（]?(?:{_DATE}(?:{_BETWEEN}{_NAME}{_VERSION})?|{_NAME}\[?{_VERSION}(?:{_BETWEEN}{_DATE})?)"
    r"[\]】)）]?"
)


#: What a heading with a version and its date says without these words, as the analysis leaves them.
RELEASED = frozenset(["releas", "publish", "launch", "issu", "发布", "推出", "上线", "发行"])


def heads_release(heading: str) -> bool:
    """Whether a heading is a date, a version with at most a name before it, or both."""
    return _HEADING.fullmatch(heading.strip()) is not None
