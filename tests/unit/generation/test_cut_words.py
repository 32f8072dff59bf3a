"""Chinese words stand in a text however it is cut, but not across two words of it."""

from __future__ import annotations

import pytest

from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.generation.vocabulary.cut_words import cut_otherwise, lamps
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk


@pytest.mark.parametrize(
    ("term", "text", "stands"),
    [
        ("水池", "对地下水池进行清洗。", True),
        ("移除", "3.4.0 移除了 Modbus。", True),
        ("余蔚", "任命扶余王余蔚为太傅。", True),
        ("病假", "生病假装上班。", False),
        ("国会", "我国会派人。", False),
        ("水", "地下水池", False),
    ],
)
def test_a_word_stands_where_an_end_of_it_is_one_of_a_word(
    term: str, text: str, stands: bool, analyzer: Analyzer
) -> None:
    assert cut_otherwise([term], analyzer.tokens(text), text) == ({term} if stands else set())


def test_a_red_lamp_is_one_of_red_light() -> None:
    assert lamps(["红灯", "蓝灯", "常亮"], "红色 — 状态: 常亮") == {"红灯"}
    assert lamps(["绿灯"], "绿色手柄用于进给。") == set()


def test_the_row_of_the_red_lamp_goes_before_that_of_the_blue(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    rows = ("| 指示灯 | 含义 |", "|---|---|", "| 蓝色常亮 | 制水 |", "| 红色常亮 | 漏水 |")
    table = "\n".join(rows)
    question = read_question("红灯常亮是什么意思？", analyzer, lambda _: 1, 100)
    scored = score_sentences(question, statements_of([chunk(table, "table")]), analyzer)
    assert max(scored, key=lambda s: s.score).sentence.cells[0] == "红色常亮"
