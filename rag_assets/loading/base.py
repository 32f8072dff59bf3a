"""What a loader is given and what it returns (DEV_SPEC 3.1.3).

A loader reads facts: the document's text as Markdown, where it stands, and which media it
refers to. It cleans nothing, fetches nothing and understands no picture. Everything here is
plain data that crosses a process border cheaply, so this module imports no heavy library.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol


class Anchor(NamedTuple):
    """A contiguous range of text and the box its characters stand on.

    Offsets are code points of the facts, half open. ``page`` is 1-based. The box is in PDF points
    with the origin at the top left of the page before its display rotation, which is the frame
    PyMuPDF's text extraction uses.
    """

    char_start: int
    char_end: int
    page: int
    x0: float | None
    y0: float | None
    x1: float | None
    y1: float | None


class MediaRef(NamedTuple):
    """An image the loader saw; the fields are those of ``contracts.columns.MEDIA_REF``."""

    ref_id: str
    source_type: str
    origin_ref: str
    alt: str | None = None
    char_start: int | None = None
    char_end: int | None = None
    order: int | None = None
    page: int | None = None
    x0: float | None = None
    y0: float | None = None
    x1: float | None = None
    y1: float | None = None
    heading_path: str | None = None
    line_start: int | None = None
    line_end: int | None = None


class OutlineItem(NamedTuple):
    """A heading: ``level`` 1-6, ``page`` 1-based or null, ``char_start`` null when not found."""

    level: int
    title: str
    page: int | None
    char_start: int | None


class PageLink(NamedTuple):
    """A link drawn over a page: ``page`` and box as in :class:`Anchor`.

    It leads to ``uri``, or to ``target_page`` (1-based) of the same document, there to the point
    ``target_x``, ``target_y`` in that frame, null when only the page is known.
    """

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    uri: str | None
    target_page: int | None
    target_x: float | None
    target_y: float | None


class Furniture(NamedTuple):
    """A range of the facts that is not content: ``kind`` is ``header``, ``footer``,
    ``page_number``, ``line_number``, ``watermark``, ``nameless`` (glyphs that no font names),
    ``navigation``, ``front_matter``, ``module`` (imports and exports of MDX) or ``code`` that no
    reader sees (scripts, styles)."""

    char_start: int
    char_end: int
    kind: str


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """What is known of a document before its bytes are read.

    Attributes:
        name: file name, or the record's id. What is read depends on its ending alone, so that a
            document that is renamed need not be read again.
        max_pages: a PDF with more is refused.
    """

    name: str
    max_pages: int = 5000


@dataclass(slots=True)
class Loaded:
    """The facts of one document version; the columns of ``parsed`` that a loader knows.

    Attributes:
        md: the facts, lines ended by ``\\n``.
        title: the document's own; empty when it has none, and then its name of the day serves.
        anchors: of ``md``, in order, never overlapping; empty where a format has no pages.
        metadata: JSON-serialisable.
        links: those of a format that draws them over its pages; Markdown's stand in ``md``.
        summary: what the parse summary tells of this document besides what it tells of all:
            numbers of what was found, pages without text, anchors. JSON-serialisable.
        warnings: ``CODE`` or ``CODE: what a person should know``.
    """

    loader_name: str
    loader_version: str
    parser_engine: str
    engine_version: str
    md: str
    title: str
    language: str
    pages: int | None = None
    page_labels: list[str] | None = None
    anchors: list[Anchor] = field(default_factory=list)
    outline: list[OutlineItem] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    media_refs: list[MediaRef] = field(default_factory=list)
    furniture: list[Furniture] = field(default_factory=list)
    links: list[PageLink] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


class Loader(Protocol):
    """A provider of type ``loader``."""

    def load(self, data: Path | bytes, request: LoadRequest) -> Loaded:
        """Read one document.

        Args:
            data: its bytes, or a file that holds nothing else.

        Raises:
            ExcerptaError: with the document's code (EMPTY_FILE, NOT_UTF8, PDF_CORRUPT, …).
        """
        ...
