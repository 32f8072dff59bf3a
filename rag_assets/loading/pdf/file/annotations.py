"""Notes that people left on a page: comments of sticky notes, highlights and other marks.

What an annotation draws on the page (free text, the values of form fields) is text of the page
already; only what a viewer shows on demand is read here. See ``fieldvalues`` for what is not drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rag_assets.loading.pdf.extraction.stext import UNIT, Box

#: Free text, widgets and stamps are drawn; links and pop-ups hold no words of their own.
_DRAWN_OR_EMPTY = {"FreeText", "Widget", "Link", "Popup", "Stamp", "FileAttachment"}


@dataclass(frozen=True, slots=True)
class Note:
    """``lines`` of a comment, none blank, and the box of its mark in the frame of anchors."""

    lines: tuple[str, ...]
    box: Box


def notes_of(page: Any) -> list[Note]:
    """The comments of a page, in its order. Raises whatever PyMuPDF raises for a damaged one."""
    found = []
    for mark in page.annots():
        if mark.type[1] in _DRAWN_OR_EMPTY:
            continue
        lines = [" ".join(line.split()) for line in mark.info.get("content", "").splitlines()]
        if not any(lines):
            continue
        x0, y0, x1, y1 = (round(side * UNIT) for side in mark.rect)
        found.append(Note(tuple(filter(None, lines)), Box(x0, y0, x1, y1)))
    return found


@dataclass(frozen=True, slots=True)
class CheckBox:
    """A box of a form that can be ticked, in the frame of the page as displayed."""

    box: Box
    is_ticked: bool


def check_boxes(page: Any) -> list[CheckBox]:
    """The boxes to tick of a page on which any is; none of one that nobody has filled in. Raises
    whatever PyMuPDF raises for a damaged one."""
    from pymupdf import mupdf

    kinds = (mupdf.PDF_WIDGET_TYPE_CHECKBOX, mupdf.PDF_WIDGET_TYPE_RADIOBUTTON)
    inner = mupdf.ll_pdf_page_from_fz_page(page.this.m_internal)
    found: list[CheckBox] = []
    mark = mupdf.ll_pdf_first_widget(inner)
    while mark:
        if mupdf.ll_pdf_widget_type(mark) in kinds:
            rect = mupdf.ll_pdf_bound_annot(mark)
            sides = (round(side * UNIT) for side in (rect.x0, rect.y0, rect.x1, rect.y1))
            state = mupdf.ll_pdf_dict_gets(mupdf.ll_pdf_annot_obj(mark), "AS")
            name = mupdf.ll_pdf_to_name(state) if state else ""
            found.append(CheckBox(Box(*sides), name not in ("", "Off")))
        mark = mupdf.ll_pdf_next_widget(mark)
    return found if any(each.is_ticked for each in found) else []


def filled_in(page: Any) -> tuple[list[Box], list[Box]]:
    """Where rubber stamps ("APPROVED") and fields of forms stand on a page, in the frame of
    anchors; and where those of them stand that hold words, typed or chosen. Raises whatever PyMuPDF
    raises for a damaged one."""
    from pymupdf import Rect, mupdf

    # Page.annots and Page.widgets would read all that each says of itself. Plain pointers, as for
    # links.
    inner = mupdf.ll_pdf_page_from_fz_page(page.this.m_internal)
    marks = []
    mark = mupdf.ll_pdf_first_annot(inner)
    while mark:
        if mupdf.ll_pdf_annot_type(mark) == mupdf.PDF_ANNOT_STAMP:
            marks.append((mark, False))
        mark = mupdf.ll_pdf_next_annot(mark)
    kinds = field_kinds()
    mark = mupdf.ll_pdf_first_widget(inner)
    while mark:
        marks.append((mark, mupdf.ll_pdf_widget_type(mark) in kinds))
        mark = mupdf.ll_pdf_next_widget(mark)
    if not marks:
        return [], []
    flat = page.derotation_matrix
    boxes = [
        (Box(*(round(side * UNIT) for side in rect)), holds_words)
        for mark, holds_words in marks
        for rect in [Rect(mupdf.FzRect(mupdf.ll_pdf_bound_annot(mark))) * flat]
    ]
    return [box for box, _ in boxes], [box for box, holds_words in boxes if holds_words]


def field_kinds() -> tuple[int, ...]:
    """The kinds of fields that hold words, typed or chosen."""
    from pymupdf import mupdf

    return (
        mupdf.PDF_WIDGET_TYPE_TEXT,
        mupdf.PDF_WIDGET_TYPE_COMBOBOX,
        mupdf.PDF_WIDGET_TYPE_LISTBOX,
    )
