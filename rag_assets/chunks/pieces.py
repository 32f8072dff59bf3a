"""From ranges of a section to its pieces."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import attrgetter

from rag_assets.chunks.base import Piece
from rag_assets.chunks.block_types import block_type
from rag_assets.sections.blocks import Block

_start_of = attrgetter("start")


def typed_pieces(
    text: str, blocks: Sequence[Block], spans: Iterable[tuple[int, int]], domain: str | None
) -> list[Piece]:
    """Each range with its type, and the header of a table that was cut before it.

    Args:
        domain: the type of every piece of a section whose title has one.
    """
    return [
        Piece(start, end, domain or block_type(text, blocks, start, end), _header(blocks, start))
        for start, end in spans
    ]


def _header(blocks: Sequence[Block], start: int) -> str | None:
    index = bisect_right(blocks, start, key=_start_of) - 1
    block = blocks[index] if index >= 0 else None
    if block is None or not block.start < start < block.end:
        return None
    return _header(block.nested, start) if block.nested else block.header
