"""What columns of the stored tables hold: their types, and the groups that stand in several tables.

Lines are 1-based and inclusive, of the facts (``parsed.md``). Pages are 1-based. Boxes are PDF
points with the origin at the top left of the unrotated-for-display page, ``x0 <= x1`` and
``y0 <= y1``.
"""

from __future__ import annotations

import pyarrow as pa

STR = pa.string()
I32 = pa.int32()
I64 = pa.int64()
F32 = pa.float32()
STRS = pa.list_(pa.string())
TIME = pa.timestamp("us", tz="UTC")

#: The version of a document, and the document itself.
VERSION = (pa.field("version_id", STR, nullable=False), pa.field("doc_id", STR, nullable=False))
#: A range of a text in Unicode code points, half open.
RANGE = (pa.field("char_start", I32, nullable=False), pa.field("char_end", I32, nullable=False))
#: A box on a page.
BOX = tuple(pa.field(side, F32) for side in ("x0", "y0", "x1", "y1"))
#: First and last line.
LINES = (pa.field("line_start", I32), pa.field("line_end", I32))
#: First and last page.
PAGES = (pa.field("page_start", I32), pa.field("page_end", I32))
#: Of what failed: an ``ErrorCode``, and one sentence for a person.
FAULT = (pa.field("code", STR), pa.field("message", STR))

#: One contiguous range of text and the place on a page its characters stand on.
ANCHOR = pa.struct(
    [
        *RANGE,
        pa.field("page", I32, nullable=False),
        *BOX,
    ]
)

#: An image (or other media) the loader saw: where its bytes come from and where it stands.
#: ``ref_id`` lives only within one parse (DEV_SPEC 3.1.3, constraint 3).
MEDIA_REF = pa.struct(
    [
        pa.field("ref_id", STR, nullable=False),
        pa.field("source_type", STR, nullable=False),  # markdown | pdf | html
        pa.field("origin_ref", STR, nullable=False),  # "./a.png", "https://…", "pdf:xref=12:0"
        pa.field("alt", STR),
        pa.field("char_start", I32),  # of the reference in the facts
        pa.field("char_end", I32),
        pa.field("order", I32),  # within the page (PDF) or the document (Markdown)
        pa.field("page", I32),
        *BOX,
        pa.field("heading_path", STR),
        *LINES,
    ]
)

#: A further place in the same version where a chunk's text stands again.
OCCURRENCE = pa.struct(
    [
        *RANGE,
        *LINES,
    ]
)

#: One line of text read from a picture: ``text[char_start:char_end]`` of its ``ocr`` row.
OCR_LINE = pa.struct(
    [
        *RANGE,
        pa.field("confidence", F32, nullable=False),  # 0 to 1
        # Of a page as in ANCHOR; of an image, its pixels.
        *(side.with_nullable(False) for side in BOX),
    ]
)
