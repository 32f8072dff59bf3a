"""An empty first cell is the label above it, where the column is one of labels."""

from __future__ import annotations

import pytest

from rag_query.generation.passages.row_labels import drawn_over
from rag_query.generation.passages.table_rows import cells_of


def _drawn(table: str) -> list[int]:
    rows = [cells_of(line) for line in table.splitlines()]
    return [number for number, is_drawn in enumerate(drawn_over(rows)) if is_drawn]


@pytest.mark.parametrize(
    ("table", "drawn"),
    [
        ("| 事假 | 1 天 | √ |\n| | 3 天 | √ |\n| 病假 | 3 天 | |\n| | 5 天 | |", [1, 3]),
        ("| 5月1日 | 四 | 张 |\n| | | 刘 |\n| 5月2日 | 五 | 陈 |\n| | | 杨 |", [1, 3]),
        ("| 妃子笑 | 3 | 90 |\n| 桂味 | 2 | 91 |\n| 糯米糍 | 4 | 95 |\n| | 5 | 85 |", [3]),
        ("| Tools | Saw |\n| | Axe |\n| Paint | Red |\n| | Blue |", [1, 3]),
    ],
)
def test_a_label_is_drawn_over_the_rows_below_it(table: str, drawn: list[int]) -> None:
    assert _drawn(table) == drawn


@pytest.mark.parametrize(
    "table",
    [
        "| 水泵 | 2 | 400元 |\n| 软管 | 1 | 60元 |\n| | | 460元 |",
        "| 水泵 | 2 | 400元 |\n| 软管 | 1 | 60元 |\n| 阀门 | 1 | 40元 |\n| | 4 | 500元 |",
        "| x | Order pumps |\n| | Call Bob |",
        "| yes | Name | 40 |\n| | Phone | 20 |\n| no | Fax | 20 |\n| | Room | 9 |",
        "| 是 | 姓名 | 40 |\n| | 电话 | 20 |",
        "| Christmas | 25 December | closed |\n| | 27 December | 9 to 12 |",
        "| A room | 12 | yes |\n| Remarks: see plan | | |\n| | 40 | no |",
        "| Latte | 3 EUR | hot |\n| Mocha | 4 EUR | hot |\n| | | |\n| | 1 EUR | deposit |",
        "| | 40 | no |",
    ],
)
def test_a_cell_nobody_filled_in_is_no_label(table: str) -> None:
    assert _drawn(table) == []


@pytest.mark.parametrize(
    "said", ["合计", "合 计", "全年合计", "平均", "Average", "Overall", "Net", "VAT 19%", "Balance"]
)
def test_a_row_of_sums_is_of_no_label(said: str) -> None:
    table = (
        f"| Sales | Ads | 1 |\n| | Print | 2 |\n| Lab | Rent | 3 |\n| | Oil | 4 |\n| | {said} | 9 |"
    )
    assert _drawn(table) == [1, 3]
