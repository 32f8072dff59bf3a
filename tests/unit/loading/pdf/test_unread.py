"""What cannot be read of a PDF, and what is said of it: a code, a warning, a picture instead."""

from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from rag_assets.loading.base import LoadRequest
from rag_assets.loading.parse import RawBytes
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from rag_assets.media.pdf_images import PdfImages
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from tests.fixtures.pdfs import write_pdf
from tests.fixtures.scans import drawn_pdf
from tests.unit.loading.pdf.facts import load


def code_of(data: Path | bytes, **request: int) -> ErrorCode:
    with pytest.raises(ExcerptaError) as caught:
        load(data, **request)
    return caught.value.code


def test_broken_documents(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = write_pdf(tmp_path / "w.pdf", [f"page {n}" for n in range(5)]).read_bytes()
    assert code_of(b"") == ErrorCode.EMPTY_FILE
    for other in (b"not a pdf at all", b"# Markdown", b"<html><body>text</body></html>"):
        assert code_of(other) == ErrorCode.PDF_CORRUPT
    for length in (60, 300, 600):
        assert code_of(whole[:length]) == ErrorCode.PDF_CORRUPT
    assert code_of(b"%PDF-1.7\n" + b"\x00garbage" * 500) == ErrorCode.PDF_CORRUPT
    page = tmp_path / "page"
    page.write_bytes(b"<!doctype html><html><body>Not found</body></html>")
    for other in (page, page.read_bytes()):  # what a failed download leaves behind
        assert code_of(other) == ErrorCode.PDF_CORRUPT
    assert code_of(whole, max_pages=4) == ErrorCode.PDF_TOO_MANY_PAGES
    no_pages = (
        b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
        b"2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n"
        b"trailer\n<</Root 1 0 R/Size 3>>\n%%EOF\n"
    )
    assert code_of(no_pages) == ErrorCode.PDF_NO_PAGES
    # A file that lost its end still has pages that can be read.
    loaded = load(whole[: len(whole) * 3 // 4])
    assert loaded.pages == 5 and loaded.md.startswith("page 0 page 1")
    assert capfd.readouterr() == ("", "")


def test_encrypted_documents(tmp_path: Path) -> None:
    locked = write_pdf(
        tmp_path / "user.pdf",
        ["secret"],
        encryption=pymupdf.PDF_ENCRYPT_AES_256,
        user_pw="open sesame",
        owner_pw="owner",
    )
    assert code_of(locked) == ErrorCode.PDF_ENCRYPTED
    readable = write_pdf(
        tmp_path / "owner.pdf",
        ["free to read"],
        encryption=pymupdf.PDF_ENCRYPT_AES_256,
        owner_pw="owner",
    )
    assert load(readable).md == "free to read"


def test_a_scan_is_ready_with_a_warning(tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    Image.new("RGB", (300, 200), "white").save(picture)
    document = pymupdf.open()
    document.new_page().insert_image((50, 50, 350, 250), filename=str(picture))
    document.save(tmp_path / "scan.pdf")
    document.close()
    loaded = load(tmp_path / "scan.pdf")
    assert loaded.warnings[0].startswith("NO_TEXT")
    assert len(loaded.media_refs) == 1
    empty = write_pdf(tmp_path / "empty.pdf", ["", ""])
    assert load(empty).warnings[0].startswith("NO_TEXT")
    half = write_pdf(tmp_path / "half.pdf", ["text", ""])
    assert load(half).warnings == ["PAGES_WITHOUT_TEXT: page 2"]


def test_a_page_of_shapes_alone_is_a_picture_and_an_empty_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "drawn.pdf"
    drawn_pdf(path, [["Plan of the sluice"]])
    with pymupdf.open(path) as document:
        document.new_page()
        coloured = document.new_page()
        coloured.draw_rect(coloured.rect, fill=(1, 1, 0.9), color=None)
        coloured.draw_line((0, 20), (595, 20))
        coloured.draw_line((0, 800), (595, 800))
        document[0].set_rotation(90)
        document.saveIncr()
    loaded = PdfLoader(PdfParams()).load(path, LoadRequest("x"))
    assert loaded.md == "![](pdf:page=1#drawing)"
    (image,) = loaded.media_refs
    assert (image.page, image.x0, image.y0, image.x1, image.y1) == (1, 0, 0, 420, 200)
    assert loaded.summary["pages_without_text"] == [1, 2, 3]
    drawing = PdfImages(RawBytes(str(path), 0, path.stat().st_size), 10_000_000)
    shown = pymupdf.Pixmap(drawing.read(image.origin_ref))
    # As displayed: turned, at 150 dots an inch.
    assert (shown.width, shown.height) == (round(200 * 150 / 72), 875)
    small = PdfImages(RawBytes(str(path), 0, path.stat().st_size), 10_000)
    assert pymupdf.Pixmap(small.read(image.origin_ref)).width < 80


def test_what_does_not_stand_on_the_pages_is_told(tmp_path: Path) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "Please wait: your viewer cannot show this form.")
    document.embfile_add("lease.txt", b"The rent is 900 a month.")
    catalog = document.pdf_catalog()
    document.xref_set_key(catalog, "AcroForm", "<</Fields [] /XFA (data)>>")
    document.xref_set_key(catalog, "NeedsRendering", "true")
    document.save(tmp_path / "form.pdf")
    warnings = load(tmp_path / "form.pdf").warnings
    assert [warning.partition(":")[0] for warning in warnings] == ["XFA_FORM", "EMBEDDED_FILES"]
    assert "1 attached and not read: lease.txt" in warnings[1]


@pytest.mark.parametrize("between", ["", "Harbour rules"])
def test_no_sentence_goes_on_over_a_page_that_gave_no_text(between: str, tmp_path: Path) -> None:
    """Whether the page between says nothing but its header, or cannot be read at all."""
    full = "The tides are low in spring and all of the boats lie dry in the inner basin until May,"
    ends = "and when the water rises the keeper of the old sluice at the north quay must at once"
    begins = "open the gate by hand and leave the house, as has been done for some forty years now."
    document = pymupdf.open()
    for rows in ([full] * 20 + [ends], [], [begins, *[full] * 20]):
        page = document.new_page()
        if between:
            page.insert_text((60, 40), between, fontsize=9)
        for at, text in enumerate(rows):
            page.insert_text((60, 100 + 14 * at), text, fontsize=11)
    if not between:
        document.update_object(
            document.page_xref(1), "<</Type/Page/Parent 999 0 R/MediaBox 5/Contents 3>>"
        )
    document.save(tmp_path / "gap.pdf")
    loaded = load(tmp_path / "gap.pdf")
    assert "north quay must at once\n\n" in loaded.md and "\n\nopen the gate by hand" in loaded.md
