"""What a text sets in columns is a table; what only looks so stays as it is."""

from __future__ import annotations

import time

import pytest

from rag_assets.loading.base import LoadRequest
from rag_assets.loading.text import TextLoader, TextParams
from rag_assets.loading.text_headings import text_as_markdown

PRICES = """\
Prices of the year

Article    Description                 Price    Delivery
-------    ------------------------   ------    --------
LF-1040    Lamp                       219.00    5 days
LF-1041    Lamp, large                329.00
LF-2010    Stand for lamps,  red       40.00    3 weeks

All prices in EUR.
"""
CHINESE = """\
价目表

编号        名称                    单价      起订量
PJ-101      电池                    899       1
PJ-201      桨叶（一对）            79        5

以上为含税价。
"""


def test_columns_with_a_rule_below_their_heads_are_a_table() -> None:
    told = text_as_markdown(PRICES).md.splitlines()
    assert told[2:7] == [
        "| Article | Description | Price | Delivery |",
        "| --- | --- | --- | --- |",
        "| LF-1040 | Lamp | 219.00 | 5 days |",
        "| LF-1041 | Lamp, large | 329.00 |  |",
        "| LF-2010 | Stand for lamps,  red | 40.00 | 3 weeks |",
    ]
    assert told[7:] == ["", "All prices in EUR."]


def test_wide_characters_take_two_columns_and_heads_need_no_rule() -> None:
    assert text_as_markdown(CHINESE).md.splitlines()[2:6] == [
        "| 编号 | 名称 | 单价 | 起订量 |",
        "| --- | --- | --- | --- |",
        "| PJ-101 | 电池 | 899 | 1 |",
        "| PJ-201 | 桨叶（一对） | 79 | 5 |",
    ]


def test_one_rule_may_stand_below_all_heads() -> None:
    text = "Name   Room   Phone\n-------------------\nAda    12     4711\nBea    13     4712\n"
    told = ["| Name | Room | Phone |", "| --- | --- | --- |", "| Ada | 12 | 4711 |"]
    assert text_as_markdown(text).md.splitlines()[:3] == told


def test_tabs_part_cells_of_which_some_are_empty() -> None:
    text = "Name\tRoom\tPhone\nAda\t12\t4711\nBea\t\t4712\n"
    assert text_as_markdown(text).md.splitlines()[2:] == [
        "| Ada | 12 | 4711 |",
        "| Bea |  | 4712 |",
    ]


def test_headings_below_a_table_are_found_where_they_stand() -> None:
    text = f"{CHINESE}\nFees\n====\n\nNone.\n"
    loaded = TextLoader(TextParams()).load(text.encode(), LoadRequest("a.txt", "a.txt"))
    (heading,) = loaded.outline
    assert loaded.md[heading.char_start :].startswith("Fees\n====")


@pytest.mark.parametrize(
    "text",
    [
        # No heads.
        "-rw-r--r--  root  3512  a\ndrwxr-xr-x  root  4096  b\ndrwxr-xr-x  root  12    c\n",
        # Two columns, and prose with two blanks behind its full stops.
        "Name     Price\nLamp     219\nStand    40\n",
        "It rains.  We stay.  They go.\nNow what.  Nothing.  All is well.\nYes.  No.  Maybe.\n",
        # Part of a paragraph.
        "These are\nName   Room   Phone\nAda    12     4711\nBea    13     4712\n",
        # Code and drawings.
        "int   a;   /* first */\nint   b;   /* second */\nint   c;   /* third */\n",
        "+---+   +---+   +---+\n| a |   | b |   | c |\n+---+   +---+   +---+\n",
        "    Name   Room   Phone\n    Ada    12     4711\n    Bea    13     4712\n",
    ],
)
def test_what_is_no_table_stays_as_it_is(text: str) -> None:
    assert text_as_markdown(text).md == text


def test_blanks_without_end_are_read_quickly() -> None:
    began = time.perf_counter()
    text_as_markdown("\n".join(["a" + " " * 200_000, "a  " * 50_000, "\t" * 100_000]))
    assert time.perf_counter() - began < 5
