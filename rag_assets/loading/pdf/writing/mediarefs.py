"""References to the images of a PDF: where each stands in its text, on its page, below which
headings."""

from __future__ import annotations

from rag_assets.loading.base import MediaRef
from rag_assets.loading.pdf.extraction.stext import UNIT
from rag_assets.loading.pdf.writing.writer import Writer
from rag_query.text.section_paths import SEPARATOR


def media_refs(writer: Writer, images: dict[tuple[int, int], str]) -> list[MediaRef]:
    """One for each image written, in the order of the text; boxes are in points.

    Args:
        images: (page, index on the page) -> what the image is fetched by.
    """
    references = []
    order_on: dict[int, int] = {}
    headings = iter(writer.headings)
    upcoming = next(headings, None)
    path: list[tuple[int, str]] = []
    for page, image, start, end in writer.images:
        while upcoming is not None and upcoming[3] <= start:
            path = [*(p for p in path if p[0] < upcoming[0]), upcoming[:2]]
            upcoming = next(headings, None)
        order = order_on[page] = order_on.get(page, -1) + 1
        box = image.raw
        references.append(
            MediaRef(
                ref_id=f"p{page:04d}-{order:03d}",
                source_type="pdf",
                origin_ref=images[page, image.index],
                char_start=start,
                char_end=end,
                order=order,
                page=page,
                x0=box.x0 / UNIT,
                y0=box.y0 / UNIT,
                x1=box.x1 / UNIT,
                y1=box.y1 / UNIT,
                heading_path=SEPARATOR.join(title for _, title in path) or None,
            )
        )
    return references
