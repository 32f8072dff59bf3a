"""Everyday questions of a few words: answered where the document says it, tables included."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag_query.contracts.answer import Answer, AnswerStatus
from rag_query.generation.conversation.asker import Asker
from rag_query.retrieval.open import open_retriever
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

LEAVE = SmallDoc(
    "leave.md",
    "# 考勤与休假制度\n\n## 年假\n\n| 司龄 | 年假天数 | 可结转天数 |\n| --- | --- | --- |\n"
    "| 满 1 年不满 10 年 | 5 | 2 |\n| 满 10 年不满 20 年 | 10 | 5 |\n| 满 20 年以上 | 15 | 5 |\n\n"
    "未休年假按日工资的 300% 折算，逾期不予折算。\n\n"
    "## 病假\n\n病假须提供医院的诊断证明。连续病假不超过 3 天的，可事后补交。\n",
    language="zh",
)
CONTRACT = SmallDoc(
    "contract.md",
    "# 设备采购合同\n\n## 质量保证\n\n质保期为验收合格之日起 18 个月。\n\n"
    "| 部件 | 质保期 |\n|---|---|\n| 叶轮 | 18 个月 |\n"
    "| 机械密封 | 6 个月 |\n\n## 交付\n\n甲方采购离心泵 12 台，型号 CP-80。\n",
    language="zh",
)
MACHINE = SmallDoc(
    "machine.md",
    "# Espresso machine\n\n[Home](/) | [Shop](/s)\n\n## Descaling\n\nDescale every 60 days.\n\n"
    "## Errors\n\nE07: boiler above 118 °C.\n\n## Seller\n\n© Example Pay\n",
)


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    home = build_library(tmp_path_factory.mktemp("short"), (LEAVE, CONTRACT, MACHINE))
    with open_retriever(home, sinks=()) as retriever:
        yield Asker(retriever)


def first(answer: Answer) -> str:
    assert answer.status is AnswerStatus.ANSWERED, answer.text
    return answer.generation_map[0].text


@pytest.mark.parametrize(
    ("question", "document", "told"),
    [
        ("机械密封质保期多长", CONTRACT, "机械密封 — 质保期: 6 个月"),
        ("质保期是多久", CONTRACT, "质保期为验收合格之日起 18 个月。"),
        ("采购了几台离心泵", CONTRACT, "甲方采购离心泵 12 台，型号 CP-80。"),
        (
            "满15年的员工有几天年假",
            LEAVE,
            "满 10 年不满 20 年 — 年假天数: 10; 可结转天数: 5",
        ),
        ("How often should I descale?", MACHINE, "Descale every 60 days."),
        ("What does E07 mean?", MACHINE, "E07: boiler above 118 °C."),
    ],
)
def test_a_short_question_is_answered(
    asker: Asker, question: str, document: SmallDoc, told: str
) -> None:
    assert first(asker.ask(question, lock=document.name)) == told


def test_a_row_is_answered_with_its_heads_and_stands_in_its_chunk(asker: Asker) -> None:
    answer = asker.ask("年假最多可以结转几天", lock=LEAVE.name)
    assert first(answer) == "满 1 年不满 10 年 — 年假天数: 5; 可结转天数: 2"
    for entry in answer.generation_map:
        assert entry.passed and entry.text != "司龄 | 年假天数 | 可结转天数"
    span = answer.generation_map[0].spans[0]
    assert LEAVE.text[span.char_start : span.char_end] == "| 满 1 年不满 10 年 | 5 | 2 |"


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("病假工资按多少发放", LEAVE),
        ("婚假有几天", LEAVE),
        ("离心泵有多重", CONTRACT),
        ("How heavy is the espresso machine?", MACHINE),
        ("Who is the CEO of Example Pay?", MACHINE),
    ],
)
def test_what_the_document_does_not_say_is_not_answered(
    asker: Asker, question: str, document: SmallDoc
) -> None:
    answer = asker.ask(question, lock=document.name)
    assert answer.status is AnswerStatus.INSUFFICIENT, answer.text
