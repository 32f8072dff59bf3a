"""Numbered titles of a text are its headings; items of lists and lists of contents are none."""

import pytest

from tests.unit.loading.test_text_headings import outline

RFC = """\
Postel Memo                                          June 2024

   1. Introduction .................................. 1
   2. Format ........................................ 2

1.  Introduction

   The protocol is simple.

1.1.  Terms

   A message is never sent.

2.  Format

   1. one

   2. two

   The rest is padding.

Appendix A.  Numbers

   None.
"""


def test_sections_of_a_memo_are_headings() -> None:
    assert outline(RFC) == [
        (1, "1. Introduction"),
        (2, "1.1. Terms"),
        (1, "2. Format"),
        (1, "Appendix A. Numbers"),
    ]


def test_sections_of_chapters_are_below_them_however_they_count() -> None:
    text = (
        "Contents\n\nChapter 1. Tide\nChapter 2. Radar\n\n"
        "Chapter 1. Tide\n\n1.1. Gauge\n1.2. Log\n\n1.1. Gauge\n\nText.\n\n1.2. Log\n\nText.\n\n"
        "Chapter 2. Radar\n\nText.\n\n2.1. Mast\n\nText.\n"
    )
    assert outline(text) == [
        (1, "Chapter 1. Tide"),
        (2, "1.1. Gauge"),
        (2, "1.2. Log"),
        (1, "Chapter 2. Radar"),
        (2, "2.1. Mast"),
    ]
    anew = (
        "CHAPTER I\n\nText.\n\n1. Gauge\n\nText.\n\n2. Log\n\nText.\n\n"
        "CHAPTER II\n\n1. Mast\n\nText.\n"
    )
    assert outline(anew) == [
        (1, "CHAPTER I"),
        (2, "1. Gauge"),
        (2, "2. Log"),
        (1, "CHAPTER II"),
        (2, "1. Mast"),
    ]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("第一章 概述\n\n本标准规定方法。\n第二章 要求\n\n水温应为二十度。\n",
         ["第一章 概述", "第二章 要求"]),
        ("   第一回　灵根育孕\n\n　　诗曰。\n\n   第二回　悟彻菩提\n\n　　话表。\n",
         ["第一回 灵根育孕", "第二回 悟彻菩提"]),
        ("第 9 章 前\n\n第 1 章 潮位\n\n正文。\n\n1.1. 仪器\n\n正文。\n\n第 2 章 雷达\n\n正文。\n",
         ["第 1 章 潮位", "1.1. 仪器", "第 2 章 雷达"]),
        ("第十九章 甲\n正文。\n", []),
    ],
)  # fmt: skip
def test_chapters_of_a_chinese_text_are_headings(text: str, titles: list[str]) -> None:
    assert [title for _, title in outline(text)] == titles


def test_numbered_titles_stand_below_the_title_of_the_text() -> None:
    text = "Tide\n====\n\n1. Gauge\n\nText.\n\n2. Log\n\nText.\n\n3. Mast\n\nText.\n"
    assert outline(text) == [(1, "Tide"), (2, "1. Gauge"), (2, "2. Log"), (2, "3. Mast")]


@pytest.mark.parametrize(
    "text",
    [
        "1. Buy milk\n\n2. Call the harbour\n\n3. Ask Eve\n\nThat is all.\n",
        "1. Read the gauge\nand write it down\n\n2. Close\nit\n\n3. Go\nhome\n\nBye.\n",
        "1. Read it.\n\nText.\n\n2. Close it.\n\nText.\n\n3. Go home.\n\nText.\n",
        "1. Gauge\n\nText.\n\n2. Log\n\nText.\n",
        "1. Gauge     4\n\nText.\n\n2. Log     5\n\nText.\n\n3. Mast     7\n\nText.\n",
        "3 Mast\n\nText.\n\n4 Log\n\nText.\n\n5 Gauge\n\nText.\n",
        "1 metre\n\nText.\n\n2 metres\n\nText.\n\n3 metres\n\nText.\n",
        "Part D\n\nText.\n\nThe next part.\n",
        "```\n1. Gauge\n\nText.\n\n2. Log\n\nText.\n\n3. Mast\n\nText.\n```\n",
    ],
)
def test_items_and_entries_are_no_headings(text: str) -> None:
    assert outline(text) == []
