"""Whose property is asked for, where the document names the owner elsewhere."""

from __future__ import annotations

import time

import pytest

from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.owners import owned_property
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk

REPORT = (
    "姓名：赵敏慧 性别：女 单位：南湖中学",
    "| 项目 | 结果 |\n|---|---|\n| 尿酸 | 463 μmol/L |\n| 血糖 | 5.1 mmol/L |",
)
PLAN = (
    "(1) 重大疾病保险金：被保险人于等待期后罹患重大疾病的，按基本保险金额给付。",
    "自本合同生效之日起90日为等待期。",
)
VERDICT = (
    "原告请求：1.判令被告支付违约金17 400元；2.诉讼费由被告承担。",
    "被告于本判决生效之日起十日内支付原告违约金8 700元。",
)
SOUNDS = (
    "广义的唐音指1192年以后传入日本的汉字音。",
    "本文包含宋音与狭义的唐音，即江户时代传入的汉字音。",
)
TENDER = (
    "海宁市第二人民医院医用设备采购项目已由海宁市财政局于2025年4月批准，资金为财政资金1286万元。",
    "| 条款号 | 条款名称 | 编列内容 |\n|---|---|---|\n"
    "| 1.1.2 | 招标人 | 名称：海宁市第二人民医院 电话：0573-87230016 |\n"
    "| 1.3.2 | 交货期 | 合同签订后60日历天 |\n| 3.3.1 | 投标有效期 | 90日历天 |",
)
LEASE = (
    "The house at 12 Mill Lane, of 286 square metres, is let to Ada Stern.",
    "The deposit is 4,500 euros.",
)


def first(question: str, texts: tuple[str, ...], analyzer: Analyzer, chunk: MakeChunk) -> str:
    held = [set(analyzer.tokens(text)) for text in texts]
    read = read_question(question, analyzer, lambda t: sum(t in each for each in held), 60)
    made = [chunk(text, section=f"A / {n}") for n, text in enumerate(texts)]
    scored = score_sentences(read, statements_of(made), analyzer)
    return max(scored, key=lambda each: each.precedence).sentence.text


@pytest.mark.parametrize(
    ("question", "texts", "answer"),
    [
        ("赵敏慧的尿酸是多少？", REPORT, "尿酸 — 结果: 463 μmol/L"),
        ("安康重大疾病保险的等待期是多少天？", PLAN, PLAN[1]),
        ("法院判决的违约金是多少？", VERDICT, VERDICT[1]),
        (
            "海宁市第二人民医院医用设备采购项目的投标有效期是多少天？",
            TENDER,
            "3.3.1 — 条款名称: 投标有效期; 编列内容: 90日历天",
        ),
        ("狭义的唐音是什么时候传入的？", SOUNDS, SOUNDS[1]),
        ("What is the deposit of the house at 12 Mill Lane?", LEASE, LEASE[1]),
        ("How much is Ada Stern's deposit?", LEASE, LEASE[1]),
    ],
)
def test_the_line_that_names_the_owner_is_not_that_of_the_property(
    question: str, texts: tuple[str, ...], answer: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert first(question, texts, analyzer, chunk) == answer


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("赵敏慧的体温是多少？", ("患者：赵敏慧，女，36岁。", "王大明的体温是39度。")),
        (
            "What is the deposit of Ada Stern?",
            ("The house of 286 square metres is let to Ada Stern.", "Bosch's deposit is 90 euros."),
        ),
        (
            "What is the deposit of Ada Stern?",
            ("The house of 286 square metres is let to Ada Stern.", "The deposit of Bosch is 90."),
        ),
    ],
)
def test_the_property_of_someone_else_is_not_put_first(
    question: str, texts: tuple[str, ...], analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert first(question, texts, analyzer, chunk) == texts[0]


@pytest.mark.parametrize(
    ("question", "named", "owner"),
    [
        ("安康保险的等待期是多少天？", "等待", "安康"),
        ("What is the waiting period of the Ankang plan?", "period", "ankang"),
        ("What is the plan's waiting period?", "period", "plan"),
        ("投标有效期是多少天？", "", ""),
        ("How long is the waiting period?", "", ""),
    ],
)
def test_the_property_and_its_owner_are_told_apart(
    question: str, named: str, owner: str, analyzer: Analyzer
) -> None:
    found = read_question(question, analyzer, lambda _: 1, 60).owned
    assert bool(found.named) == bool(named)
    assert not named or (named in found.named and owner in found.owner)


@pytest.mark.parametrize("blank", [" ", "a ", "of ", "'s "])
def test_a_long_question_does_not_hold_up_the_answer(blank: str, analyzer: Analyzer) -> None:
    started = time.process_time()
    owned_property("What is the" + blank * 1500 + "pump", (), analyzer)
    assert time.process_time() - started < 1
