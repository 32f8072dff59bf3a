"""``chunker.rcts_within_section``: recursive separators inside one section (DEV_SPEC 3.1.5.2).

A chunk is filled to between half and the whole of its size and ends at the best boundary there:
before a heading, between blocks, between items, after a line, a sentence, a clause, a word.
"""

from __future__ import annotations

from pydantic import Field

from rag_assets.chunks.base import OverlappingParams, Piece, title_types_of
from rag_assets.chunks.block_types import whole_type
from rag_assets.chunks.boundaries import SENTENCE, Boundaries
from rag_assets.chunks.measure import LengthFunction, Ruler, exceeds
from rag_assets.chunks.pieces import typed_pieces
from rag_assets.sections.blocks import Block, scan_blocks
from rag_assets.sections.places import visible
from rag_query.providers.registry import register

#: A chunk is at least this full when it ends at a good boundary.
_LEAST_FILL = 0.5
#: What is left is shared by two chunks when it is less than this many times the size.
_SHARED_TAIL = 1.5
#: How far above the size a heading may carry the block it must stay with.
_HEADING_ALLOWANCE = 1.25


class RctsParams(OverlappingParams):
    """Parameters of ``chunker.rcts_within_section``."""

    chunk_size: int = Field(800, ge=16, description="in the unit of length_function")
    whole_size: int | None = Field(
        None,
        ge=16,
        description="a section of at most this size is one chunk, though it is longer than "
        "chunk_size: what the embedder can read whole is not cut",
    )
    chunk_overlap: int = Field(120, ge=0, description="at most; less than half of chunk_size")
    separators: tuple[str, ...] = Field(
        ("\n\n", "\n", SENTENCE, " ", ""),
        description="in order of preference: '\\n\\n' is between blocks and list items, '\\n' a "
        "line, '<sentence>' the end of a sentence, ' ' a clause or word, '' a sign such as '|' or, "
        "without one, any character; "
        "anything else is literal text a chunk may end with",
    )
    length_function: LengthFunction = "chars"


class RctsWithinSection:
    """See the module."""

    def __init__(self, params: RctsParams) -> None:
        self._params = params
        self.title_types = title_types_of(params)

    def split(self, text: str, title: str | None) -> list[Piece]:
        """See :class:`rag_assets.chunks.base.Chunker`.

        No piece is longer than ``chunk_size``, except a section of at most ``whole_size``, and a
        heading with the code or table that it must not be parted from.
        """
        start, end = visible(text, 0, len(text))
        if start == end:
            return []
        domain = self.title_types.of(title)
        whole = max(self._params.chunk_size, self._params.whole_size or 0)
        function = self._params.length_function
        if not exceeds(text[start:end], whole, function):
            return [Piece(start, end, domain or whole_type(text))]
        ruler = Ruler(text, function)
        blocks = scan_blocks(text)
        spans = _Packing(text, blocks, ruler, self._params).spans(start, end)
        return typed_pieces(text, blocks, spans, domain)


class _Packing:
    """Fills the chunks of one section."""

    def __init__(self, text: str, blocks: list[Block], ruler: Ruler, params: RctsParams) -> None:
        self._text = text
        self._ruler = ruler
        self._size = params.chunk_size
        self._overlap = params.chunk_overlap
        self._at = Boundaries(text, blocks, ruler, params.chunk_size, params.separators)

    def spans(self, start: int, end: int) -> list[tuple[int, int]]:
        """Ranges without blanks at their edges that cover ``start:end``, which has none."""
        out: list[tuple[int, int]] = []
        covered = start
        while True:
            cut = self._cut(start, covered, end)
            if cut <= covered:  # The overlap left no room for what must stay together.
                start = covered
                cut = self._cut(start, covered, end)
            out.append(visible(self._text, start, cut))
            if cut >= end:
                return out
            covered = self._next_visible(cut)
            start = self._next_visible(self._overlap_start(out[-1], cut))

    def _cut(self, start: int, covered: int, end: int) -> int:
        """Where the chunk that begins at ``start`` ends; past ``covered`` whenever possible."""
        high = self._ruler.reach(start, self._size)
        if high >= end:
            return end
        left = self._ruler.size(start, end)
        room = float(self._size)
        if left < _SHARED_TAIL * self._size:
            room = min(room, 0.6 * left)
        low = max(covered, self._ruler.reach(start, _LEAST_FILL * room))
        best = self._at.last(low, self._ruler.reach(start, room)) if low < high else None
        if best is None:
            best = self._at.last(covered, high)
        if best is not None:
            return best
        if start < covered:
            return covered
        held = self._at.held(high)
        if held and self._ruler.size(start, held[1]) <= _HEADING_ALLOWANCE * self._size:
            return min(held[1], end)
        return self._at.last(covered, high, keep_whole=False) or max(high, covered + 1)

    def _next_visible(self, place: int) -> int:
        while self._text[place].isspace():
            place += 1
        return place

    def _overlap_start(self, piece: tuple[int, int], cut: int) -> int:
        """Where the next chunk begins: at ``cut``, or at a sentence or word shortly before."""
        last = self._at.prose_at(piece[1] - 1)
        if not self._overlap or cut in self._at.headings or last is None:
            return cut
        begins, kind = last
        if kind in ("code", "table", "heading", "html"):
            return cut
        low = max(piece[0] + 1, begins, self._ruler.reach_back(cut, self._overlap))
        sentences = self._at.sentences(low - 1, cut - 1)
        if sentences:
            return sentences[0]
        if kind != "paragraph" or self._text[cut - 1] == "\n":
            return cut
        if self._at.sentences(cut - 1, cut):
            return cut
        return self._at.first(low, cut) or cut


register("chunker.rcts_within_section", version="5", params=RctsParams, build=RctsWithinSection)
