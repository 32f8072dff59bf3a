"""Words that only ask are not looked for; words that look like them are."""

from __future__ import annotations

import pytest

from rag_query.generation.questions.question import read_question
from rag_query.generation.vocabulary.answer_types import asked_units
from rag_query.generation.vocabulary.asking import compound_before
from rag_query.text.analysis import Analyzer


def terms(question: str, analyzer: Analyzer, *unknown: str) -> list[str]:
    """The words looked for, ``unknown`` in no chunk."""
    return list(read_question(question, analyzer, lambda t: t not in unknown, 100).terms)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("报销时限是多久", ["报销", "时限"]),
        ("质保期是多久", ["质保", "期"]),
        ("报销要在几天内提交？", ["报销", "提交"]),
        ("年假最多可以结转几天", ["年", "假", "结转"]),
        ("保密期限有多长时间", ["保密", "期限"]),
        ("浮子多久校准一次", ["浮子", "校准"]),
        ("校准之后不想让浮子再转起来", ["校准", "浮子", "转"]),
        ("结果什么时候出来", ["结果", "出来"]),
        ("缺测最长多久不补", ["缺测", "不补"]),
        ("高铁坐几等座", ["高铁", "坐"]),
        ("晚餐多少钱", ["晚餐"]),
        ("起付线呢？", ["起付线"]),
        ("有停车位吗？", ["停车", "车位", "停车位"]),
        ("3.4.0 版新增了什么", ["3.4.0", "3.4", "新增"]),
        ("How often should I descale?", ["descal"]),
        ("How do I get rid of limescale?", ["limescal"]),
        ("How do I go back to Go 1.4?", ["back", "go", "1.4"]),
        ("What does pump get print?", ["pump", "get", "print"]),
        ("How long is the pump warranty?", ["pump", "warranti"]),
        ("What does E07 mean?", ["e07"]),
        ("What spacing do the tomatoes need?", ["space", "tomato"]),
        ("At least how many values are present?", ["valu", "present"]),
    ],
)
def test_what_only_asks_is_not_looked_for(
    analyzer: Analyzer, question: str, left: list[str]
) -> None:
    assert terms(question, analyzer) == left


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("很多大学有多少人口", {"大学", "人口"}),
        ("茶几多少钱", {"茶几"}),
        ("有多少部门", {"部门"}),
        ("最多重试几次", {"重试"}),
        ("分页最大是多少", {"最大"}),
        ("What does the monthly mean need?", {"month", "mean"}),
        ("Is the long wire needed?", {"long", "wire"}),
    ],
)
def test_words_that_look_like_asking_are_looked_for(
    analyzer: Analyzer, question: str, kept: set[str]
) -> None:
    assert kept <= set(terms(question, analyzer))


def test_a_question_of_nothing_else_keeps_its_words(analyzer: Analyzer) -> None:
    assert terms("How long?", analyzer) == ["long"]
    assert terms("多久？", analyzer) == ["多久"]


def test_a_word_the_cutter_made_of_two_is_taken_apart(analyzer: Analyzer) -> None:
    assert terms("年假要提前申请", analyzer, "假要") == ["年", "假", "提前", "申请"]
    assert "假要" in terms("年假要提前申请", analyzer, "假要", "假")


def test_the_nouns_whose_number_is_asked_for() -> None:
    assert compound_before("病假工资按多少发放") == ("病假", "工资")
    assert compound_before("年假最多可以结转几天") == ("", "")
    assert compound_before("病假工资怎么发") == ("", "")


def test_a_verb_before_a_word_is_no_part_of_it(analyzer: Analyzer) -> None:
    assert "炖" in terms("牛腩要炖多久", analyzer, "要炖")


def test_the_points_to_note_are_no_oclock(analyzer: Analyzer) -> None:
    assert "点" not in terms("番茄牛腩有哪些要点", analyzer, "要点")


def test_decibels_are_a_unit(analyzer: Analyzer) -> None:
    assert terms("净水器的噪音是多少分贝", analyzer)[-1] == "噪音"
    assert asked_units("净水器的噪音是多少分贝") == {"db"}


@pytest.mark.parametrize(
    "question",
    [
        "What happens when E02 is shown?",
        "What if E02 is displayed?",
        "What should I do when E02 occurs?",
        "What to do when E02 comes up?",
        "出现 E02 是什么意思？",
        "出现 E02 怎么办？",
    ],
)
def test_that_a_code_comes_up_is_not_looked_for(analyzer: Analyzer, question: str) -> None:
    assert terms(question, analyzer) == ["e02"]


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("When did INC-2025-018 happen?", "happen"),
        ("Why does E05 occur?", "occur"),
        ("E05 是什么时候发生的？", "发生"),
        ("E02 显示在哪里？", "显示"),
    ],
)
def test_when_or_where_a_code_comes_up_is_looked_for(
    analyzer: Analyzer, question: str, verb: str
) -> None:
    assert verb in terms(question, analyzer)


def test_what_is_shown_is_looked_for_where_no_code_is_asked_about(analyzer: Analyzer) -> None:
    assert "shown" in terms("Where is the battery level shown?", analyzer)
