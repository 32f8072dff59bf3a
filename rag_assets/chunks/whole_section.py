"""``chunker.whole_section``: one chunk a section, however long."""

from __future__ import annotations

from rag_assets.chunks.base import ChunkerParams, Piece, title_types_of
from rag_assets.chunks.block_types import whole_type
from rag_assets.sections.places import visible
from rag_query.providers.registry import register


class WholeSectionParams(ChunkerParams):
    """Parameters of ``chunker.whole_section``."""


class WholeSection:
    """See the module."""

    def __init__(self, params: WholeSectionParams) -> None:
        self.title_types = title_types_of(params)

    def split(self, text: str, title: str | None) -> list[Piece]:
        """All of the section, or nothing when it is blank."""
        start, end = visible(text, 0, len(text))
        if start == end:
            return []
        return [Piece(start, end, self.title_types.of(title) or whole_type(text))]


register("chunker.whole_section", version="3", params=WholeSectionParams, build=WholeSection)
