"""Web addresses that stand in running text without any markup."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from rag_assets.sections.blocks import characters_of_bytes, parse_events

#: It ends before blanks, quotation marks, brackets and Chinese marks.
_ADDRESS = re.compile(
    r"(?<![\w/])https?://"
    r"[^\s<>\[\]{}()\"'`|\\^\u3000-\u303f\uff00-\uffef\u2018-\u201d]+"
)
_ENDS_SENTENCE = ".,;:!?*_~"
_NO_TEXT = frozenset({"Link", "Image", "CodeBlock", "HtmlBlock", "MetadataBlock"})


def bare_addresses(md: str) -> Iterator[tuple[int, str]]:
    """(start, address) in order; what stands in links, images, code and HTML is none of its own."""
    written = list(_ADDRESS.finditer(md)) if "://" in md else []
    if not written:
        return
    place = None if md.isascii() else characters_of_bytes(md)
    spans = [(span["start"], span["end"]) for event, span in parse_events(md) if _is_no_text(event)]
    starts = [start if place is None else int(place[start]) for start, _ in spans]
    # Spans can be nested; the running maximum of their ends tells how far any reaches.
    ends = list(accumulate((end if place is None else int(place[end]) for _, end in spans), max))
    for match in written:
        index = bisect_right(starts, match.start()) - 1
        if index < 0 or match.start() >= ends[index]:
            yield match.start(), match[0].rstrip(_ENDS_SENTENCE)


def _is_no_text(event: Any) -> bool:
    if type(event) is not dict:
        return False
    if "Code" in event or "InlineHtml" in event or "Html" in event:
        return True
    tag = event.get("Start")
    return (next(iter(tag)) if type(tag) is dict else tag) in _NO_TEXT
