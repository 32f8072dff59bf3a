"""What MuPDF prints of a page in an odd form: grids at the edge, fonts that name no characters."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.extraction.stext import TextOf, structured_text
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams


def load(path: Path) -> Loaded:
    return PdfLoader(PdfParams()).load(path, LoadRequest("file.pdf"))


def test_a_grid_at_the_very_edge_costs_no_text(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=200, height=120)
    for row in range(3):
        for column in range(2):
            left, top = 0.3 + 80 * column, 0.3 + 30 * row
            page.draw_rect((left, top, left + 80, top + 30), width=0.5)
            page.insert_text((left + 6, top + 18), f"cell {row}{column}", fontsize=9)
    page.insert_text((10, 112), "Text below the grid.", fontsize=9)
    document.save(tmp_path / "edge.pdf")
    loaded = load(tmp_path / "edge.pdf")
    assert loaded.warnings == []
    assert "| cell 10 | cell 11 |" in loaded.md
    assert "Text below the grid." in loaded.md


def test_what_a_bitmap_font_of_tex_means_is_written(tmp_path: Path) -> None:
    path = tmp_path / "bitmap.pdf"
    path.write_bytes(
        _in_bitmap_font(rb"\020The coe\036cients di\033er\021, 50\02559; see \134u001c")
    )
    assert load(path).md.strip() == "“The coefficients differ”, 50–59; see \\u001c"


@pytest.mark.parametrize(
    ("font", "raw", "text"),
    [
        ("F58", "\x88 Except for files", "• Except for files"),
        ("F58", "g\x88 and 5\x88", "g\x88 and 5\x88"),
        ("FQWLQJ+Dingbats", r"\u0013 Semplice", "✓ Semplice"),
        ("ZapfDingbats", r"\u0017", "✗"),
        ("CMR10", r"\u0017 and", "\x17 and"),
    ],
)
def test_marks_that_fonts_do_not_name_are_known_where_a_line_begins(
    font: str, raw: str, text: str
) -> None:
    box = '"bbox":{"x":1,"y":1,"w":9,"h":9}'
    named = f'"font":{{"name":"{font}","family":"serif","weight":"normal","size":9}}'
    line = f'{{"wmode":0,{box},{named},"x":1,"y":9,"text":"{raw}"}}'
    block = f'{{"blocks":[{{"type":"text",{box},"lines":[{line}]}}]}}'
    [node] = structured_text(block.encode())
    assert isinstance(node, TextOf)
    assert [line.text for line in node.lines] == [text]


def test_each_of_many_inline_images_has_a_reference_of_its_own(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    drawn = b"".join(
        b"q 5 0 0 5 %d %d cm BI /W 1 /H 1 /CS /G /BPC 8 ID %c EI Q\n"
        % (20 + 6 * (n % 90), 20 + 6 * (n // 90), 65 + n % 20)
        for n in range(400)
    )
    xref = document.get_new_xref()
    document.update_object(xref, "<<>>")
    document.update_stream(xref, drawn)
    document.xref_set_key(page.xref, "Contents", f"{xref} 0 R")
    document.save(tmp_path / "inline.pdf")
    loaded = load(tmp_path / "inline.pdf")
    assert len(loaded.media_refs) == 400
    assert len({ref.origin_ref for ref in loaded.media_refs}) == 400


def _in_bitmap_font(text: bytes) -> bytes:
    """A PDF of one line whose font draws its characters and does not name them."""
    box = b"<< /Length 27 >> stream\n500 0 0 0 400 700 d1 0 0 400 700 re f\nendstream"
    names = b" ".join(b"/a%d" % code for code in range(16, 127))
    glyphs = b" ".join(b"/a%d 6 0 R" % code for code in range(16, 127))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 200] /Contents 5 0 R "
        b"/Resources << /Font << /F1 4 0 R >> >> >>",
        b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [.001 0 0 .001 0 0] "
        b"/FirstChar 16 /LastChar 126 /Widths [" + b"500 " * 111 + b"] /CharProcs << " + glyphs
        + b" >> /Encoding << /Type /Encoding /Differences [16 " + names + b"] >> >>",
        _stream(b"BT /F1 10 Tf 40 100 Td (" + text + b") Tj ET"),
        box,
    ]  # fmt: skip
    written = b"%PDF-1.4\n"
    for number, content in enumerate(objects, start=1):
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    return written + b"trailer << /Root 1 0 R /Size 7 >>\n"


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >> stream\n%s\nendstream" % (len(content), content)
