"""What a chunk is made of: the kind of Markdown block that most of it is in."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter

from rag_assets.sections.blocks import Block, outline
from rag_query.text.pictures import ASSET_SCHEME, address_chars

#: A label with a number, and then a stop, the end, or a blank and what may begin a title; Chinese
#: needs no blank. Where a verb or a word in lower case goes on, it is prose about the figure.
_CAPTION = re.compile(
    r"""[*_]{0,3}(?:(?i:Figure|Fig\.|Table|Listing|Scheme)|(?P<zh>[图表]))\s*
    (?>\d+(?:[.\-–－]\d+)*[A-Za-z]?)(?>(?:\s*[(（][^()（）\n]{1,40}[)）])?)[*_]{0,3}
    (?!\s*(?:
        [,，、；;的]|可[见知以]|所示|表明|给出|列出|列举|是(?!否)|为(?!了|何|什么)
      | (?:显示|展示|说明|描述|反映|总结|比较|对比|汇总|介绍|概括|呈现)[了出，：]
      | 中(?:的|，|可|给|列|显|展|所|我们|各|每)|(?:和|与|及|至|到|～|~)\s*[图表]?\s*\d
    ))
    (?:\s*(?:[.:：．。|—–]|\Z)|\s+(?=[^\s(a-z])|(?(zh)(?=[\u3400-\u9fff“「《])|(?!)))""",
    re.VERBOSE,
)
_LONGEST_CAPTION = 600
_TO_BE_SEEN = frozenset({"paragraph", "html", "rule"})


def whole_type(text: str) -> str:
    """:func:`block_type` of all of ``text``, which is read until a kind has more than half."""
    weights: dict[str, int] = {}
    # Most texts have none, and then their pieces are not searched for them.
    addresses = address_chars(text) if ASSET_SCHEME in text else 0
    half = (len(text) - addresses) / 2
    for kind, piece in outline(text):
        size = len(piece)
        if not weights and piece[:1].isspace() and text.lstrip().startswith(piece.lstrip()):
            # Blanks at the edges of the text count for nothing.
            size = len(piece.lstrip())
        if addresses:
            size -= address_chars(piece)
        if not size:
            continue
        seen = _seen_kind(kind, piece, 0, len(piece)) if kind in _TO_BE_SEEN else kind
        weights[seen] = weights.get(seen, 0) + size
        if weights[seen] > half and seen != "heading":
            return seen
    return _heaviest(weights)


def block_type(text: str, blocks: Sequence[Block], start: int, end: int) -> str:
    """The kind of block most characters of ``text[start:end]`` are in.

    Addresses of kept pictures count for nothing, a heading only when there is nothing else.
    """
    weights: dict[str, int] = {}
    addresses = address_chars(text, start, end)
    first = bisect_right(blocks, start, key=_start_of) - 1 if start else 0
    for index in range(max(first, 0), len(blocks)):
        block = blocks[index]
        if block.start >= end:
            break
        low, high = max(block.start, start), min(block.end, end)
        overlap = high - low
        if addresses and overlap > 0:
            overlap -= address_chars(text, low, high)
        if overlap > 0:
            kind = block.kind
            if kind in _TO_BE_SEEN:
                kind = _seen_kind(kind, text, block.start, block.end)
            weights[kind] = weights.get(kind, 0) + overlap
    return _heaviest(weights)


_start_of = attrgetter("start")


def _heaviest(weights: dict[str, int]) -> str:
    if len(weights) > 1:
        weights.pop("heading", None)
    return max(weights, key=lambda kind: weights[kind]) if weights else "paragraph"


def _seen_kind(kind: str, text: str, start: int, end: int) -> str:
    """What a reader sees in the block ``text[start:end]``, which is one of _TO_BE_SEEN."""
    short = end - start <= _LONGEST_CAPTION
    return (
        "caption"
        if kind == "paragraph" and short and _CAPTION.match(text, start, end)
        else "paragraph"
    )
