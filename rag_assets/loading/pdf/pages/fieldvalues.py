"""Values of form fields of which the page shows nothing, or not all.

A field is read as it is drawn, like any text of its page. What a long remark says below the edge of
its box, characters that its font has no glyph for, and a field that was filled in by a program that
draws none stand in the file alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import UNIT, Box
from rag_assets.loading.pdf.file.annotations import Note, field_kinds

#: Flags of an annotation: invisible, hidden, not to be viewed.
_UNSEEN = 1 | 2 | 32
_PASSWORD = 1 << 13
_SOFT_HYPHEN = "\u00ad"
#: Control characters, and those that only say how others are set.
_UNDRAWN = frozenset({"Cc", "Cf"})


def values_not_drawn(page: Any, lines: Sequence[Line | None]) -> list[Note]:
    """What was typed or chosen in fields of a page and is not in its ``lines`` there, as notes.

    A value that a script of the file shows in another form is left as it is shown. Raises whatever
    PyMuPDF raises for a damaged page.
    """
    from pymupdf import Rect, mupdf

    kinds = field_kinds()
    flat = page.derotation_matrix
    found = []
    # Plain pointers, as for links.
    inner = mupdf.ll_pdf_page_from_fz_page(page.this.m_internal)
    mark = mupdf.ll_pdf_first_widget(inner)
    while mark:
        kind, widget = mupdf.ll_pdf_widget_type(mark), mupdf.ll_pdf_annot_obj(mark)
        if kind in kinds and not _is_unseen(mark, widget):
            values = [value for value in _values(widget) if _bare(value)]
            if values:
                rect = Rect(mupdf.FzRect(mupdf.ll_pdf_bound_annot(mark))) * flat
                box = Box(*(round(side * UNIT) for side in rect))
                drawn = _bare("".join(line.text for line in lines if line and _lies_in(line, box)))
                lost = [value for value in values if not _is_drawn(value, drawn)]
                if lost and not (drawn and _is_formatted(widget)):
                    found.append(Note(tuple(_lines(lost)), box))
        mark = mupdf.ll_pdf_next_widget(mark)
    return found


def _is_unseen(mark: Any, widget: Any) -> bool:
    """Whether a field is not for readers, or holds a password."""
    from pymupdf import mupdf

    secret = mupdf.ll_pdf_field_flags(widget) & _PASSWORD
    return bool(mupdf.ll_pdf_annot_flags(mark) & _UNSEEN or secret)


def _values(widget: Any) -> list[str]:
    """What a field holds; of a choice, the words that are offered for it."""
    from pymupdf import mupdf

    held = mupdf.ll_pdf_dict_gets_inheritable(widget, "V")
    if not held:
        return []
    if not mupdf.ll_pdf_is_array(held):
        values = [mupdf.ll_pdf_field_value(widget)]
    else:
        values = [mupdf.ll_pdf_to_text_string(each) for each in _items(held)]
    options = mupdf.ll_pdf_dict_gets_inheritable(widget, "Opt")
    words: dict[str, str] = {}
    for option in _items(options) if options else ():
        if mupdf.ll_pdf_array_len(option):
            name, *shown = map(mupdf.ll_pdf_to_text_string, _items(option))
            words[name] = shown[0] if shown else name
    # Half of a character pair is no character.
    known = (words.get(value, value) for value in values)
    return [value.encode("utf-8", "replace").decode() for value in known]


def _items(array: Any) -> Iterator[Any]:
    from pymupdf import mupdf

    return (mupdf.ll_pdf_array_get(array, n) for n in range(mupdf.ll_pdf_array_len(array)))


def _is_formatted(widget: Any) -> bool:
    from pymupdf import mupdf

    actions = mupdf.ll_pdf_dict_gets_inheritable(widget, "AA")
    return bool(actions and mupdf.ll_pdf_dict_gets(actions, "F"))


def _is_drawn(value: str, drawn: str) -> bool:
    """Whether a value stands in what is drawn, soft hyphens left out or as hyphens."""
    return _bare(value) in drawn or _bare(value.replace(_SOFT_HYPHEN, "-")) in drawn


def _lies_in(line: Line, box: Box) -> bool:
    across = line.box.x0 < box.x1 and line.box.x1 > box.x0
    return across and line.box.y0 < box.y1 and line.box.y1 > box.y0


def _bare(text: str) -> str:
    """A text less blanks and what is not drawn, its characters in one form. A control character,
    as a tab is, may be drawn as one that nobody can name."""
    return "".join(
        each
        for each in unicodedata.normalize("NFKC", text)
        if each != "\ufffd" and not each.isspace() and unicodedata.category(each) not in _UNDRAWN
    )


def _lines(values: Sequence[str]) -> Iterator[str]:
    for value in values:
        for line in value.splitlines():
            if words := " ".join(line.split()):
                yield words
