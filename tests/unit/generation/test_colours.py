"""What names a colour, and what asks for one."""

from __future__ import annotations

import pytest

from rag_query.generation.vocabulary.answer_types import AnswerType, answer_type
from rag_query.generation.vocabulary.colours import names_colour


@pytest.mark.parametrize(
    "text",
    [
        "车身颜色为珍珠白", "地线为黄绿双色。", "屋顶是砖红。", "外壳采用藏青。",
        "沙发有米白、卡其和咖啡。",
        "指示灯红表示故障。", "Door signs are navy.", "The uniform has the colour cream.",
        "The frame is anthracite.", "Doors are RAL 7016.",
        "The logo is #1A2B3C.", "The accent is #fff.",
    ],
)  # fmt: skip
def test_a_colour_is_known_by_many_names(text: str) -> None:
    assert names_colour(text)


@pytest.mark.parametrize(
    "text", ["说明要写明白。", "此处留空白。", "The bin is small.", "See #123."]
)
def test_what_only_looks_like_a_colour_is_none(text: str) -> None:
    assert not names_colour(text)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("易腐垃圾桶是什么颜色？", True),
        ("地线用什么色？", True),
        ("What colour is the bin?", True),
        ("灯泡用什么色温？", False),
        ("屏幕采用什么色彩空间？", False),
        ("What colour temperature has the lamp?", False),
        ("Which color space does the screen use?", False),
    ],
)
def test_a_colour_temperature_is_no_colour(question: str, *, asks: bool) -> None:
    assert (answer_type(question) is AnswerType.COLOUR) is asks
