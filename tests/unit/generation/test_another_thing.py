"""What is said of another thing, version, room or name is no answer."""

from __future__ import annotations

import pytest

from rag_query.generation.evidence.sufficiency import ByFeatures, SufficiencyParams, missing
from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk
from tests.unit.generation.judging import LEAVE, PUMP, judged

PAGE = "[Home](/) | [About](/a)\n\nRefunds totalled 12 euros.\n\n© Example Pay"


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("病假工资按多少发放", LEAVE),
        ("离心泵有多重", PUMP),
        ("婚假有几天", LEAVE),
        ("How far is the car park?", "In a fire, meet at the car park within 5 minutes."),
        ("Who is the CEO of Example Pay?", PAGE),
        ("What is the default of max_retry?", "The default of retry is 3."),
        ("How much memory does version 3 need?", "Version 2 needs 4 GB of memory."),
        ("2019 年的供水量是多少？", "2021 年供水量为 3.2 亿立方米。"),
        ("五号配电室停电多久？", "二号配电室停电 5 小时。"),
    ],
)
def test_what_is_said_of_something_else_is_no_answer(
    analyzer: Analyzer, chunk: MakeChunk, question: str, evidence: str
) -> None:
    found = judged(question, evidence, analyzer, chunk)
    assert not found.sufficient and found.missing


def test_what_changed_in_a_version_that_is_not_there_is_not_told_of_another(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    log = "## 2.4.1 (2025-04-18)\n\n- Red lines."
    for asked in ("What changed in 2.4.2?", "2.4.2有什么变化？"):
        found = judged(asked, log, analyzer, chunk)
        assert [each.what for each in found.missing] == ["2.4.2"]


LIMITS = """| City | Limit | Meals |
|---|---|---|
| Kiel | 205 euros | yes |
| Lyon | 130 euros | yes |
| Oslo | 230 euros | no |"""
LIMITS_ZH = """| 城市 | 上限（元） | 早餐 |
|---|---|---|
| 东港 | 650 | 是 |
| 西城 | 700 | 是 |
| 南山 | 450 | 否 |"""


@pytest.mark.parametrize(
    ("question", "table", "row"),
    [
        ("Is the limit in Lyon 205 euros?", LIMITS, "Lyon"),
        ("Is the limit in Kiel 230 euros?", LIMITS, "Kiel"),
        ("南山的上限是700元吗？", LIMITS_ZH, "南山"),
        ("东港的上限为450元，对吗？", LIMITS_ZH, "东港"),
    ],
)
def test_the_row_that_is_named_answers_whatever_value_is_checked(
    question: str, table: str, row: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    read = read_question(question, analyzer, lambda _: 0, 1)
    scored = score_sentences(read, statements_of([chunk(table, "table")]), analyzer)
    assert ByFeatures(SufficiencyParams()).judge(read, scored).sufficient
    assert max(scored, key=lambda s: s.score).sentence.cells[0] == row
    assert [s.sentence.cells[0] for s in scored if s.answers] == [row]


def test_a_row_that_is_compared_with_leaves_the_others(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    read = read_question("Where is the limit higher than in Kiel?", analyzer, lambda _: 0, 1)
    scored = score_sentences(read, statements_of([chunk(LIMITS, "table")]), analyzer)
    assert min(s.score for s in scored if s.sentence.cells) > 0


JAMS = """| Code | Error | Remedy |
|---|---|---|
| E1 | Paper jam | Open the rear door |
| E2 | Tray empty | Fill the tray |
| Paper | Wrong size | Set the size in the menu |"""
FIGURES = """| Year | Revenue | Staff |
|---|---|---|
| 2021 | 3.2 million euros | 41 |
| 2022 | 3.9 million euros | 47 |
| Total | 7.1 million euros | |"""
DEFAULTS = """| Option | Default | Description |
|---|---|---|
| timeout | 30 seconds | How long a call may take |
| default | none | Route of a call without a match |"""
LEAVES_ZH = """| 假别 | 工资 | 证明 |
|---|---|---|
| 病假 | 发60% | 诊断证明 |
| 婚假 | 照发 | 结婚证 |
| 工资 | 每月10日发放 | 工资条 |"""


@pytest.mark.parametrize(
    ("question", "table", "row"),
    [
        ("What do I do about a paper jam?", JAMS, "E1"),
        ("Must the rear door be opened after a paper jam?", JAMS, "E1"),
        ("Is the paper jammed when E1 is shown?", JAMS, "E1"),
        ("What was the total revenue in 2021?", FIGURES, "2021"),
        ("By default, how long may a call take?", DEFAULTS, "timeout"),
        ("哪种假工资发60%？", LEAVES_ZH, "病假"),
    ],
)
def test_a_row_that_holds_more_of_the_question_than_the_named_one_answers(
    question: str, table: str, row: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    read = read_question(question, analyzer, lambda _: 0, 1)
    scored = score_sentences(read, statements_of([chunk(table, "table")]), analyzer)
    best = max(scored, key=lambda s: s.precedence)
    assert best.sentence.cells[0] == row and best.answers


HOUSE = """The gym is on level 2.

Cars are parked in the garage.

Bus 14 goes to the airport.

Team 3 meets on Tuesday.

Rooms 100 to 350 are in building B.

Orders from outside pay customs."""


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What is on level 3?", "level 3"),
        ("Where does bus 13 stop?", "bus 13"),
        ("When does team 4 meet?", "team 4"),
        ("In which building is room 500?", "room 500"),
    ],
)
def test_what_has_to_do_with_neither_is_no_answer_about_another_room_or_bus(
    question: str, named: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    found = judged(question, HOUSE, analyzer, chunk)
    assert not found.sufficient
    assert [each.what for each in found.missing if each.kind == "name"] == [named]


@pytest.mark.parametrize(
    "question",
    ["What is on level 2?", "Is the gym on level 3?", "In which building is room 250?"],
)
def test_what_has_the_number_or_is_said_to_be_elsewhere_answers(
    question: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert judged(question, HOUSE, analyzer, chunk).sufficient


def test_a_room_that_is_not_there_is_named_though_others_and_its_number_are(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    rooms = "The office is open from 9:00.\n\nBooks may be lent.\n\nRoom 4 seats 8 people."
    found = judged("Is room 9 open?", rooms, analyzer, chunk)
    assert not found.sufficient
    assert [each.what for each in found.missing] == ["room 9"]
    table = "| Room | Seats |\n| --- | --- |\n| 9 | 6 |\n| 4 | 6 |"
    found = judged("Is room 9 painted blue?", table, analyzer, chunk)
    assert not found.sufficient
    assert "room 9" not in [each.what for each in found.missing]


@pytest.mark.parametrize(
    ("question", "text", "sufficient"),
    [
        ("Where is the Madrid office?", "The Berlin office is in Linden Street.", False),
        ("Where is the Berlin office?", "The Berlin office is in Linden Street.", True),
        ("马德里办公室在哪里？", "柏林办公室在菩提街。", False),
        ("柏林办公室在哪里？", "柏林办公室在菩提街。", True),
        ("Who flew Apollo 18?", "Conrad flew Apollo 12 to the Moon.", False),
        ("Who flew Apollo 12?", "Conrad flew Apollo 12 to the Moon.", True),
    ],
)
def test_what_is_said_of_another_is_no_answer(
    question: str, text: str, sufficient: bool, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    held = set(analyzer.tokens(text))
    read = read_question(question, analyzer, lambda token: int(token in held), 20)
    scored = score_sentences(read, statements_of([chunk(text)]), analyzer)
    found = ByFeatures(SufficiencyParams()).judge(read, scored)
    assert found.sufficient is sufficient
    if not sufficient:
        assert {each.what for each in missing(read, scored)} & {
            "Madrid",
            "马德里",
            "18",
            "Apollo 18",
        }


LAUNDRY = """# 晨光洗衣店价目

| 项目 | 水洗 | 干洗 |
|---|---|---|
| 男士衬衣 | 12元 | 20元 |
| 羊毛大衣 | 30元 | 55元 |
| 窗帘（每平方米） | 6元 | 9元 |
"""
BAKER = """# Prices of the Corner Bakery

| Item | Price | Weight |
|---|---|---|
| Rye loaf | 4.20 euros | 900 g |
| Poppy roll | 0.80 euros | 70 g |

- Mint tea: 2.10 euros
- Hot chocolate: 3.40 euros
"""


@pytest.mark.parametrize(
    ("question", "text", "enough"),
    [
        ("羊毛大衣干洗多少钱？", LAUNDRY, True),
        ("皮草干洗多少钱？", LAUNDRY, False),
        ("女士衬衣水洗多少钱？", LAUNDRY, False),
        ("地毯每平方米水洗多少钱？", LAUNDRY, False),
        ("What is the price of a rye loaf?", BAKER, True),
        ("What is the price of rye bread?", BAKER, True),
        ("What is the price of a spelt loaf?", BAKER, False),
        ("What is the weight and the price of a bagel?", BAKER, False),
        ("Price of a green tea", BAKER, False),
        ("Price of the mint tea", BAKER, True),
    ],
)
def test_the_row_of_another_thing_is_no_answer(
    question: str, text: str, enough: bool, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert judged(question, text, analyzer, chunk).sufficient is enough


CANTEEN = """# Canteen

| Dish | Monday | Tuesday |
|---|---|---|
| Soup | Lentil | Tomato |
| Main | Goulash | Pasta |
"""


@pytest.mark.parametrize("question", ["What is the main dish on Tuesday?", "Which dish on Monday?"])
def test_what_the_first_column_is_called_makes_no_row_another_thing(
    question: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert judged(question, CANTEEN, analyzer, chunk).sufficient


PARKING = (
    "# Parking\n\n| Time | Fee |\n|---|---|\n| Up to 1 hour | 2 euros |\n| 1 to 3 hours | 5 euros |"
)


def test_a_number_in_words_is_of_no_other_row(analyzer: Analyzer, chunk: MakeChunk) -> None:
    assert judged("What is the parking fee for one hour?", PARKING, analyzer, chunk).sufficient


OPEN = """# Opening hours of the museum

| Day | Hours |
|---|---|
| Monday to Thursday | 9:00 to 18:00 |
| Sunday | closed |
"""


@pytest.mark.parametrize(
    ("question", "text", "enough"),
    [
        ("When does the museum close on Tuesdays?", OPEN, True),
        ("When does the museum close on Fridays?", OPEN, False),
        ("周三展馆几点开放？", "展馆周一至周五9:00开放。", True),
        ("周六展馆几点开放？", "展馆周一至周五9:00开放。", False),
        ("周六展馆几点开放？", "展馆每天9:00开放，周二除外。", True),
    ],
)
def test_what_holds_on_other_weekdays_is_no_answer(
    question: str, text: str, enough: bool, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert judged(question, text, analyzer, chunk).sufficient is enough
