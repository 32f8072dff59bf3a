"""The facts of a PDF, and whether they stand where their anchors say."""

from pathlib import Path

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from tests.fixtures.places import Pages, words_elsewhere


def load(data: Path | bytes, **request: int) -> Loaded:
    return PdfLoader(PdfParams()).load(data, LoadRequest("file.pdf", **request))


def check_anchors(loaded: Loaded, path: Path) -> None:
    """Anchors are in order, on pages that exist, and their boxes hold their words."""
    end = 0
    pages = Pages(path)
    for anchor in loaded.anchors:
        assert end <= anchor.char_start < anchor.char_end <= len(loaded.md)
        end = anchor.char_end
        assert 1 <= anchor.page <= pages.count
    assert words_elsewhere(loaded.md, [a._asdict() for a in loaded.anchors], pages) == []
