"""Every page of a PDF, read one after the other; a page that cannot be read costs only itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rag_assets.loading.pdf.characters.cyrillic import write_cyrillic
from rag_assets.loading.pdf.extraction.blocks import ImageBlock, PageContent, TableBlock
from rag_assets.loading.pdf.extraction.reading import Reading
from rag_assets.loading.pdf.extraction.stext import UNIT, Box
from rag_assets.loading.pdf.file.annotations import Note, check_boxes, filled_in, notes_of
from rag_assets.loading.pdf.file.document import image_references
from rag_assets.loading.pdf.file.faults import Faults
from rag_assets.loading.pdf.file.references import drawing_reference
from rag_assets.loading.pdf.file.tags import Tags
from rag_assets.loading.pdf.pages.fieldlabels import set_behind_labels
from rag_assets.loading.pdf.pages.fieldvalues import values_not_drawn
from rag_assets.loading.pdf.pages.page import read_page
from rag_assets.loading.pdf.pages.pages_before import PagesBefore
from rag_assets.loading.pdf.pages.scans import level_sizes
from rag_assets.loading.pdf.pages.ticks import write_ticks
from rag_query.contracts.errors import ErrorCode, ExcerptaError


@dataclass(slots=True)
class DocumentPages:
    """What the pages of a document hold; pages are numbered from 1.

    Attributes:
        contents: of every page that could be read, in order.
        images: (page, index on the page) -> what the image is fetched by.
        notes: page -> its comments, and values of its form fields that are not drawn.
        stamps: page -> the boxes of its stamps and form fields.
        warnings: which pages could not be read, or only in part.
    """

    contents: list[PageContent] = field(default_factory=list)
    images: dict[tuple[int, int], str] = field(default_factory=dict)
    notes: dict[int, list[Note]] = field(default_factory=dict)
    stamps: dict[int, list[Box]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def read_pages(
    document: Any, *, tables: bool, annotations: bool, min_image_points: float
) -> DocumentPages:
    """Read every page that can be read; the arguments are those of ``loader.pdf``.

    Raises:
        ExcerptaError: ``PDF_CORRUPT`` when no page can be read.
    """
    found = DocumentPages()
    unread, apart = Faults("PAGE_UNREADABLE"), Faults("PAGE_INCOMPLETE")
    before, reading = PagesBefore(document.page_count, Tags(document)), Reading(tables)
    for number in range(1, before.pages + 1):
        with unread.on(number):
            page = document.load_page(number - 1)
            content = read_page(page, number, before, apart.on(number), reading)
            found.contents.append(content)
            ruled = [b.edges for b in content.blocks if isinstance(b, TableBlock) and b.edges]
            before.edges = ruled[-1] if ruled else ()
            # Nor does a fault in what is drawn or noted on a page take anything of its text.
            with apart.on(number):
                if not content.plain:
                    _read_annotations(page, content, found, comments=annotations)
            with apart.on(number):
                found.images |= _images(document, page, content, min_image_points, before.digests)
    if not found.contents:
        raise ExcerptaError(ErrorCode.PDF_CORRUPT, f"No page can be read: {unread.reason}.")
    if before.glyphless:
        level_sizes(found.contents, before.glyphless)
    if high := [content for content in found.contents if content.high_words]:
        write_cyrillic(high)
    found.warnings += unread.warnings() + apart.warnings()
    return found


def _read_annotations(
    page: Any, content: PageContent, found: DocumentPages, *, comments: bool
) -> None:
    """Add a page's comments, fields and stamps to ``found``, its ticks to its text, and what was
    filled in to its labels."""
    number = content.number
    if content.flat is None and (boxes := check_boxes(page)):
        write_ticks(content.blocks, boxes)
    found.notes[number] = notes_of(page) if comments else []
    found.stamps[number], fields = filled_in(page)
    if content.flat is None and fields:
        set_behind_labels(content.blocks, fields)
    found.notes[number] += values_not_drawn(page, content.extracted)


def _images(
    document: Any,
    page: Any,
    content: PageContent,
    min_points: float,
    digests: dict[int, bytes],
) -> dict[tuple[int, int], str]:
    """References of a page's images, by page and index; ``digests`` as in ``image_references``."""
    number = content.number
    if content.is_drawing:
        return {(number, 0): drawing_reference(number)}
    shown = [image for image in content.images if _thickness(image) >= min_points * UNIT]
    names = image_references(document, page, content, shown, digests) if shown else {}
    return {(number, index): name for index, name in names.items()}


def _thickness(image: ImageBlock) -> int:
    """The shorter side, in hundredths of a point."""
    box = image.raw
    return min(box.x1 - box.x0, box.y1 - box.y0)
