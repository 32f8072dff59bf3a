"""Which rows are the bar beside the text of slides, and which only stand there."""

from __future__ import annotations

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import UNIT, Box
from rag_assets.loading.pdf.margins.sidebars import mark_sidebars
from rag_assets.loading.pdf.order.rows import PageRows, Row

WIDTH, HEIGHT = 640 * UNIT, 480 * UNIT
PARTS = ("Tides", "The gauges", "Readings")


def row(text: str, x0: int, y0: int, *, x1: int = 120, size: int = 7) -> Row:
    """A row at a place in points."""
    x0, y0, x1 = x0 * UNIT, y0 * UNIT, x1 * UNIT
    y1, size = y0 + size * UNIT, size * UNIT
    line = Line(text, Box(x0, y0, x1, y1), x0, y0, x1, y1, y1, size, False, False, False)
    return Row.of(line, 0, x0, x1)


def slides(count: int, parts: tuple[str, ...] = PARTS, *, x1: int = 120) -> list[PageRows]:
    """Pages with the parts, each smaller than the one above, in a bar, and a text of their own."""
    return [
        PageRows(
            number,
            WIDTH,
            HEIGHT,
            rows=[
                *(
                    row(part, 20 + 4 * at, 60 + 20 * at, x1=x1 - 9 * at, size=8 - at)
                    for at, part in enumerate(parts)
                ),
                row(f"The level at noon was {number} cm.", 250, 200, x1=600, size=12),
            ],
        )
        for number in range(count)
    ]


def marked(pages: list[PageRows]) -> set[str]:
    mark_sidebars(pages)
    return {row.text for page in pages for row in page.rows if row.furniture == "navigation"}


def test_a_bar_has_several_parts_on_several_pages_and_is_narrow() -> None:
    assert marked(slides(5)) == set(PARTS)
    assert marked(slides(4)) == set()
    assert marked(slides(8, PARTS[:2])) == set()
    assert marked(slides(8, ("A", "B", "C"))) == set()
    assert marked(slides(8, ("潮汐", "验潮仪", "读数"))) == {"潮汐", "验潮仪", "读数"}
    assert marked(slides(8, x1=224)) == set(PARTS)
    assert marked(slides(8, x1=225)) == set()


def test_a_bar_stands_at_one_place_on_half_of_the_pages_and_may_move_on_others() -> None:
    moved = slides(8)
    for page in moved[:4]:
        for each in page.rows[1:3]:
            each.y0 += 15 * UNIT
    for page in moved[:3]:
        page.rows.append(row("Storms", 30, 300 + page.number))
    assert marked(moved) == {*PARTS, "Storms"}
    rare = slides(8)
    for page in rare[:5]:
        page.rows = page.rows[-1:]
    assert marked(rare) == set()


def test_what_stands_in_a_bar_on_few_pages_is_text() -> None:
    pages = slides(8)
    for page in pages[:2]:
        page.rows.append(row("A remark", 20, 300))
    assert marked(pages) == set(PARTS)
    for page in pages:
        page.rows.append(row(f"Station {page.number}", 20, 320))
        for each in page.rows:
            each.furniture = ""
    assert marked(pages) == set()


def test_what_is_larger_or_reaches_beyond_the_bar_is_not_in_it() -> None:
    pages = slides(8)
    for page in pages:
        page.rows.append(row(f"Harbour {page.number}", 20, 20, size=20))
        page.rows.append(row(f"Beside the bar {page.number}", 20, 400, x1=200))
        page.rows.append(row(f"Left of it {page.number}", 5, 420))
    assert marked(pages) == set(PARTS)


def test_the_heading_of_a_part_stays_and_a_footer_is_a_footer() -> None:
    pages = slides(8)
    pages[3].rows[1].level = 1
    for page in pages:
        page.rows.append(row("Harbour office", 20, 470))
        page.rows[-1].furniture = "footer"
    assert marked(pages) == set(PARTS)
    assert [page.rows[1].furniture for page in pages].count("") == 1
    assert {page.rows[-1].furniture for page in pages} == {"footer"}


def test_upright_pages_have_no_bar() -> None:
    pages = slides(8)
    for page in pages:
        page.width, page.height = HEIGHT, WIDTH
    assert marked(pages) == set()
