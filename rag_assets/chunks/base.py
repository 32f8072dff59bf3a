"""What a chunker is: it cuts one section and never looks beyond it (DEV_SPEC 3.1.5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, Self

import msgspec
from pydantic import Field, model_validator

from rag_assets.chunks.domain_types import RECIPE_COMPANIONS, RECIPE_TITLES, TitleTypes
from rag_assets.sections.patterns import Pattern
from rag_query.providers.registry import Params


class Piece(msgspec.Struct, frozen=True, gc=False):
    """One chunk: ``text[start:end]`` of a section's text, without blanks at its edges.

    Attributes:
        block_type: what most of it is.
        header_row: the header of a table of which this piece holds a later part.
    """

    start: int
    end: int
    block_type: str
    header_row: str | None = None


class ChunkerParams(Params):
    """Base of a chunker's parameters: what decides the block types, for every chunker alike."""

    title_types: Mapping[str, Pattern] = Field(
        RECIPE_TITLES,
        description="block_type -> pattern of a section's whole title; one for 'intro' counts "
        "only as the title of the document or beside another type",
    )
    companion_titles: Mapping[str, Pattern] = Field(
        RECIPE_COMPANIONS,
        description="the same, for titles that tell nothing alone: they count in a document "
        "where a title of title_types counts",
    )

    @property
    def uses_embedder(self) -> bool:
        """Whether the strategy's embedder decides where it cuts.

        If so it is built with ``embedder=``, a function that gives the embedder, and the
        embedder's profile is part of ``chunk_build_profile_id``.
        """
        return False


class OverlappingParams(ChunkerParams):
    """Of a chunker whose chunks repeat the end of the one before."""

    chunk_size: int = Field(ge=16)
    chunk_overlap: int = Field(ge=0)

    @model_validator(mode="after")
    def _overlap_leaves_room(self) -> Self:
        if self.chunk_overlap * 2 >= self.chunk_size:
            raise ValueError("chunk_overlap must be less than half of chunk_size")
        return self


def title_types_of(params: ChunkerParams) -> TitleTypes:
    """What the parameters say of titles."""
    return TitleTypes(params.title_types, params.companion_titles)


class Chunker(Protocol):
    """Cuts a section into pieces.

    Attributes:
        title_types: what a section's title says of its pieces.
    """

    title_types: TitleTypes

    def split(self, text: str, title: str | None) -> list[Piece]:
        """The pieces of a section, in order; a pure function of its arguments.

        Every visible character of ``text`` lies in a piece. ``title`` is the section's heading.
        Blank text has no pieces.
        """
        ...
