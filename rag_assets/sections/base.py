"""What a sectioner is: it decides structural boundaries and paths, and nothing else."""

from __future__ import annotations

from typing import Protocol

import msgspec

from rag_query.text.section_paths import SEPARATOR

#: Between the titles of sections that were merged, so that each is found in the path.
TITLE_JOINT = " + "


class Section(msgspec.Struct, frozen=True, gc=False):
    """One section: ``md[start:end]``.

    Attributes:
        path: titles from the outermost to this section's own; ``(PREAMBLE,)`` without a heading.
        level: of its heading, 1 to 6; 0 without one.
        title: its heading's text; None without one.
    """

    path: tuple[str, ...]
    level: int
    title: str | None
    start: int
    end: int

    @property
    def section_path(self) -> str:
        """The path as it is stored and filtered by."""
        return SEPARATOR.join(self.path)


class Sectioner(Protocol):
    """Cuts a document into sections."""

    def sections(self, md: str) -> list[Section]:
        """The sections of ``md`` in order, without overlaps; a pure function of ``md``."""
        ...
