"""Whether what is said is of the kind that was asked for: a price, a colour, a time."""

from __future__ import annotations

import pytest

from rag_query.contracts.answer import Missing
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk
from tests.unit.generation.judging import judged


@pytest.mark.parametrize(
    ("question", "text", "enough"),
    [
        ("加急配送的运费是多少钱？", "标准配送免费。加急配送需要一天。", False),
        ("加急配送的运费是多少钱？", "标准配送需要一天。加急配送免费。", True),
        ("What does the bread cost?", "The bread is gluten-free. We bake at night.", False),
        ("What does express delivery cost?", "Express delivery takes a day. It is free.", True),
    ],
)
def test_that_something_else_is_free_is_no_price(
    question: str, text: str, enough: bool, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert judged(question, text, analyzer, chunk).sufficient is enough


@pytest.mark.parametrize(
    ("question", "text", "enough"),
    [
        ("What is the price of Torvalin?", "Torvalin and more than 14 units a week.", False),
        ("What is the price of Torvalin?", "Torvalin comes in packs of 28 or 84 tablets.", False),
        ("What is the price of Torvalin?", 'Torvalin tablets are marked "TV 40".', False),
        ("What is the price of Torvalin?", "Torvalin: two tablets a day.", False),
        ("What is the price of Torvalin?", "Torvalin gives 1 in 10 a headache.", False),
        ("What is the price of Torvalin?", "The price of Torvalin is 14.", True),
        ("药片的价格是多少？", "药片每人限购 3 盒。", False),
        ("药片的价格是多少？", "药片的价格为 14。", True),
        # Nor is a quantity told in words.
        ("How much does the gliding course cost?", "Most of the gliding course is flown.", False),
        # A sum may be.
        ("How much does the gliding course cost?", "The gliding course costs sixty euros.", True),
        ("How much does the gliding course cost?", "The gliding course cost half a million.", True),
        ("罚款多少钱？", "罚款为票价的两倍。", True),
    ],
)
def test_what_is_counted_is_no_price(
    question: str, text: str, enough: bool, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert judged(question, text, analyzer, chunk).sufficient is enough


@pytest.mark.parametrize(
    ("question", "text", "enough"),
    [
        ("易腐垃圾投到什么颜色的桶？", "易腐垃圾投到易腐垃圾桶，不含灰土。", False),
        ("易腐垃圾投到什么颜色的桶？", "易腐垃圾投到绿色的桶。", True),
        ("What colour is the bin for food waste?", "The bin for food waste is small.", False),
        ("What colour is the bin for food waste?", "The bin for food waste is green.", True),
    ],
)
def test_only_a_colour_answers_what_colour_something_is(
    question: str, text: str, enough: bool, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    found = judged(question, text, analyzer, chunk)
    assert found.sufficient is enough
    assert enough or Missing(kind="answer_type", what="colour") in found.missing


LOG = """# Tool

## 3.5 (2024-02-01)

Added the export call.

## Known faults

The export call fails on Windows."""


def test_a_date_above_tells_not_when_something_else_happened(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert judged("When was the export call added?", LOG, analyzer, chunk).sufficient
    asked = "When did the export call fail on Windows?"
    assert not judged(asked, LOG, analyzer, chunk).sufficient


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("When was the temple built?", "The temple was built in the Ming dynasty."),
        ("When did the alarm sound?", "The alarm sounded when the pressure exceeded 3 bar."),
        ("When was the war?", "The war was from 431 to 404 BC."),
        ("When was the pier rebuilt?", "The pier was rebuilt after the storm."),
        ("哪一年重建了旧码头", "旧码头在洪水之后，重建了。"),
    ],
)
def test_when_something_happened_may_be_told_without_a_date(
    analyzer: Analyzer, chunk: MakeChunk, question: str, evidence: str
) -> None:
    assert judged(question, evidence, analyzer, chunk).sufficient


def test_what_the_question_says_itself_tells_not_when(analyzer: Analyzer, chunk: MakeChunk) -> None:
    asked = "When was the old pier rebuilt after the great storm?"
    pier = "The old pier was rebuilt after the great storm by the harbour office."
    assert not judged(asked, pier, analyzer, chunk).sufficient


def test_what_happened_once_is_answered_by_a_date_alone(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    pier = "The old pier was rebuilt by the harbour office."
    assert not judged("When was the old pier rebuilt?", pier, analyzer, chunk).sufficient
    assert not judged("哪一年重建了旧码头", "旧码头由港务局重建。", analyzer, chunk).sufficient
    dated = f"#### May 1990\n\n{pier}"
    assert judged("When was the old pier rebuilt?", dated, analyzer, chunk).sufficient
    closed = "The old pier is closed if the wind is strong."
    assert judged("When is the old pier closed?", closed, analyzer, chunk).sufficient


@pytest.mark.parametrize(
    ("question", "text", "enough"),
    [
        ("Who baked the rye loaf?", "The rye loaf weighs a kilo.", False),
        ("Who baked the rye loaf?", "The rye loaf weighs a kilo. Ada Stern baked it.", True),
        ("Who baked the rye loaf?", "The apprentices baked the rye loaf.", True),
        ("Where is the braised pork?", "It must simmer for an hour.", False),
        ("Where is the braised pork?", "The braised pork is behind the door.", True),
        ("Where is the braised pork?", "It simmers in Kiln Street.", True),
        ("Where do I find rye loaves?", "Rye loaves lie on the top shelf.", True),
        ("Where do I find rye loaves?", "Rye loaves weigh a kilo.", False),
        ("Who deals with stale loaves?", "Stale loaves are fetched by the farmer.", True),
        ("面包坏了找谁？", "坏了的面包由学徒带走。", True),
        ("Who is Ada Stern?", "# Ada Stern\n\nShe dives and has won twice.", True),
        ("How many times has Ada Stern won the cup?", "Ada Stern has won the cup twice.", True),
        ("萝卜牛腩的作者是谁？", "萝卜牛腩须炖两小时。", False),
        ("萝卜牛腩的作者是谁？", "萝卜牛腩须炖两小时。作者：端木蓉。", True),
        ("萝卜牛腩由谁炖？", "萝卜牛腩由学徒炖两小时。", True),
    ],
)
def test_of_whom_or_where_something_is_said(
    question: str, text: str, enough: bool, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    found = judged(question, text, analyzer, chunk)
    assert found.sufficient is enough
    assert enough or any(each.kind == "answer_type" for each in found.missing)
