"""``chunker.sentence_window``: whole sentences up to a size, the last ones repeated in the next
chunk (DEV_SPEC 3.4.6.1)."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from rag_assets.chunks.base import ChunkerParams, Piece, title_types_of
from rag_assets.chunks.measure import LengthFunction, Ruler
from rag_assets.chunks.pieces import typed_pieces
from rag_assets.chunks.units import Unit, units_of
from rag_assets.sections.blocks import scan_blocks
from rag_query.providers.registry import register


class SentenceWindowParams(ChunkerParams):
    """Parameters of ``chunker.sentence_window``."""

    chunk_size: int = Field(800, ge=16, description="in the unit of length_function")
    overlap_sentences: int = Field(
        1, ge=0, le=20, description="repeated at most; fewer where they would leave no room"
    )
    length_function: LengthFunction = "chars"


class SentenceWindow:
    """See the module."""

    def __init__(self, params: SentenceWindowParams) -> None:
        self._params = params
        self.title_types = title_types_of(params)

    def split(self, text: str, title: str | None) -> list[Piece]:
        """See :class:`rag_assets.chunks.base.Chunker`. No piece is longer than ``chunk_size``."""
        blocks = scan_blocks(text)
        ruler = Ruler(text, self._params.length_function)
        units = units_of(text, blocks, ruler, self._params.chunk_size)
        spans = self._windows(units, ruler)
        return typed_pieces(text, blocks, spans, self.title_types.of(title))

    def _windows(self, units: list[Unit], ruler: Ruler) -> Iterator[tuple[int, int]]:
        size = self._params.chunk_size
        first = covered = 0
        while covered < len(units):
            start = units[first].start
            last = covered + 1
            while last < len(units) and ruler.size(start, units[last].end) <= size:
                last += 1
            # A heading goes with what follows it.
            while last < len(units) and last - 1 > covered and units[last - 1].kind == "heading":
                last -= 1
            yield start, units[last - 1].end
            covered = last
            first = max(first + 1, last - self._params.overlap_sentences)
            while first < last < len(units) and (
                units[first].kind in ("heading", "code", "table")
                or ruler.size(units[first].start, units[last].end) > size
            ):
                first += 1


register("chunker.sentence_window", version="5", params=SentenceWindowParams, build=SentenceWindow)
