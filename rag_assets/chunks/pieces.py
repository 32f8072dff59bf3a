"""From ranges of a section to its pieces."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from rag_assets.chunks.base import Piece
from rag_assets.chunks.block_types import block_type
from rag_assets.sections.blocks import Block


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
    index = bisect_right(blocks, start, key=lambda block: block.start) - 1
    block = blocks[index] if index >= 0 else None
    if block is None or block.kind != "table" or not block.start < start < block.end:
        return None
    return text[block.start : block.end].split("\n", 1)[0].strip()
