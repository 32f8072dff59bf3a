"""What gives a property by its name answers a question that names it with its owner."""

from __future__ import annotations

import pytest

from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.properties import asked_property, gives_property
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk
from tests.unit.generation.test_extractive import drafted, texts

PUMP = "It is a pump for clean water.\n\nMaximum pressure: 6 bar\n\nWeight: 8.4 kg\n\nTank: 20 l"
PUMP_ZH = "这是一款用于清水的水泵。\n\n最大压力：6 bar\n\n重量：8.4千克\n\n容积：20升"


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("What is the pump's maximum pressure?", "pressur"),
        ("What's the maximum pressure of the pump?", "pressur"),
        ("水泵的最大压力是多少", "压力"),
        ("水泵压力是什么？", "压力"),
        ("How do pumps start?", ""),
        ("怎么启动水泵？", ""),
    ],
)
def test_the_property_that_is_asked_for(question: str, noun: str, analyzer: Analyzer) -> None:
    terms = dict.fromkeys(analyzer.tokens(question), 1.0)
    assert asked_property(question, terms, analyzer) == noun


@pytest.mark.parametrize(
    ("line", "gives"),
    [
        ("Maximum pressure: 6 bar", True),
        ("Pressure: 6 bar", True),
        ("Tank pressure: 6 bar", False),
        ("The pressure is read at the gauge.", False),
        ("Pump: see page 3", False),
    ],
)
def test_a_line_gives_a_property_of_nothing_else(
    line: str, gives: bool, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    (sentence,) = statements_of([chunk(line)])
    terms = {"pump": 1.0, "pressur": 1.0}
    assert gives_property(sentence, "pressur", terms, analyzer) is gives


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("What is the pump's maximum pressure?", PUMP, "Maximum pressure: 6 bar"),
        ("What is the pump's pressure?", PUMP, "Maximum pressure: 6 bar"),
        ("What is the pump's weight?", PUMP, "Weight: 8.4 kg"),
        ("水泵的最大压力是多少", PUMP_ZH, "最大压力：6 bar"),
        ("水泵压力是多少？", PUMP_ZH, "最大压力：6 bar"),
        ("水泵重量是多少？", PUMP_ZH, "重量：8.4千克"),
        ("水泵重量是什么？", PUMP_ZH, "重量：8.4千克"),
    ],
)
def test_a_property_is_told_by_its_line(
    question: str, text: str, told: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    others = [chunk("The pump is red. 水泵是红色的。", section=f"{n}") for n in range(8)]
    assert texts(drafted(question, [chunk(text), *others], analyzer))[0] == told
