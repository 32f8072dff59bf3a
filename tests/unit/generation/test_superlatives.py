"""The row with the most or the least of what is asked for is told first."""

from __future__ import annotations

import pytest

from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk
from tests.unit.generation.test_precedence import first

MARGINS = (
    "| Segment | Revenue | Operating margin |\n|---|---|---|\n| Engines | 97.3 | 12.1 % |\n"
    "| Decks | 61.8 | −5.4 % |\n| Charts | 38.2 | 14.8 % |\n| Group | 197.3 | 9.9 % |"
)
PRODUCTS = (
    "| 产品 | 收入（万元） | 毛利率 |\n|---|---|---|\n| 水位计 | 4,230.10 | 46.2% |\n"
    "| 浊度仪 | 9,876.35 | 41.8% |\n| 技术服务 | 2,337.30 | 52.9% |\n| 三类 | 16,443.75 | 45% |"
)
ROOMS = (
    "| Place | Island | Price per night |\n|---|---|---|\n| Hostel room | Orran | £29 |\n"
    "| Inn room | Mulvay | £96 |\n| Campsite | Orran | £9 |\n| Bothy | Rona | – |"
)
LOANS = (
    "| Item | Loan period | Fine |\n|---|---|---|\n| DVD | 7 days | $0.75 |\n"
    "| Book | 21 days | $0.20 |\n| Game | 14 days | $1.00 |"
)
HOSPITALS = (
    "| 级别 | 起付线（元） | 报销比例 |\n|---|---|---|\n| 三级 | 900 | 61% |\n"
    "| 二级 | 400 | 74% |\n| 一级 | 150 | 85% |\n| 诊所 | 90 | 95% |\n\n年度最高限额为 28 万元。"
)
TICKETS = "| 景点 | 票价 |\n|---|---|\n| 松阁 | 35 元 |\n| 博物馆 | 免费 |\n| 鹤洞 | 62 元 |"


@pytest.mark.parametrize(
    ("question", "text", "row"),
    [
        ("Which segment had the highest operating margin?", MARGINS, "Charts"),
        ("Which division had the highest operating margin?", MARGINS, "Charts"),
        ("Which segment had the lowest operating margin?", MARGINS, "Decks"),
        ("Which segment had the most revenue?", MARGINS, "Engines"),
        ("哪个产品的毛利率最高？", PRODUCTS, "技术服务"),
        ("收入最多的是哪个产品？", PRODUCTS, "浊度仪"),
        ("Which item has the longest loan period?", LOANS, "Book"),
        ("Which room is cheapest per night?", ROOMS, "Campsite"),
        ("What is the most expensive place on Orran?", ROOMS, "Hostel room"),
        ("一级、二级、三级哪个报销比例最高？", HOSPITALS, "一级"),
        ("哪个景点的门票最贵？", TICKETS, "鹤洞"),
        ("门票最便宜的景点是哪个？", TICKETS, "博物馆"),
    ],
)
def test_the_row_with_the_most_or_the_least_is_told_first(
    question: str, text: str, row: str, chunk: MakeChunk, analyzer: Analyzer
) -> None:
    assert first(question, text, analyzer, chunk).startswith(f"{row} — ")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # A limit, not the most of all.
        ("水位计的毛利率最多可以到哪里？", PRODUCTS),
        # The second one is not the first.
        ("Which segment had the second highest operating margin?", MARGINS),
        # No column is named, or two are.
        ("Which segment is the largest?", MARGINS),
        ("哪个产品最多？", PRODUCTS),
        # The rows are what the column is named by, and not the measure.
        ("哪类收入的人最多？", PRODUCTS),
        # What has no number cannot be compared.
        ("Which segment had the highest margin?", MARGINS.replace("14.8 %", "good")),
        ("Which segment had the highest margin?", MARGINS.replace("14.8 %", "8 points")),
        ("Which segment had the most revenue?", MARGINS.replace("97.3", "12 million")),
        # Another column is a condition, a rank is the better the less it is, and what grew most has
        # not the most.
        ("Which segment with a margin had the most revenue?", MARGINS),
        ("Which segment had the highest rank?", MARGINS.replace("Revenue", "Rank")),
        ("In which segment did revenue grow most, by growth?", MARGINS),
    ],
)
def test_where_the_rows_cannot_be_compared_the_first_of_equals_stays_first(
    question: str, text: str, chunk: MakeChunk, analyzer: Analyzer
) -> None:
    assert first(question, text, analyzer, chunk).startswith(("Engines", "水位计"))


def test_a_sentence_that_says_which_is_the_highest_is_told_before_the_table(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    said = "Services had the highest operating margin of the segments."
    found = first(
        "Which segment had the highest operating margin?", f"{MARGINS}\n\n{said}", analyzer, chunk
    )
    assert found == said
