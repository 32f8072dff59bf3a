"""pulldown-cmark's events of a Markdown text, and where in it they stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from itertools import accumulate
from typing import Any, cast

import numpy as np
from pyromark import Options, events_with_range

#: CommonMark and what GitHub adds to it.
MARKDOWN = Options.ENABLE_TABLES | Options.ENABLE_FOOTNOTES | Options.ENABLE_WIKILINKS

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_events(text: str) -> Iterator[tuple[Any, dict[str, int]]]:
    """pulldown-cmark's events with their byte ranges, for any Python string."""
    try:
        events: Any = events_with_range(text, options=MARKDOWN)
    except UnicodeEncodeError:
        # The replacement is as long in UTF-8, so offsets stay.
        plain = _LONE_SURROGATE.sub("\ufffd", text)
        events = events_with_range(plain, options=MARKDOWN)
    return cast("Iterator[tuple[Any, dict[str, int]]]", events)


def characters_of_bytes(text: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each byte offset of the UTF-8 of ``text``, end included: the offset in code points."""
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    table = np.zeros(len(data) + 1, dtype=np.int64)
    np.cumsum((data & 0xC0) != 0x80, out=table[1:])
    return table


class Spans:
    """The stretches of a text that are of some kinds, at whatever depth they stand."""

    def __init__(self, md: str, kinds: Collection[str]) -> None:
        """``kinds``: pulldown-cmark's names of tags and inline events: CodeBlock, Code, Link; or
        Fenced, for code between fences."""
        spans = [
            (span["start"], span["end"]) for event, span in parse_events(md) if _is_of(event, kinds)
        ]
        if not md.isascii():
            place = characters_of_bytes(md)
            spans = [(int(place[start]), int(place[end])) for start, end in spans]
        self._starts = [start for start, _ in spans]
        # Spans can be nested; the running maximum of their ends tells how far any reaches.
        self._ends = list(accumulate((end for _, end in spans), max))

    def hold(self, place: int) -> bool:
        """Whether the character at ``place`` stands in one of them."""
        index = bisect_right(self._starts, place) - 1
        return index >= 0 and place < self._ends[index]


def _is_of(event: Any, kinds: Collection[str]) -> bool:
    if type(event) is not dict:
        return False
    tag = event.get("Start", event)
    name = name_of(tag)
    return name in kinds or (name == "CodeBlock" and name_of(tag[name]) in kinds)


def name_of(tag: Any) -> str:
    """Of a tag, or a kind of code, that is its name or has its name as the only key."""
    return tag if type(tag) is str else next(iter(tag))
