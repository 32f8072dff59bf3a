"""Pages of pictures are chunks of their own where a document has pages."""

import pyarrow as pa

from rag_assets.chunks.base import Piece
from rag_assets.chunks.picture_pages import PicturePages
from rag_assets.sections.places import AnchorMap
from rag_query.contracts.columns import ANCHOR


def test_pages_of_pictures_are_parted_and_others_are_not() -> None:
    parts = [(1, "Words."), (1, "![](asset://a)"), (2, "![](asset://b)"), (2, "![](asset://c)"),
             (3, "![](asset://d)"), (4, "![](asset://e)"), (4, "Words again.")]  # fmt: skip
    text, anchors = "", []
    for page, part in parts:
        start = len(text)
        text += part + "\n\n"
        anchors.append({"char_start": start, "char_end": start + len(part), "page": page})
    scans = PicturePages(text, AnchorMap(pa.array(anchors, ANCHOR)))
    pieces = scans.part(text, 0, [Piece(0, len(text.rstrip()), "paragraph")])
    assert [text[piece.start : piece.end] for piece in pieces] == [
        "Words.\n\n![](asset://a)",
        "![](asset://b)\n\n![](asset://c)",
        "![](asset://d)",
        "![](asset://e)\n\nWords again.",
    ]


def test_pictures_of_a_document_without_pages_stay_together() -> None:
    text = "![](asset://a)\n\n![](asset://b)"
    scans = PicturePages(text, AnchorMap(pa.array([], ANCHOR)))
    pieces = [Piece(0, len(text), "paragraph")]
    assert scans.part(text, 0, pieces) == pieces
