"""From ranges of a section to its pieces."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import attrgetter

from rag_assets.chunks.base import Piece
from rag_assets.chunks.block_types import block_type
from rag_assets.sections.blocks import Block

_start_of = attrgetter("start")
#: The head, the line below it and the rows of a table that a piece is cut out of.
_TABLE_ABOVE = re.compile(
    r"^[ \t]*(\|[^\n]*)\n[ \t]*\|[ \t:|-]*-[ \t:|-]*\n(?:[ \t]*\|[^\n]*\n)*\Z", re.MULTILINE
)


def typed_pieces(
    text: str, blocks: Sequence[Block], spans: Iterable[tuple[int, int]], domain: str | None
) -> list[Piece]:
    """Each range with its type, and the header of a table that was cut before it.

    Args:
        domain: the type of every piece of a section whose title has one.
    """
    return [
        Piece(
            start, end, domain or block_type(text, blocks, start, end), _header(text, blocks, start)
        )
        for start, end in spans
    ]


def _header(text: str, blocks: Sequence[Block], start: int) -> str | None:
    """The header of the table that ``start`` stands in. One right below an item of a list is the
    item's words by Markdown's syntax, but a table to who wrote it and to who reads it."""
    index = bisect_right(blocks, start, key=_start_of) - 1
    block = blocks[index] if index >= 0 else None
    if block is None or not block.start < start < block.end:
        return None
    header = _header(text, block.nested, start) if block.nested else block.header
    if header is None and block.kind == "list" and text.startswith("|", start):
        above = _TABLE_ABOVE.search(text, block.start, start)
        header = above[1].strip() if above else None
    return header
