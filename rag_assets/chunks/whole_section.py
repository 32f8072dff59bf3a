"""``chunker.whole_section``: one chunk a section, however long."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from rag_assets.chunks.base import ChunkerParams, Piece
from rag_assets.chunks.block_types import RECIPE_TITLES, TitleTypes, block_type
from rag_assets.sections.blocks import scan_blocks
from rag_assets.sections.places import visible
from rag_query.providers.registry import register


class WholeSectionParams(ChunkerParams):
    """Parameters of ``chunker.whole_section``."""

    title_types: Mapping[str, str] = Field(
        RECIPE_TITLES, description="block_type -> pattern of the section's whole title"
    )


class WholeSection:
    """See the module."""

    def __init__(self, params: WholeSectionParams) -> None:
        self._title_types = TitleTypes(params.title_types)

    def split(self, text: str, title: str | None) -> list[Piece]:
        """All of the section, or nothing when it is blank."""
        start, end = visible(text, 0, len(text))
        if start == end:
            return []
        kind = self._title_types.of(title) or block_type(text, scan_blocks(text), start, end)
        return [Piece(start, end, kind)]


def _build(params: WholeSectionParams) -> WholeSection:
    return WholeSection(params)


register("chunker.whole_section", version="1", params=WholeSectionParams, build=_build)
