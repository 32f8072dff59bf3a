"""What an answer is said to lack, in the words of the question."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from rag_query.contracts.answer import Insufficient, Missing
from rag_query.generation.answers.wording import Wording
from rag_query.generation.evidence.sufficiency import missing
from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk
from tests.unit.generation.judging import LEAVE, judged


def told(question: str, evidence: str, analyzer: Analyzer) -> dict[str, str]:
    """kind -> what is missing of it."""
    scored: Any = [
        SimpleNamespace(
            sentence=SimpleNamespace(text=evidence, headings=(), about=""),
            terms=frozenset(analyzer.tokens(evidence)),
            typed=True,
            answers=True,
            led_by="",
            speaks=True,
        )
    ]
    read = read_question(question, analyzer, lambda _: 1, 100)
    return {each.kind: each.what for each in missing(read, scored)}


def test_words_are_whole_and_a_missing_name_is_said_once(analyzer: Analyzer) -> None:
    found = told("Who are the presidents of France?", "The harbour is deep.", analyzer)
    assert found["name"] == "France"
    assert found["words"] == "presidents"


def test_chinese_words_stand_as_they_are(analyzer: Analyzer) -> None:
    found = told("仓库的消防栓在哪里？", "今天天气很好。", analyzer)
    assert "仓库" in found["words"]


def test_nothing_is_said_of_words_that_are_there(analyzer: Analyzer) -> None:
    found = told("How deep is the harbour at low tides?", "The harbour is deep.", analyzer)
    assert "harbour" not in found["words"] and "tides" in found["words"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was new in Orrery firmware 2.5.0?", ["Orrery", "2.5.0"]),
        ("How many orders were lost in INC-2025-018?", ["INC-2025-018"]),
        ("地面站V5.4.0新增了什么？", ["V5.4.0"]),
        ("PJ-501的价格是多少？", ["PJ-501"]),
        ("HL-V850的主轴转速是多少？", ["HL-V850"]),
        ("How many of the 18 orders were lost in INC-2025-018?", ["18", "INC-2025-018"]),
    ],
)
def test_a_number_that_is_part_of_a_name_is_not_missing_besides(
    analyzer: Analyzer, chunk: MakeChunk, question: str, expected: list[str]
) -> None:
    found = judged(question, "The harbour is deep.", analyzer, chunk)
    assert [e.what for e in found.missing if e.kind in ("name", "number")] == expected


def test_what_nothing_is_said_of_is_named(analyzer: Analyzer, chunk: MakeChunk) -> None:
    apart = "Version 2 needs 4 GB of memory.\n\nVersion 3 is new."
    found = judged("How much memory does version 3 need?", apart, analyzer, chunk)
    assert not found.sufficient
    assert [(each.kind, each.what) for each in found.missing] == [("name", "3")]
    apart = "版本 2 需要 4 GB 内存。\n\n版本 3 是新的。"
    found = judged("版本 3 需要多少内存？", apart, analyzer, chunk)
    assert ("name", "3") in [(each.kind, each.what) for each in found.missing]


def test_a_name_keeps_its_inner_apostrophe(analyzer: Analyzer) -> None:
    said = "The pier was built by Miles O'Brien."
    assert "name" not in told("What was built by O'Brien?", said, analyzer)
    assert "name" not in told("What is Ada's pier called?", "Ada has a pier.", analyzer)


def test_what_a_question_calls_its_answer_need_not_be_said(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    ways = "Fish loses its smell with ginger.\n\nFish loses its smell in vinegar."
    asked = "What are the two main ways in which fish loses its smell?"
    assert judged(asked, ways, analyzer, chunk).missing == []
    assert judged("去腥有哪两种方法", "用姜去腥。", analyzer, chunk).missing == []


def test_a_number_that_is_not_there_is_what_is_missing(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    found = judged("病假工资按多少发放", LEAVE, analyzer, chunk)
    assert ("answer_type", "number") in [(each.kind, each.what) for each in found.missing]


def test_the_language_of_code_is_not_missing(analyzer: Analyzer, chunk: MakeChunk) -> None:
    code = "```python\nprint(probe.read())\n```"
    missing = judged("怎样用 Python 读取浊度？", code, analyzer, chunk).missing
    assert "Python" not in [each.what for each in missing]


def test_a_word_of_the_cutters_own_is_not_missing(analyzer: Analyzer) -> None:
    asked = "抬头能改几次"
    assert "能改" in analyzer.tokens(asked)
    assert "words" not in told(asked, "抬头可改。", analyzer)
    assert told(asked, "抬头可写。", analyzer)["words"] == "能改"


def test_where_nothing_is_missing_the_document_is_not_said_to_be_silent() -> None:
    english, chinese = Wording.of("en"), Wording.of("zh")
    assert "Not enough evidence" in english.insufficient("Tea", Insufficient())
    assert "没有找到足够的依据" in chinese.insufficient("茶", Insufficient())
    silent = Insufficient(missing=[Missing(kind="words", what="price")])
    assert "does not say this" in english.insufficient("Tea", silent)


def test_a_number_that_is_there_is_not_missing_since_the_chapter_is_another(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    table = "| Section | About |\n| --- | --- |\n| 5.1 | Room 4 |\n| 5.2 | Room 5 |"
    found = judged("Which part of Chapter 3 is about Room 4?", table, analyzer, chunk)
    said = {each.what for each in found.missing}
    assert not found.sufficient and "3" in said and "4" not in said


def test_a_version_is_missing_where_only_a_chapter_has_its_number(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    made = chunk("## 第 14 章 信息安全\n\nVPN 客户端由信息部安装。")
    asked = read_question("VPN 14 客户端由谁安装？", analyzer, lambda _: 1, 20)
    scored = score_sentences(asked, statements_of([made]), analyzer)
    assert "14" in {each.what for each in missing(asked, scored)}
