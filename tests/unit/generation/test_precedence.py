"""Which sentence an answer begins with: the one that says it."""

from __future__ import annotations

from functools import partial

import pytest

from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.precedence import first_of
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk


def first(question: str, text: str, analyzer: Analyzer, chunk: MakeChunk) -> str:
    read = read_question(question, analyzer, lambda _: 1, 60)
    scored = score_sentences(read, statements_of([chunk(text)]), analyzer)
    ranked = sorted(scored, key=lambda each: each.precedence, reverse=True)
    return ranked[first_of(read, ranked)].sentence.text


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "What is a webhook?",
            "Webhooks expire. A webhook is a call to your server.",
            "A webhook is a call to your server.",
        ),
        (
            "What is Beacon?",
            "Next, configure Beacon. Beacon works with keys. Beacon is the central hub.",
            "Beacon is the central hub.",
        ),
        ("什么是流动性溢价？", "要考虑流动性溢价。流动性溢价是指补偿。", "流动性溢价是指补偿。"),
    ],
)
def test_what_a_thing_is_is_told_by_the_sentence_that_says_it(
    question: str, text: str, answer: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert first(question, text, analyzer, chunk) == answer


OPENING = "Note: nothing is sent.\n\nSorts the tins by their dates.\n\nThen {} marks each."


@pytest.mark.parametrize(
    ("question", "title", "text", "answer"),
    [
        (
            "What does tinsort do?",
            "tinsort",
            OPENING.format("tinsort"),
            "Sorts the tins by their dates.",
        ),
        (
            # Nothing above says which of the programs this is.
            "What does tinsort do?",
            "Programs",
            OPENING.format("tinsort"),
            "Then tinsort marks each.",
        ),
        (
            "罐检是什么？",
            "罐检手册",
            "把罐头按日期排好。\n\n罐检用于核对日期。",
            "罐检用于核对日期。",
        ),
        (
            "罐检是做什么的？",
            "罐检手册",
            "把罐头按日期排好。\n\n罐检每天运行。",
            "把罐头按日期排好。",
        ),
        (
            "扫地机器人是什么？",
            "扫地机器人",
            "感谢您购买本产品。\n\n扫地机器人可自动清扫地面。",
            "扫地机器人可自动清扫地面。",
        ),
    ],
)
def test_what_a_thing_does_is_told_by_the_opening_of_the_document_named_after_it(
    question: str, title: str, text: str, answer: str, chunk: MakeChunk
) -> None:
    assert first(question, text, Analyzer(), partial(chunk, title=title)) == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "What does the almond cake not contain?",
            "The almond cake contains ground almonds and eggs. "
            "The almond cake contains neither flour nor butter.",
            "The almond cake contains neither flour nor butter.",
        ),
        (
            "What does the clause on secrets not apply to?",
            "The clause on secrets shall not end with this contract. "
            "The clause does not apply to what is public.",
            "The clause does not apply to what is public.",
        ),
        (
            "本办法不适用于谁？",
            "本办法适用于员工。本办法不适用于实习生。",
            "本办法不适用于实习生。",
        ),
    ],
)
def test_what_is_not_so_is_told_by_the_sentence_that_denies_it(
    question: str, text: str, answer: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert first(question, text, analyzer, chunk) == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "Why was the Northgate bridge closed?",
            "The Northgate bridge closure affected 9,000 drivers. "
            "The bridge was closed because inspectors found cracks.",
            "The bridge was closed because inspectors found cracks.",
        ),
        (
            "为什么净利润下降？",
            "2024 年净利润下降 5%。净利润的减少由于研发费用增加，其下降超出预期。",
            "净利润的减少由于研发费用增加，其下降超出预期。",
        ),
        # What came of it is no reason for it.
        (
            "阀门为什么漏水？",
            "阀门漏水，螺纹切坏了。由于漏水，阀门已更换。",
            "阀门漏水，螺纹切坏了。",
        ),
        # A reason may be told without a word for it, and that word may stand anywhere.
        (
            "Why did the pump stop?",
            "The pump did stop: its filter was blocked. The price rose because of taxes.",
            "The pump did stop: its filter was blocked.",
        ),
    ],
)
def test_why_is_told_by_a_sentence_with_a_reason_nearly_as_good_as_the_best(
    question: str, text: str, answer: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert first(question, text, analyzer, chunk) == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "Who is the data protection officer?",
            "The data protection officer is the contact for all requests of staff and others.\n\n"
            "Data protection officer: Jane Miller.",
            "Data protection officer: Jane Miller.",
        ),
        ("店长是谁？", "店长是门店的管理者。店长：周强。", "店长：周强。"),
        (
            "What is the hotline?",
            "The hotline is a service for customers. Hotline: 0800 1234.",
            "Hotline: 0800 1234.",
        ),
        (
            "What is the deadline?",
            "The deadline for forms is 5 May. The deadline is the last day for forms.",
            "The deadline for forms is 5 May.",
        ),
        (
            "What is the Wi-Fi password?",
            "The Wi-Fi password is an eight-letter word. Wi-Fi password: sunshine.",
            "Wi-Fi password: sunshine.",
        ),
        (
            "What is the late fee?",
            "The late fee is 5 EUR. The late fee is an extra charge.",
            "The late fee is 5 EUR.",
        ),
        (
            "服务热线是什么？",
            "服务热线是客户联系我们的渠道。服务热线：400-800。",
            "服务热线：400-800。",
        ),
    ],
)
def test_a_value_is_told_before_what_the_thing_is(
    question: str, text: str, answer: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert first(question, text, analyzer, chunk) == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "What is the e-mail address of the desk?",
            "The e-mail address of the desk is on https://a.example/desk.\n\n"
            "Write to the desk at desk@a.example.",
            "Write to the desk at desk@a.example.",
        ),
    ],
)
def test_an_address_is_told_by_one(
    question: str, text: str, answer: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert first(question, text, analyzer, chunk) == answer


def test_a_colour_of_something_else_is_not_put_first(analyzer: Analyzer, chunk: MakeChunk) -> None:
    text = "# Colour\n\nThe front is painted salmon. Doors are white."
    assert first("What colour is the front?", text, analyzer, chunk) == (
        "The front is painted salmon."
    )


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "有害垃圾包括哪些？",
            "有害垃圾是有危害的废弃物。具体包括：废电池、灯管。可回收物包括报纸。",
        ),
        ("Which things are toxic waste?", "Toxic waste is kept. These include batteries, lamps."),
    ],
)
def test_what_belongs_to_a_thing_is_listed_after_it(
    question: str, text: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    read = read_question(question, analyzer, lambda _: 1, 60)
    scored = score_sentences(read, statements_of([chunk(text)]), analyzer)
    best = sorted(scored, key=lambda each: each.precedence, reverse=True)[:2]
    assert any("废电池" in s.sentence.text or "batteries" in s.sentence.text for s in best)
