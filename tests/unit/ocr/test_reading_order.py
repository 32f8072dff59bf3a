"""Lines read from a page come in the order in which a person reads them."""

import pytest

from rag_assets.ocr.reading_order import Placed, reading_order, upright


def column(first: int, x: float, rows: int, *, top: float = 0, width: float = 200) -> list[Placed]:
    return [
        Placed(first + row, x, top + 20 * row, x + width, top + 20 * row + 14)
        for row in range(rows)
    ]


def test_rows_from_left_to_right() -> None:
    cells = [
        Placed(2 * row + cell, 100 * cell, 20 * row + cell, 100 * cell + 40, 20 * row + 14)
        for row in range(3)
        for cell in range(2)
    ]
    assert reading_order(cells[::-1]) == [0, 1, 2, 3, 4, 5]
    assert reading_order([]) == []


def test_columns_of_running_text_below_a_title() -> None:
    title = [Placed(0, 0, 0, 460, 20)]
    left, right = column(1, 0, 6, top=60), column(7, 260, 6, top=63)
    foot = [Placed(13, 0, 240, 460, 254)]
    assert reading_order([*right, *foot, *left, *title]) == list(range(14))


def test_a_line_across_both_columns_close_to_them() -> None:
    title = [Placed(0, 0, 0, 460, 14)]
    left, right = column(1, 0, 6, top=20), column(7, 260, 6, top=20)
    assert reading_order([*right, *left, *title]) == list(range(13))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_box_turned_back_is_where_it_was_before(rotation: int) -> None:
    width, height, box = 300.0, 200.0, (10.0, 20.0, 110.0, 34.0)
    x0, y0, x1, y1 = box
    turned = {
        0: (box, width, height),
        90: ((height - y1, x0, height - y0, x1), height, width),
        180: ((width - x1, height - y1, width - x0, height - y0), width, height),
        270: ((y0, width - x1, y1, width - x0), height, width),
    }
    assert upright(turned[rotation][0], rotation, *turned[rotation][1:]) == box
