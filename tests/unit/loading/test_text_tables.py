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
    assert text_as_markdown(CHINESE).md.splitlines()[1:5] == [
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
    text = "\nName\tRoom\tPhone\nAda\t12\t4711\nBea\t\t4712\n"
    assert text_as_markdown(text).md.splitlines()[2:] == [
        "| Ada | 12 | 4711 |",
        "| Bea |  | 4712 |",
    ]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("Al\t555-1234\t", "| Al | 555-1234 |  |"),
        ("\t555-1234\tOslo", "|  | 555-1234 | Oslo |"),
        ("Alexander of Oslo\t5\tOslo", "| Alexander of Oslo | 5 | Oslo |"),
    ],
)
def test_the_first_and_last_cells_between_tabs_may_be_empty_or_long(row: str, told: str) -> None:
    text = f"\nName\tPhone\tCity\nBo\t555-9999\tBonn\n{row}\n"
    assert text_as_markdown(text).md.splitlines()[3] == told


@pytest.mark.parametrize("second", ["Al\t\t12\t4711", "Alexandra\t12\t4711"])
def test_several_tabs_may_part_two_cells(second: str) -> None:
    text = f"\nName\t\tRoom\tPhone\n{second}\nBea\t\t13\t4712\n"
    told = ["| Name | Room | Phone |", "| --- | --- | --- |", _row_of(second)]
    assert text_as_markdown(text).md.splitlines()[:3] == told


def test_fewer_tabs_part_the_heads_than_the_cells_below_short_ones() -> None:
    text = "\nFirst name\tRoom\tPhone\nAda\t\t12\t4711\nBea\t\t13\t4712\n"
    assert "| Ada | 12 | 4711 |" in text_as_markdown(text).md


def test_headings_below_a_table_are_found_where_they_stand() -> None:
    text = f"{CHINESE}\nFees\n====\n\nNone.\n"
    loaded = TextLoader(TextParams()).load(text.encode(), LoadRequest("a.txt", "a.txt"))
    (heading,) = loaded.outline
    assert loaded.md[heading.char_start :].startswith("Fees\n====")


STOCK = "\nItem      Stock   Unit\nLamps     3       boxes\nCables    40      rolls\n\n"


@pytest.mark.parametrize("above", ["Store {}:\n", "\n", "Store {}\n-------\n", "All:\n\n- {}\n"])
def test_lines_of_a_text_with_several_tables_are_those_of_the_file(above: str) -> None:
    text = "".join(above.format(number) + STOCK for number in range(5)) + "The end.\n"
    lines, told = text.split("\n"), text_as_markdown(text).md.split("\n")
    assert len(told) == len(lines)
    for line, same in zip(lines, told, strict=True):
        if line.startswith(("Lamps", "Cables")):
            assert same in (line, _row_of(line))
        if line.startswith(("Store", "The end")):
            assert same == line
    assert text.count("Lamps") == 5 and ("| Lamps | 3 | boxes |" in told) == ("- " not in above)


def _row_of(line: str) -> str:
    return f"| {' | '.join(line.split())} |"


def test_a_rule_above_the_heads_makes_room_for_their_delimiter() -> None:
    text = "--------------------\nItem   Stock   Unit\nLamp   3       boxes\nCable  40      rolls\n"
    assert text_as_markdown(text).md.splitlines()[:3] == [
        "| Item | Stock | Unit |",
        "| --- | --- | --- |",
        "| Lamp | 3 | boxes |",
    ]


@pytest.mark.parametrize(
    "above", ["", "- A list\n", "> Quoted\n", "<div>\n", f"Stock:\n{STOCK[:-1]}"]
)
def test_where_a_table_could_not_begin_the_text_stays(above: str) -> None:
    text = above + (STOCK if above else STOCK[1:])
    assert text_as_markdown(text).md.endswith(STOCK.strip("\n") + "\n\n")


@pytest.mark.parametrize(
    "rows",
    [
        "2024    2025\nNorth   12.5    13\nSouth   4       -\nWest    7       9",
        "Since         Fee\nAnna   3 March 2021   EUR 12\nBert   12.11.2022     EUR 9",
        "质保期    产地\n叶轮   18 个月   上海\n密封   6 个月    无锡",
    ],
)
def test_years_measures_prices_and_dates_have_heads(rows: str) -> None:
    assert text_as_markdown(f"Table\n\nName   {rows}\n").md.count("| --- | --- | --- |") == 1


def is_table(text: str) -> bool:
    return "| --- | --- | --- |" in text_as_markdown(f"Table\n\n{text}\n\nThe end").md


@pytest.mark.parametrize(
    ("cell", "may_be"),
    [
        ("rolls", True),
        ("rolls (red)", True),
        ("https://a.b", True),
        ("a | b", False),
        ("{a", False),
        ("<a", False),
        ("a->b", False),
        ("a \\ b", False),
        ("───", False),
        ("a;", False),
        ("a,", False),
        ("/* a", False),
        ("// a", False),
        ("a::b", False),
        ("a ....", False),
        ("f(a)", False),
        ("a=b", False),
    ],
)
def test_code_and_drawings_are_cells_of_no_table(cell: str, may_be: bool) -> None:
    text = f"Item   Stock   Unit\nLamp   3       boxes\nCable  40      {cell}"
    assert is_table(text) is may_be


@pytest.mark.parametrize("mark", ["$ ", "% ", "> ", "# ", "* ", "• ", "- ", "+ "])
def test_commands_comments_and_items_are_rows_of_no_table(mark: str) -> None:
    rows = [("  ", "Item   Stock   Unit"), (mark, "Lamp   3       boxes"), ("  ", "Bar    4   x")]
    text = "\n".join(begin + row for begin, row in rows)
    assert is_table(text.replace(mark, "  ")) and not is_table(text)


@pytest.mark.parametrize(
    ("rules", "is_one"),
    [
        (set(), True),
        ({0}, True),
        ({1}, True),
        ({3}, True),
        ({0, 1, 3}, True),
        ({2}, False),
        ({1, 2}, False),
    ],
)
def test_rules_stand_around_heads_and_at_the_end(rules: set[int], is_one: bool) -> None:
    told = ["Item   Stock   Unit", "Lamp   3       boxes", "Cable  40      rolls"]
    for number in sorted(rules, reverse=True):
        told.insert(number, "-" * (19 + number))  # Two of a length may be around a block.
    assert is_table("\n".join(told)) is is_one


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        # So many rows, and so far in.
        ("Item   Stock   Unit\n-------------------\nLamp   3       boxes", False),
        ("   Item   Stock   Unit\n   Lamp   3       boxes\n   Cable  40      rolls", True),
        ("    Item   Stock   Unit\n    Lamp   3       boxes\n    Cable  40      rolls", False),
        ("Item   Stock   Unit\nLamp   3       boxes\nCable  40", False),
        ("Item   Stock   Unit   Port\nLamp   3       boxes  a\n       40      rolls  b", True),
        ("Item\tStock   Unit\nLamp\t3       boxes\nCable\t40      rolls", True),
        # Heads are short and no sentences.
        ("No.    Stock   Unit\n-------------------\nLamp   red     x\nCable  red     y", True),
        ("Left.  Right.   Unit\n-------------------\nLamp   red      x\nCable  red      y", False),
        (f"Item   Stock   {'U' * 40}\nLamp   3       boxes\nCable  40      rolls", True),
        (f"Item   Stock   {'U' * 41}\nLamp   3       boxes\nCable  40      rolls", False),
        # None of the first row's cells is empty, or a value.
        ("Item           Unit   Price\nLamp   3       box    12\nCable  40      roll   13", False),
        ("Item1  Stock   Unit\nLamp   3       boxes\nCable  40      rolls", False),
        # What a log tells is no head of it.
        ("ERROR  Count   Port\nlost   3       a\nslow   40      b", True),
        ("Grade  Count   Port\nINFO   3       a\nWARN   40      b", True),
        ("INFO   Count   Port\nlost   3       a\nWARN   40      b", False),
        # Some cells say nothing, and two say what their head is for.
        ("Item   Stock   Unit\nLamp   3       box\nPin    n/a     x\nBar    -       y", False),
        ("Item   Stock   Unit\nLamp   3       box\nPin    n/a     x\nBar    4       y", True),
        ("Item   n/a     Unit\nLamp   3       box\nPin    4       x\nBar    5       y", False),
        ("Item   --      Unit\nLamp   3       box\nPin    4       x\nBar    5       y", False),
        ("Item   #       Unit\nLamp   3       box\nPin    4       x\nBar    5       y", True),
        # Below a year stand no years.
        ("Item   2024    Unit\nLamp   1999    box\nPin    12      x\nBar    5       y", False),
        ("Item   2024    Unit\nLamp   13      box\nPin    12      x\nBar    5       y", True),
        # What AsciiDoc puts between rules is a listing.
        ("----\nItem   Stock   Unit\nLamp   3       boxes\nCable  40      rolls\n----", False),
        # Code, with blank lines around it.
        ("```\n\nItem   Stock   Unit\nLamp   3       boxes\nCable  40      rolls\n\n```", False),
    ],
)  # fmt: skip
def test_columns_are_a_table_where_their_first_row_surely_heads_them(
    text: str, is_one: bool
) -> None:
    assert is_table(text) is is_one


def test_a_table_with_a_rule_may_begin_a_text_that_ends_with_it() -> None:
    text = "Name   Room   Phone\n-------------------\nAda    12     4711\nBea    13     4712"
    assert text_as_markdown(text).md.startswith("| Name | Room | Phone |\n| --- |")


@pytest.mark.parametrize(
    "text",
    [
        # Names, ports, services and what a log tells: the first row is as the others.
        "Roster\n\nAnna     Bert     Carl\nGro      Ida      Kai\nMia      Ole      Per\n",
        "班级名单\n\n张三    李四    王五\n赵六    钱七    孙八\n周九    吴十    郑一\n",
        "Seen\n\nAnna    1999    Bonn\nGro     1987    Oslo\nMia     2001    Molde\n",
        "Open\n\nicmp   n/a   all\nssh    22    tcp\nhttp   80    tcp\n",
        "Log\n\nINFO   main   Started\nWARN   db     Slow query\nERROR  db     Lost connection\n",
        "Log\n\nINFO   main   begun\nWARN   db     300 ms\nERROR  db     30 s\n",
        "Log\n\nmain   begun    well\ndb     query    Took 300 ms\ndb     query    Took 30 s\n",
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
