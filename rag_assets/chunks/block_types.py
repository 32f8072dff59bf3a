"""What a chunk is made of: its Markdown blocks, or what its section is about."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from rag_assets.sections.base import TITLE_JOINT
from rag_assets.sections.blocks import Block

#: Titles of recipe sections, the specification's own example of domain types.
RECIPE_TITLES = {
    "ingredients": "必备原料和工具|计算",
    "operation": "操作",
    "tips": "附加内容",
    "intro": ".{1,60}的做法",
}

_CAPTION = re.compile(
    r"[*_]{0,3}(?:(?:Figure|Fig\.|Table|Listing|Scheme)\s*\d|[图表]\s*\d)", re.IGNORECASE
)
_LONGEST_CAPTION = 600
_TO_BE_SEEN = frozenset({"paragraph", "html", "rule"})


class TitleTypes:
    """Domain types by section title; a pattern must match the whole title."""

    def __init__(self, patterns: Mapping[str, str]) -> None:
        self._patterns = [(kind, re.compile(pattern)) for kind, pattern in patterns.items()]
        self._known: dict[str, str | None] = {}

    def of(self, title: str | None) -> str | None:
        """The domain type of a section, None when it has none."""
        if title is None:
            return None
        if title not in self._known:
            kinds = {self._single(part) for part in title.split(TITLE_JOINT)}
            self._known[title] = kinds.pop() if len(kinds) == 1 else None
        return self._known[title]

    def _single(self, title: str) -> str | None:
        matches = (kind for kind, pattern in self._patterns if pattern.fullmatch(title.strip()))
        return next(matches, None)


def block_type(text: str, blocks: Sequence[Block], start: int, end: int) -> str:
    """The kind of block most characters of ``text[start:end]`` are in.

    A heading counts only when there is nothing else.
    """
    weights: dict[str, int] = {}
    first = bisect_right(blocks, start, key=lambda block: block.start) - 1
    for index in range(max(first, 0), len(blocks)):
        block = blocks[index]
        if block.start >= end:
            break
        overlap = min(block.end, end) - max(block.start, start)
        if overlap > 0:
            kind = block.kind
            if kind in _TO_BE_SEEN:
                kind = _kind(text, block)
            weights[kind] = weights.get(kind, 0) + overlap
    if len(weights) > 1:
        weights.pop("heading", None)
    return max(weights, key=lambda kind: weights[kind]) if weights else "paragraph"


def _kind(text: str, block: Block) -> str:
    if block.kind == "html":
        return "table" if text[block.start : block.start + 6].lower() == "<table" else "paragraph"
    if block.kind == "rule":
        return "paragraph"
    short = block.end - block.start <= _LONGEST_CAPTION
    if block.kind == "paragraph" and short and _CAPTION.match(text, block.start):
        return "caption"
    return block.kind
