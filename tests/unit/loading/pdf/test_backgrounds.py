"""Fills and frames behind a page, and boxes around a part of it."""

from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.pdf.extraction.stext import Box
from rag_assets.loading.pdf.pages.backgrounds import boxes
from tests.unit.loading.pdf.facts import check_anchors, load

SIZE = 10
TABLE = [
    ["Risk", "Measure", "Owner"],
    ["Contaminated silt", "Sample before tender", "Harbour engineer"],
    ["Winter storms", "Start in May", "Contractor"],
]
EDGES = (80.0, 190.0, 310.0, 420.0)
ABOVE = "The register names what may delay the works, and who sees to it that it does not."
BELOW = "The owners report to the board every month, and at once when a risk has come true."
HEADS = ["# Register", "## Risks", "## Reports"]
Draw = Callable[[pymupdf.Page], None]


def filled(*rect: float) -> Draw:
    return lambda page: page.draw_rect(rect, color=None, fill=(0.96, 0.97, 1))


def framed(*rect: float) -> Draw:
    return lambda page: page.draw_rect(rect, width=0.75)


def ruled(x0: float, y0: float, x1: float, y1: float) -> Draw:
    """A frame of four lines."""

    def draw(page: pymupdf.Page) -> None:
        for line in ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)):
            page.draw_line(line[:2], line[2:], width=0.75)

    return draw


def table_at(page: pymupdf.Page, top: float) -> None:
    for number in range(len(TABLE) + 1):
        page.draw_line((EDGES[0], top + 18 * number), (EDGES[-1], top + 18 * number), width=0.5)
    for x in EDGES:
        page.draw_line((x, top), (x, top + 18 * len(TABLE)), width=0.5)
    for number, row in enumerate(TABLE):
        for x, text in zip(EDGES, row, strict=False):
            page.insert_text((x + 4, top + 18 * number + 13), text, fontsize=SIZE)


def report(path: Path, behind: Draw | None = None, around: Draw | None = None) -> str:
    """The Markdown of a page with a table between headings and paragraphs, ``behind`` drawn first
    and ``around`` as soon as its title is written."""
    with pymupdf.open() as document:
        page = document.new_page()
        if behind:
            behind(page)
        page.insert_text((70, 80), "Register", fontsize=20)
        if around:
            around(page)
        page.insert_text((80, 120), "Risks", fontsize=15)
        page.insert_text((80, 140), ABOVE, fontsize=SIZE)
        table_at(page, 155)
        page.insert_text((80, 240), "Reports", fontsize=15)
        page.insert_text((80, 260), BELOW, fontsize=SIZE)
        document.save(path)
    loaded = load(path)
    check_anchors(loaded, path)
    return loaded.md


def assert_report(md: str) -> None:
    lines = md.split("\n")
    assert [line for line in lines if line.startswith("#")] == HEADS
    assert [line[2:-2].split(" | ") for line in lines if line.startswith("| ")] == TABLE
    assert ABOVE in lines and BELOW in lines


@pytest.mark.parametrize(
    "behind",
    [
        filled(0, 0, 595, 842),
        filled(56, 50, 539, 780),
        framed(56, 50, 539, 300),
        ruled(56, 50, 539, 300),
    ],
)
def test_a_table_on_a_page_with_a_background_stays_a_table(behind: Draw, tmp_path: Path) -> None:
    assert_report(report(tmp_path / "b.pdf", behind=behind))


@pytest.mark.parametrize("box", [filled, framed, ruled])
@pytest.mark.parametrize("place", ["behind", "around"])
def test_headings_and_text_in_a_box_with_a_table_are_no_cells(
    box: Callable[..., Draw], place: str, tmp_path: Path
) -> None:
    draw = box(70, 100, 530, 275)
    md = report(tmp_path / "b.pdf", **{place: draw})
    assert_report(md)


@pytest.mark.parametrize("frame", [filled, framed])
def test_the_frame_of_a_table_is_a_part_of_it(frame: Callable[..., Draw], tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        frame(EDGES[0], 60, EDGES[-1], 60 + 18 * len(TABLE))(page)
        table_at(page, 60)
        document.save(tmp_path / "t.pdf")
    lines = load(tmp_path / "t.pdf").md.split("\n")
    assert [line[2:-2].split(" | ") for line in lines if line.startswith("| ")] == TABLE


def test_a_frame_at_which_lines_end_is_no_box() -> None:
    frame = Box(6000, 6000, 46000, 20000)
    across = [Box(7000, y, 45000, y + 100) for y in (8000, 10000, 12000, 14000, 16000)]
    assert list(boxes([frame, *across], 59500)) == [[0]]
    ends = Box(6000, 18000, 46000, 18100)
    assert list(boxes([frame, *across, ends], 59500)) == []


def test_text_beside_a_box_over_the_bands_of_its_headings_is_no_table() -> None:
    beside = ["Flow: 4 to 60 m³/h", "Head: up to 85 m", "Motor: 1.5 to 18.5 kW", "Seal: SiC"]
    with pymupdf.open() as document:
        page = document.new_page()
        for top in (85, 160, 230):
            page.draw_rect((60, top, 540, top + 22), color=None, fill=(0.8, 0.85, 0.95))
        page.draw_rect((380, 80, 540, 252), color=None, fill=(0.96, 0.96, 0.96))
        for top, head in ((85, "Pump of the third dock"), (160, "Materials"), (230, "Limits")):
            page.insert_text((64, top + 16), head, fontsize=14, fontname="hebo")
        for top in (122, 196):
            for at, text in enumerate(("A pump for clean water", "and for water with silt.")):
                page.insert_text((60, top + 14 * at), text, fontsize=SIZE)
        page.insert_text((390, 91), "At a glance", fontsize=9, fontname="hebo")
        for at, text in enumerate(beside):
            page.insert_text((390, 114 + 11 * at), text, fontsize=9)
        page.insert_text((390, 176), "Orders", fontsize=9, fontname="hebo")
        for at, text in enumerate(("Name the type and", "the voltage.")):
            page.insert_text((390, 189 + 11 * at), text, fontsize=9)
        page.insert_text((60, 270), ABOVE, fontsize=SIZE)
        data = document.tobytes()
    md = load(data).md
    assert "|" not in md
    assert "## Materials" in md or "# Materials" in md
