"""References to the images of a PDF: made by its loader, read where their bytes are wanted."""

from __future__ import annotations

import re

PDF_SCHEME = "pdf:"
#: Its group is the number of an object.
OBJECT = re.compile(rf"^{PDF_SCHEME}xref=(\d+):\d+$")
#: Its groups are the page (1-based) and the index of an image among those drawn there.
DRAWN = re.compile(rf"^{PDF_SCHEME}page=(\d+)#image_index=(\d+)$")
#: Its group is a page (1-based).
DRAWING = re.compile(rf"^{PDF_SCHEME}page=(\d+)#drawing$")


def object_reference(xref: int) -> str:
    """The reference of an image that is an object of the PDF."""
    return f"{PDF_SCHEME}xref={xref}:0"


def drawn_reference(page: int, index: int) -> str:
    """The reference of an image that is drawn on a page (1-based), by its index as
    ``Page.get_image_info`` counts."""
    return f"{PDF_SCHEME}page={page}#image_index={index}"


def drawing_reference(page: int) -> str:
    """The reference of a page (1-based) that is itself a picture, made of shapes."""
    return f"{PDF_SCHEME}page={page}#drawing"


def lies_in_pdf(origin: str) -> bool:
    """Whether a reference is one to an image of a PDF."""
    return origin.startswith(PDF_SCHEME)
