"""Where in a Markdown text its syntax tree sees code, links, headings and the like."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from itertools import accumulate
from typing import Any

from rag_assets.sections.blocks import characters_of_bytes, parse_events


class Spans:
    """The stretches of a text that are of some kinds, at whatever depth they stand."""

    def __init__(self, md: str, kinds: Collection[str]) -> None:
        """``kinds``: pulldown-cmark's names of tags and inline events: CodeBlock, Code, Link."""
        spans = [
            (span["start"], span["end"]) for event, span in parse_events(md) if _of(event, kinds)
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


def _of(event: Any, kinds: Collection[str]) -> bool:
    if type(event) is not dict:
        return False
    tag = event.get("Start", event)
    return (tag if type(tag) is str else next(iter(tag))) in kinds
