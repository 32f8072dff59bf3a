"""Chapters and articles are found as the loaders write them: as headings, in bold, as they are."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.markdown import MarkdownLoader
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from rag_assets.loading.text import TextLoader, TextParams
from rag_assets.sections.rule_based import RuleBased, RuleBasedParams, SectionRule
from rag_query.providers.registry import Params
from rag_query.text.section_paths import PREAMBLE

CHINESE = (
    "房屋租赁合同",
    "第一章 总则",
    "第一条 本合同自签订之日起生效。",
    "第二章 租金",
    "第二条 租金每月三千元。",
)
ENGLISH = (
    "Lease agreement",
    "CHAPTER 1 GENERAL",
    "Article 1 This lease begins on signing.",
    "CHAPTER 2 RENT",
    "Article 2 The rent is three thousand a month.",
)
REQUEST = LoadRequest("contract")


def as_text(lines: Sequence[str], folder: Path) -> Loaded:
    del folder
    title, first, one, second, two = lines
    text = f"{title}\n\n{first}\n    {one}\n\n{second}\n    {two}\n"
    return TextLoader(TextParams()).load(text.encode(), REQUEST)


def as_markdown(lines: Sequence[str], folder: Path) -> Loaded:
    del folder
    title, first, one, second, two = lines
    text = f"# {title}\n\n## **{first}** ##\n\n**{one}**\n\n## {second} {{#second}}\n\n__{two}__\n"
    return MarkdownLoader(Params()).load(text.encode(), REQUEST)


def as_pdf(lines: Sequence[str], folder: Path) -> Loaded:
    document = pymupdf.open()
    page = document.new_page()
    for row, (line, size) in enumerate(zip(lines, (20, 15, 11, 15, 11), strict=True)):
        page.insert_text((72, 80 + 40 * row), line, fontname="china-s", fontsize=size)
    document.save(folder / "contract.pdf")
    document.close()
    return PdfLoader(PdfParams()).load(folder / "contract.pdf", REQUEST)


@pytest.mark.parametrize("lines", [CHINESE, ENGLISH], ids=["chinese", "english"])
@pytest.mark.parametrize("load", [as_text, as_markdown, as_pdf])
def test_chapters_and_articles_are_sections_in_every_format(
    load: Callable[[Sequence[str], Path], Loaded], lines: Sequence[str], tmp_path: Path
) -> None:
    md = load(lines, tmp_path).md
    sections = RuleBased(RuleBasedParams()).sections(md)
    _, first, one, second, two = lines
    paths = [(PREAMBLE,), (first,), (first, one), (second,), (second, two)]
    assert [section.path for section in sections] == paths
    assert [section.start for section in sections[1:]] == [
        md.rfind("\n", 0, md.index(line)) + 1 for line in lines[1:]
    ]


def titles(md: str, *rules: SectionRule) -> list[str | None]:
    params = RuleBasedParams(rules=rules, doc_preamble_mode="drop") if rules else RuleBasedParams()
    return [section.title for section in RuleBased(params).sections(md) if section.level]


def test_an_article_whose_number_alone_is_bold_begins_a_section() -> None:
    assert titles("**第三条**租金每月三千元。\n\n**Article 4**: rent\n") == [
        "第三条 租金每月三千元。",
        "Article 4: rent",
    ]


def test_bold_words_of_a_chinese_title_end_without_a_blank() -> None:
    assert titles("**条款**一\n\n正文。\n", SectionRule(pattern="条款")) == ["条款一"]
    assert titles("**第一**章 总则\n\n**第二条之一**本法所称水。\n\n**Article 3**rent\n") == [
        "第一章 总则",
        "第二条之一 本法所称水。",
        "Article 3 rent",
    ]


def test_lines_between_fences_begin_no_section_and_indented_ones_do() -> None:
    md = "```\n第一条 样例\n```\n\n    第二条 正文\n\n~~~ text\n# CHAPTER 1 SAMPLE\n~~~\n"
    assert titles(md) == ["第二条 正文"]


def test_a_rule_may_name_the_marks_itself() -> None:
    rule = SectionRule(pattern=r"## \*\*(?P<title>.+?)\*\*")
    assert titles("## **甲方**\n\n张三\n\n乙方\n", rule) == ["甲方"]


def test_blanks_to_be_filled_in_stay_in_a_title() -> None:
    line = "第五条 租期自 ____年____月至__年__月"
    assert titles(f"{line}\n") == [line]
