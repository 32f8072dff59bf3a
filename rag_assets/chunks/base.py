"""What a chunker is: it cuts one section and never looks beyond it (DEV_SPEC 3.1.5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rag_query.providers.registry import Params


@dataclass(frozen=True, slots=True)
class Piece:
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
    """Base of a chunker's parameters."""

    @property
    def uses_embedder(self) -> bool:
        """Whether the strategy's embedder decides where it cuts.

        If so it is built with ``embedder=``, a function that gives the embedder, and the
        embedder's profile is part of ``chunk_build_profile_id``.
        """
        return False


class Chunker(Protocol):
    """Cuts a section into pieces."""

    def split(self, text: str, title: str | None) -> list[Piece]:
        """The pieces of a section, in order; a pure function of its arguments.

        Every visible character of ``text`` lies in a piece. ``title`` is the section's heading.
        Blank text has no pieces.
        """
        ...
