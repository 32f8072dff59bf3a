"""Numbers of sections in digits, Chinese and Roman numerals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.links.section_references import section_references

_DIGITS = "〇一二三四五六七八九"


def anchors(md: str) -> list[tuple[str, str | None]]:
    """(words, slug they lead to) of each reference."""
    found = section_references(md, "file://inbox/a.md", 1000)
    return [(link.text, link.target_anchor) for link in found]


def chinese(number: int) -> str:
    """As it is spoken: 三, 十二, 二十, 一百零五, 一百一十."""
    hundreds, tens, ones = number // 100, number // 10 % 10, number % 10
    said = f"{_DIGITS[hundreds]}百" if hundreds else ""
    if tens:
        said += f"{'' if tens == 1 and not hundreds else _DIGITS[tens]}十"
    elif hundreds and ones:
        said += "零"
    return said + (_DIGITS[ones] if ones else "")


def roman(number: int) -> str:
    said = ""
    for value, letters in (
        (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"),
        (1, "I"),
    ):  # fmt: skip
        said += letters * (number // value)
        number %= value
    return said


@given(st.integers(1, 999), st.integers(1, 999))
def test_a_chinese_number_and_its_digits_are_one(number: int, other: int) -> None:
    written = (str(number), chinese(number))
    for own in written:
        for named in written:
            md = f"详见第{named}章。\n\n## 第{own}章 维护\n"
            assert anchors(md) == [(f"第{named}章", f"第{own}章-维护")]
            if other != number:
                assert anchors(md.replace(f"第{named}章。", f"第{chinese(other)}章。")) == []


@given(st.integers(1, 399).filter(lambda number: number not in (50, 100)))
def test_a_roman_number_and_its_digits_are_one(number: int) -> None:
    for named in (str(number), roman(number)):
        for own in (str(number), roman(number)):
            ((_, anchor),) = anchors(f"Refer to Section {named}.\n\n## {own}. Duties\n")
            assert anchor == f"{own.lower()}-duties"
            ((_, anchor),) = anchors(f"See Part {named}.\n\n## Part {own}: Duties\n")
            assert anchor == f"part-{own.lower()}-duties"


@pytest.mark.parametrize(
    ("words", "heading", "anchor"),
    [
        ("见第三章", "3 雨", "3-雨"),
        ("见第三节", "三、雨", "三雨"),
        ("第二〇条", "第二十条", "第二十条"),
        ("第三部分", "第三部分 雨", "第三部分-雨"),
        ("第二篇", "第2篇 雨", "第2篇-雨"),
        ("第三節", "第3节 雨", "第3节-雨"),
        ("第三节", "Section 3", "section-3"),
        ("§3", "Chapter 3", "chapter-3"),
        ("chapter 3", "第三章 雨", "第三章-雨"),
        ("Part IV", "IV. Rain", "iv-rain"),
        ("Article VI", "Article 6", "article-6"),
        ("如 3.2 节所述", "3.2 雨", "32-雨"),
        ("前述3.2节", "3.2 雨", "32-雨"),
        ("参考3.2", "3.2 雨", "32-雨"),
        ("參考 3.2 節", "3.2 雨", "32-雨"),
        ("請參閱3.2", "3.2 雨", "32-雨"),
        ("如3.2所示", "3.2 雨", "32-雨"),
        ("第3.2小节", "3.2 雨", "32-雨"),
        ("Appendix A", "Appendix A: Rain", "appendix-a-rain"),
        ("Appendix A.1", "A.1 Rain", "a1-rain"),
        ("Annex 2", "Annex 2", "annex-2"),
        ("Annex II", "Annex II Rain", "annex-ii-rain"),
        ("annex IV", "Annex 4", "annex-4"),
        ("附件 III", "附件三 雨", "附件三-雨"),
        ("附录A", "附录 A 雨", "附录-a-雨"),
        ("附录一所列", "附录一：雨", "附录一雨"),
        ("附錄 B 中", "附录B 雨", "附录b-雨"),
        ("附件1", "附件一 雨", "附件一-雨"),
    ],
)
def test_words_and_headings_that_agree(words: str, heading: str, anchor: str) -> None:
    ((_, found),) = anchors(f"{words}。\n\n## {heading}\n")
    assert found == anchor


@pytest.mark.parametrize(
    ("words", "heading"),
    [
        ("第三方的服务", "3 雨"),
        ("第一次", "1 雨"),
        ("第三章", "第三方"),
        ("第三章", "三角形"),
        ("第三章", "第三节 雨"),
        ("第三部手机", "3 雨"),
        ("《安全生产法》第三条", "第三条 雨"),
        ("第十十章", "十、雨"),
        ("section 3", "Chapter 3"),
        ("part 3", "3 Rain"),
        ("in this section I show rain", "I. Rain"),
        ("Section I", "I am the rain"),
        ("Section C", "C. Rain"),
        ("Section CIVIL", "CIVIL. Rain"),
        ("Section IIII", "IIII. Rain"),
        ("section iv", "IV. Rain"),
        ("航速 3.2 节", "3.2 雨"),
        ("风速达3.2节", "3.2 雨"),
        ("3.2 节省", "3.2 雨"),
        ("3.2 节点", "3.2 雨"),
        ("《规范》3.2节", "3.2 雨"),
        ("v3.2节", "3.2 雨"),
        ("参考 3.2 版", "3.2 雨"),
        ("in appendix a list", "Appendix A"),
        ("Appendix A", "A rain"),
        ("Appendix CIVIL", "Appendix CIVIL"),
        ("附录一样", "附录一 雨"),
        ("附件一并提交", "附件一 雨"),
        ("附件 2 份", "附件 2 雨"),
        ("《规范》附录A", "附录A 雨"),
    ],
)
def test_words_and_headings_that_do_not(words: str, heading: str) -> None:
    assert anchors(f"See {words}.\n\n## {heading}\n") == []


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        ("Sections 2.1 and 3.2", ["Sections 2.1", "3.2"]),
        ("chapters 2.1, 3.2, and 4", ["chapters 2.1", "3.2", "4"]),
        ("§§ 2.1–3.2", ["§§ 2.1", "3.2"]),
        ("第2.1、3.2节", ["第2.1", "3.2节"]),
        ("第 2.1 节和第 3.2 节", ["第 2.1 节", "第 3.2 节"]),
        ("见2.1和3.2", ["见2.1", "3.2"]),
        ("2.1 及 3.2 节", ["2.1", "3.2 节"]),
        ("Appendices A and B", ["Appendices A", "B"]),
        ("Annexes I and II", ["Annexes I", "II"]),
        ("附录A和B", ["附录A", "B"]),
        ("附录 A、附录 B", ["附录 A", "附录 B"]),
        ("附件一、二", ["附件一", "二"]),
        ("附件一、二份合同", ["附件一"]),
        ("附件1、2次会议", ["附件1"]),
        ("附件 1、2 月报表", ["附件 1"]),
        ("附录A和B树", ["附录A"]),
        ("附录 A 和 B 语言", ["附录 A"]),
        ("附录A和B中", ["附录A", "B"]),
        ("Appendix A and B", ["Appendix A"]),
        ("section 2.1 and 4 gauges", ["section 2.1"]),
    ],
)
def test_each_of_several_numbers_leads_to_its_own_heading(words: str, texts: list[str]) -> None:
    headings = "# 2.1 Rain\n\n# 3.2 Snow\n\n# 4 Wind\n\n# Appendix A\n\n# Appendix B\n"
    headings += "# Annex I\n\n# Annex II\n\n"
    found = section_references(f"See {words}.\n\n{headings}", "file://inbox/a.md", 10)
    assert [link.text for link in found] == texts
    assert len({link.target_anchor for link in found}) == len({link.start for link in found})


def test_an_appendix_does_not_make_the_number_of_a_section_doubtful() -> None:
    assert anchors("See § 1.\n\n# 1 Rain\n\n# Appendix 1\n") == [("§ 1", "1-rain")]


def test_a_heading_of_the_kind_named_goes_before_one_that_only_has_the_number() -> None:
    md = "见第二章第三条。\n\n# 第二章 总则\n\n## 2. 目的\n\n## 第三条 范围\n\n# 3. 附则\n"
    assert anchors(md) == [("第二章", "第二章-总则"), ("第三条", "第三条-范围")]


def test_a_number_written_alike_goes_before_one_of_the_same_value() -> None:
    md = "Section I, Section 1 and section 2.\n\n# I. Rain\n\n## 1) Snow\n\n# II. Wind\n"
    assert anchors(md) == [
        ("Section I", "i-rain"),
        ("Section 1", "1-snow"),
        ("section 2", "ii-wind"),
    ]
