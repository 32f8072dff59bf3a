"""Pages as browsers print them, with a date above and an address below."""

from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams

BODY = [
    "The keeper of the light writes down the wind and the rain every evening and sends",
    "what was written to the harbour office.",
]


def load(path: Path, above: dict[float, str], below: dict[float, str]) -> Loaded:
    """One page with rows of small text at its very edges; keys are where they begin."""
    document = pymupdf.open()
    page = document.new_page()
    for y, row in ((24, above), (830, below)):
        for x, text in row.items():
            page.insert_text((x, y), text, fontsize=8)
    for number, text in enumerate(BODY):
        page.insert_text((80, 100 + 14 * number), text, fontsize=11)
    document.save(path)
    return PdfLoader(PdfParams()).load(path, LoadRequest(path.name))


@pytest.mark.parametrize(
    ("above", "below"),
    [
        (
            {24: "11/29/26, 9:44 AM", 260: "Log of the harbour"},
            {24: "https://example.org/log.html", 560: "1/1"},
        ),
        ({24: "2026/11/29 09:44", 260: "Log"}, {24: "file:///log.html", 560: "1/3"}),
        ({24: "Log", 300: "https://example.org/log"}, {24: "1 of 1", 480: "29/11/2026, 09:44"}),
    ],
)
def test_what_a_browser_prints_around_a_page_is_no_text_and_makes_no_column(
    above: dict[float, str], below: dict[float, str], tmp_path: Path
) -> None:
    loaded = load(tmp_path / "p.pdf", above, below)
    header, body, footer = loaded.md.split("\n\n")
    assert body == " ".join(BODY)
    assert header == " ".join(above.values()) and footer == " ".join(below.values())
    assert [item.kind for item in loaded.furniture] == ["header", "footer"]


def test_a_date_and_a_share_in_the_margins_are_text_without_each_other(tmp_path: Path) -> None:
    for above, below in (
        ({24.0: "11/29/26, 9:44 AM"}, {24.0: "See the log of the harbour"}),
        ({24.0: "Log of the harbour"}, {24.0: "of them 1/3"}),
        ({24.0: "11/29/26, 9:44 AM"}, {24.0: "7/3"}),
    ):
        assert not load(tmp_path / "t.pdf", above, below).furniture
