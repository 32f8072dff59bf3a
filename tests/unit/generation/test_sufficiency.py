"""Whether what is said is enough for an answer."""

from __future__ import annotations

import pytest

from rag_query.generation.evidence.sufficiency import ByFeatures, SufficiencyParams
from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk
from tests.unit.generation.judging import LEAVE, PUMP, judged

SICK_PAY = LEAVE + "\n\n病假期间工资按基本工资的 80% 发放。"


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("质保期是多久", PUMP),
        ("叶轮质保期多长", PUMP),
        ("采购了几台离心泵", PUMP),
        ("病假工资按多少发放", SICK_PAY),
        ("学校学生人数是多少", "在校学生人数为 3000 人。"),
        ("病假证明最多几天内补交", LEAVE),
        ("How often should I descale?", "Descale every 60 days."),
        ("How heavy is the pump?", "The pump is new. It weighs 12 kg."),
        ("Who is the harbour master?", "The harbour master is Ada Stern."),
        ("What does E07 mean?", "E07: boiler above 118 °C."),
    ],
)
def test_the_shortest_questions_are_answered(
    analyzer: Analyzer, chunk: MakeChunk, question: str, evidence: str
) -> None:
    assert judged(question, evidence, analyzer, chunk).sufficient


GAME = "Gold is earned by quests.\n\nThe price of a potion changes.\n\nA torch is 5 gold."


@pytest.mark.parametrize(
    "question",
    [
        "What bugs were fixed in 2.4.1?",
        "Which bugs does 2.4.1 fix?",
        "What features were added in 2.4.1?",
        "When was version 2.4.1 released?",
        "When did version 2.4 come out?",
        "2.4.1移除了什么？",
        "2.4.1版移除了哪些接口？",
        "2.4有什么变化？",
        "版本2.4什么时候发布的？",
    ],
)
def test_what_came_with_a_version_and_when_is_told_in_few_words(
    question: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    log = {
        "2.4.1 (2025-04-18)": "- Fixed: red lines. 移除旧版接口\n- New: maps.",
        "2.3.0 (2025-01-02)": "- New: lines.",
    }
    held = {each: analyzer.tokens(f"{each} {text}") for each, text in log.items()}
    read = read_question(
        question, analyzer, lambda token: sum(token in each for each in held.values()), 40
    )
    chunks = [chunk(text, section=each) for each, text in log.items()]
    scored = score_sentences(read, statements_of(chunks), analyzer)
    found = ByFeatures(SufficiencyParams()).judge(read, scored)
    assert found.sufficient, found.missing
    assert max(scored, key=lambda s: s.score).sentence.chunk.section_path.startswith("2.4.1")


def test_a_document_that_stands_out_is_believed_rather(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    read = read_question("How are visitors led to the old pier?", analyzer, lambda _: 1, 20)
    text = chunk("Visitors walk to the pier with a guide.")
    scored = score_sentences(read, statements_of([text]), analyzer)
    judge = ByFeatures(SufficiencyParams())
    found = {far: judge.judge(read, scored, far).confidence for far in (0.0, 3.1, 5.0)}
    assert found[0.0] < found[3.1] < found[5.0]
    assert judge.judge(read, scored).confidence == found[3.1]


def test_the_number_of_a_chapter_is_no_version(analyzer: Analyzer, chunk: MakeChunk) -> None:
    text = "发布之前要测试三天，2021 年 8 月发布。"
    held = set(analyzer.tokens(f"第 14 章 灯塔系统 {text}"))

    def judged_below(question: str, heading: str) -> bool:
        read = read_question(question, analyzer, lambda token: int(token in held), 20)
        made = chunk(text, section=heading, title="灯塔系统手册")
        scored = score_sentences(read, statements_of([made]), analyzer)
        return ByFeatures(SufficiencyParams()).judge(read, scored).sufficient

    asked = "灯塔 OS 14 什么时候发布？"
    assert judged_below(asked, "灯塔 OS 14")
    assert not judged_below(asked, "第 14 章 灯塔 OS")
    assert not judged_below(asked, "14. 灯塔 OS")
