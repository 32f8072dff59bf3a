"""Every other sectioner covers the text, parts no block and keeps its bound."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sections.ast_markdown import AstMarkdown, AstMarkdownParams
from rag_assets.sections.base import Section
from rag_assets.sections.blocks import scan_blocks
from rag_assets.sections.rule_based import RuleBased, RuleBasedParams
from rag_query.contracts.errors import ExcerptaError
from rag_query.providers.registry import REGISTRY
from rag_query.text.section_paths import PREAMBLE
from tests.unit.sections.test_blocks import LINES

CONTRACT = """Contract of sale

第一章 总则
第一条 目的
为了……
第二条 范围
所有人。
第二章 价款
Section 2.1 Price
Ten.
"""


def by_tree(md: str, **params: Any) -> list[Section]:
    return AstMarkdown(AstMarkdownParams(**params)).sections(md)


def by_rules(md: str, **params: Any) -> list[Section]:
    return RuleBased(RuleBasedParams(**params)).sections(md)


@pytest.mark.parametrize("cut", [by_tree, by_rules])
@given(md=st.lists(LINES | st.just("word " * 30) | st.just("第三条 x"), max_size=16).map("\n".join))
def test_sections_cover_the_text(cut: Any, md: str) -> None:
    sections = cut(md, min_section_chars=1)
    covered = 0
    for section in sections:
        assert not md[covered : section.start].strip()
        assert section.end > section.start >= covered
        covered = section.end
    assert not md[covered:].strip()


@given(st.lists(LINES | st.just("word " * 30), max_size=20).map("\n".join))
def test_blocks_are_never_in_two_sections(md: str) -> None:
    if md.startswith("---"):
        md = "x\n" + md  # Front matter is no block.
    starts = {section.start for section in by_tree(md, max_section_chars=200)}
    for block in scan_blocks(md):
        assert not any(block.start < start < block.end for start in starts)


@given(st.lists(LINES | st.sampled_from(["word " * 20, "#### Deep"]), max_size=24).map("\n\n".join))
def test_a_section_is_longer_than_the_bound_only_as_a_single_block(md: str) -> None:
    md = "x\n\n" + md  # Front matter is no block.
    for section in by_tree(md, max_section_chars=200, max_section_level=3):
        blocks = [b for b in scan_blocks(md) if section.start <= b.start < section.end]
        if blocks[-1].end - section.start > 200:
            assert all(block.kind == "heading" for block in blocks[:-1])


def test_a_deeper_heading_goes_with_its_text_within_the_bound() -> None:
    prose = "Words follow words here. " * 6
    md = f"# A\n\n{prose}\n\n#### Deep\n\n##### Deeper\n\n{prose}\n"
    sections = by_tree(md, max_section_chars=200, max_section_level=3)
    assert [section.start for section in sections] == [0, md.index("#### Deep")]


def test_long_sections_go_on_under_the_same_path() -> None:
    code = "```\n" + "# no heading\n" * 8 + "```"
    prose = "Words follow words here. " * 5
    md = f"# A\n\n{prose}\n\n## B\n\n{prose}\n\n{code}\n\n{prose}\n"
    sections = by_tree(md, max_section_chars=260, min_section_chars=1)
    assert [section.section_path for section in sections] == ["A", "A / B", "A / B"]
    assert sum(code in md[section.start : section.end] for section in sections) == 1


def test_clauses_of_contracts_are_sections() -> None:
    sections = by_rules(CONTRACT)
    assert [section.path for section in sections] == [
        (PREAMBLE,),
        ("第一章 总则",),
        ("第一章 总则", "第一条 目的"),
        ("第一章 总则", "第二条 范围"),
        ("第二章 价款",),
        ("第二章 价款", "Section 2.1 Price"),
    ]
    assert CONTRACT[sections[3].start : sections[3].end] == "第二条 范围\n所有人。\n"


def test_an_article_that_was_put_in_later_is_its_own_section() -> None:
    law = "第二十条 甲\n一。\n第二十条之一\u3000乙\n二。\n第二十条之一是新的。\n第三章之二\n三。\n"
    titles = ["第二十条 甲", "第二十条之一 乙", "第三章之二"]
    assert [section.title for section in by_rules(law)] == titles


def test_own_rules_name_their_titles() -> None:
    log = "start\n[INFO] job one\na\n[INFO] job two\nb\n"
    rule = {"pattern": r"\[INFO\] (?P<title>.*)", "level": 1}
    sections = by_rules(log, rules=[rule], include_heading=False, doc_preamble_mode="drop")
    assert [(s.title, log[s.start : s.end]) for s in sections] == [
        ("job one", "a\n"),
        ("job two", "b\n"),
    ]
    with pytest.raises(ExcerptaError, match="regular expression"):
        REGISTRY.params("sectioner.rule_based", {"rules": [{"pattern": "("}]})
