"""Questions that ask for two things at once."""

from __future__ import annotations

import pytest

from rag_query.generation.questions.two_things import each_asked


@pytest.mark.parametrize(
    ("question", "each"),
    [
        (
            "What are the rent and the deposit of the flat?",
            ("What are the rent of the flat?", "What are the deposit of the flat?"),
        ),
        ("展厅的面积和高度分别是多少？", ("展厅的面积是多少？", "展厅的高度是多少？")),
        (
            "What are the limits for Kiel and Lyon?",
            ("What are the limits for Kiel?", "What are the limits for Lyon?"),
        ),
        ("东站和西站的票价各是多少？", ("东站的票价各是多少？", "西站的票价各是多少？")),
        ("甲国和乙国的边界在哪里？", ()),
        ("What is the difference between the rent and the deposit?", ()),
        ("What are the terms and conditions?", ()),
        ("How did the king and the queen die?", ()),
        ("水的温度和盐度有什么关系？", ()),
        ("捷克的前身共和国是什么？", ()),
        ("What is the price of bread and the milk?", ()),
        ("公司的安全与环保部在几楼？", ()),
        ("学校的教学与科研楼有几层？", ()),
    ],
)
def test_the_two_questions_of_one(question: str, each: tuple[str, ...]) -> None:
    assert each_asked(question) == each
