"""What the loader of PDFs writes for an image is what finds its bytes."""

from rag_assets.loading.pdf.file.references import (
    DRAWING,
    DRAWN,
    OBJECT,
    drawing_reference,
    drawn_reference,
    lies_in_pdf,
    object_reference,
)


def test_each_reference_to_an_image_of_a_pdf_is_read_as_it_was_made() -> None:
    made = [object_reference(12), drawn_reference(3, 0), drawing_reference(7)]
    read = [
        found.groups() if (found := pattern.match(reference)) else None
        for pattern in (OBJECT, DRAWN, DRAWING)
        for reference in made
    ]
    assert read == [("12",), None, None, None, ("3", "0"), None, None, None, ("7",)]
    assert all(map(lies_in_pdf, made))


def test_a_file_beside_a_document_lies_in_no_pdf() -> None:
    assert not lies_in_pdf("./pdf/page=1.png")
