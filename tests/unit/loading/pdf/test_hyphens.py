"""Which hyphens at the ends of lines stay in the text a reader searches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.loading.pdf.paragraphs.hyphens import Hyphens


@pytest.mark.parametrize(
    ("rows", "divided"),
    [
        (["a cast-", "iron pan", "the cast-iron stove"], False),
        (["the cast-", "iron pan", "cast or iron"], False),
        (["the mono-", "space font", "a monospace font"], True),
        (["the popu-", "lation grew"], True),
        (["a strongly-", "coupled plasma"], False),
        (["in the worst-", "case here"], False),
        (["an assemb-", "ly of parts"], True),
        (["a cast‐", "iron pan", "the cast‐iron stove"], False),
        (["we were re‐", "minded of it"], True),
        (["the sea-res‐", "cue crew"], True),
    ],
)
def test_the_document_tells_a_compound_from_a_divided_word(rows: list[str], divided: bool) -> None:
    assert Hyphens(rows).divide(rows[0], rows[1]) is divided


@pytest.mark.parametrize(
    ("rows", "divided"),
    [
        (["请发邮件到debian-", "boot 列表", "订阅 debian-boot 列表"], False),
        (["比如在win-", "dows 下", "其它 windows 程序"], True),
    ],
)
def test_text_without_blanks_before_a_word_is_none_of_the_word(
    rows: list[str], divided: bool
) -> None:
    assert Hyphens(rows).divide(rows[0], rows[1]) is divided


@pytest.mark.parametrize(
    ("rows", "whole"),
    [
        # As the document does elsewhere, else close to numbers.
        (["始建于2019", "年的泵站", "2020年改造"], "2019年"),
        (["始建于 2019", "年的泵站", "2020 年改造"], "2019 年"),
        (["始建于2019", "年的泵站"], "2019年"),
        (["请安装 PDF", "阅读器后打开", "用 PDF 阅读器"], "PDF 阅读器"),
        (["请安装PDF", "阅读器后打开", "用PDF阅读器"], "PDF阅读器"),
        # TeX moves what follows Latin letters, and nothing before them.
        (["用的是", "TeX 系统", "在TeX 系统中"], "是TeX"),
        (["用的是TeX", "系统", "在TeX 系统中"], "TeX 系统"),
        # Punctuation as wide as an ideograph has its own room.
        (["请看手册，", "PDF 版本", "用 PDF 看"], "，PDF"),
        (["所谓“自由”", "的含义"], "”的"),
        (["他说：", "“可以”。"], "：“"),
        (["测定方法. 第四版.", "北京出版社"], ". 北京"),
        (["则下列说法正确的是（）", "A. 甲与丙独立"], "（） A."),
        (["滨海市人民政府", "2025年3月18日"], "府 2025"),
        (["文档见项目页面", "https://example.org", "在Linux下"], "面 https:"),
        (["the word “free”", "in English"], "” in"),
    ],
)
def test_the_document_tells_whether_latin_and_digits_stand_apart(
    rows: list[str], whole: str
) -> None:
    before, after = rows[:2]
    assert whole in before + Hyphens(rows).joint(before, after) + after


@pytest.mark.parametrize(
    ("before", "after", "goes_on"),
    [
        ("as the tide tables (https://example.org/tides/", "tables) say", True),
        ("请看https://example.org/tides/", "tables。", True),
        ("write to gauge@mail.", "example.org, please", True),
        ("the tables at https://example.org/tides/", "for the year", False),
        ("the gauge is linked to its tides.", "tables follow", False),
    ],
)
def test_a_link_tells_where_an_address_goes_on(before: str, after: str, goes_on: bool) -> None:
    linked = ["https://example.org/tides/tables", "mailto:gauge@mail.example.org", "tides.tables"]
    assert Hyphens([before, after], linked).is_address(before, after) is goes_on
    assert not Hyphens([before, after]).is_address(before, after)


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8), st.lists(st.text()))
def test_a_joint_is_a_blank_or_nothing_and_nothing_only_beside_cjk(
    before: str, after: str, rows: list[str]
) -> None:
    found = Hyphens(rows).joint(before, after)
    assert found in ("", " ")
    if before.isascii() and after.isascii():
        assert found == " "
