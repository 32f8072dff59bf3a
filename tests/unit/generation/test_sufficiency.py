"""Whether there is an answer; what is missing is said in the question's own words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from rag_query.contracts.answer import Insufficient, Missing, Sufficiency
from rag_query.generation.question import read_question
from rag_query.generation.scoring import score_sentences
from rag_query.generation.sentences import statements_of
from rag_query.generation.sufficiency import ByFeatures, SufficiencyParams, missing
from rag_query.generation.wording import Wording
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk


def told(question: str, evidence: str, analyzer: Analyzer) -> dict[str, str]:
    """kind -> what is missing of it."""
    scored: Any = [
        SimpleNamespace(
            sentence=SimpleNamespace(text=evidence, headings=()),
            terms=frozenset(analyzer.tokens(evidence)),
            typed=True,
            answers=True,
            led_by="",
            speaks=True,
        )
    ]
    read = read_question(question, analyzer, lambda _: 1, 100)
    return {each.kind: each.what for each in missing(read, scored)}


def test_words_are_whole_and_a_missing_name_is_said_once(analyzer: Analyzer) -> None:
    found = told("Who are the presidents of France?", "The harbour is deep.", analyzer)
    assert found["name"] == "France"
    assert found["words"] == "presidents"


def test_chinese_words_stand_as_they_are(analyzer: Analyzer) -> None:
    found = told("仓库的消防栓在哪里？", "今天天气很好。", analyzer)
    assert "仓库" in found["words"]


def test_missing_korean_words_are_whole_and_no_particles(analyzer: Analyzer) -> None:
    found = told("도서 연체료는 하루에 얼마입니까?", "도서 연체료 규정", analyzer)
    assert found["words"] == "하루에, 얼마입니까"


def test_nothing_is_said_of_words_that_are_there(analyzer: Analyzer) -> None:
    found = told("How deep is the harbour at low tides?", "The harbour is deep.", analyzer)
    assert "harbour" not in found["words"] and "tides" in found["words"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was new in Orrery firmware 2.5.0?", ["Orrery", "2.5.0"]),
        ("How many orders were lost in INC-2025-018?", ["INC-2025-018"]),
        ("地面站V5.4.0新增了什么？", ["V5.4.0"]),
        ("PJ-501的价格是多少？", ["PJ-501"]),
        ("HL-V850的主轴转速是多少？", ["HL-V850"]),
        ("How many of the 18 orders were lost in INC-2025-018?", ["18", "INC-2025-018"]),
    ],
)
def test_a_number_that_is_part_of_a_name_is_not_missing_besides(
    analyzer: Analyzer, chunk: MakeChunk, question: str, expected: list[str]
) -> None:
    found = judged(question, "The harbour is deep.", analyzer, chunk)
    assert [e.what for e in found.missing if e.kind in ("name", "number")] == expected


LEAVE = (
    "未休年假按日工资的 300% 折算。\n\n病假须提供医院的诊断证明。\n\n"
    "连续病假不超过 3 天的，可事后补交。"
)
SICK_PAY = LEAVE + "\n\n病假期间工资按基本工资的 80% 发放。"
PUMP = (
    "甲方采购离心泵 12 台，型号 CP-80，单价 23,500 元。\n\n"
    "| 部件 | 质保期 |\n|---|---|\n| 叶轮 | 18 个月 |"
)
PAGE = "[Home](/) | [About](/a)\n\nRefunds totalled 12 euros.\n\n© Example Pay"


def judged(question: str, evidence: str, analyzer: Analyzer, chunk: MakeChunk) -> Sufficiency:
    read = read_question(question, analyzer, lambda t: int(t in analyzer.tokens(evidence)), 20)
    scored = score_sentences(read, statements_of([chunk(evidence)]), analyzer)
    return ByFeatures(SufficiencyParams()).judge(read, scored, None)


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("质保期是多久", PUMP),
        ("叶轮质保期多长", PUMP),
        ("采购了几台离心泵", PUMP),
        ("病假工资按多少发放", SICK_PAY),
        ("学校学生人数是多少", "在校学生人数为 3000 人。"),
        ("病假证明最多几天内补交", LEAVE),
        ("How often should I descale?", "Descale every 60 days."),
        ("How heavy is the pump?", "The pump is new. It weighs 12 kg."),
        ("Who is the harbour master?", "The harbour master is Ada Stern."),
        ("What does E07 mean?", "E07: boiler above 118 °C."),
    ],
)
def test_the_shortest_questions_are_answered(
    analyzer: Analyzer, chunk: MakeChunk, question: str, evidence: str
) -> None:
    assert judged(question, evidence, analyzer, chunk).sufficient


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


GAME = "Gold is earned by quests.\n\nThe price of a potion changes.\n\nA torch is 5 gold."


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


GRANT = "高龄津贴：80周岁至89周岁的老人每月60元，90周岁至99周岁的老人每月150元。"
TICKET = "Tickets for visitors aged 12 to 17 cost 5 euros, for visitors aged 18 and over 9 euros."


@pytest.mark.parametrize(
    ("question", "text", "enough"),
    [
        ("70岁老人每月高龄津贴多少？", GRANT, False),
        ("70岁老人每月高龄津贴多少？", f"{GRANT}失能老人每月200元。", False),
        ("85岁老人每月高龄津贴多少？", GRANT, True),
        ("90岁老人每月高龄津贴多少？", GRANT, True),
        ("How much are tickets for visitors aged 8?", TICKET, False),
        ("How much are tickets for visitors aged 40?", TICKET, True),
    ],
)
def test_what_people_of_other_ages_get_is_no_answer(
    question: str, text: str, enough: bool, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert judged(question, text, analyzer, chunk).sufficient is enough


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


def test_what_changed_in_a_version_that_is_not_there_is_not_told_of_another(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    log = "## 2.4.1 (2025-04-18)\n\n- Red lines."
    for asked in ("What changed in 2.4.2?", "2.4.2有什么变化？"):
        found = judged(asked, log, analyzer, chunk)
        assert [each.what for each in found.missing] == ["2.4.2"]


@pytest.mark.parametrize(
    "question",
    [
        "What bugs were fixed in 2.4.1?",
        "Which bugs does 2.4.1 fix?",
        "What features were added in 2.4.1?",
        "When was version 2.4.1 released?",
        "When did version 2.4 come out?",
        "2.4.1移除了什么？",
        "2.4.1版移除了哪些接口？",
        "2.4有什么变化？",
        "版本2.4什么时候发布的？",
    ],
)
def test_what_came_with_a_version_and_when_is_told_in_few_words(
    question: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    log = {
        "2.4.1 (2025-04-18)": "- Fixed: red lines. 移除旧版接口\n- New: maps.",
        "2.3.0 (2025-01-02)": "- New: lines.",
    }
    held = {each: analyzer.tokens(f"{each} {text}") for each, text in log.items()}
    read = read_question(
        question, analyzer, lambda token: sum(token in each for each in held.values()), 40
    )
    chunks = [chunk(text, section=each) for each, text in log.items()]
    scored = score_sentences(read, statements_of(chunks), analyzer)
    found = ByFeatures(SufficiencyParams()).judge(read, scored, None)
    assert found.sufficient, found.missing
    assert max(scored, key=lambda s: s.score).sentence.chunk.section_path.startswith("2.4.1")


def test_two_words_that_stand_apart_are_not_what_both_name(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert not judged("What is the gold price?", GAME, analyzer, chunk).sufficient
    together = "The gold price is 1900 dollars."
    assert judged("What is the gold price?", together, analyzer, chunk).sufficient
    assert not judged(
        "黄金价格是多少", "黄金靠任务获得。\n\n药水价格为 5 元。", analyzer, chunk
    ).sufficient
    settings = "`pool_size` says how many there are.\n\nThe default is 8."
    assert judged("What is the default of `pool_size`?", settings, analyzer, chunk).sufficient
    taken_up = "The bridge is old.\n\nIt was repaired in 1990."
    assert judged("When was the bridge repaired?", taken_up, analyzer, chunk).sufficient


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("How does the pump start?", "The pump is in the cellar.\n\nPress the button to start."),
        ("How do pumps start?", "The pump is in the cellar.\n\nPress the button to start."),
        ("Do pumps start?", "The pump is in the cellar.\n\nPress the button to start."),
        ("怎么启动水泵", "水泵在地下室。\n\n按红色按钮启动。"),
        ("How to reset password?", "The password is kept here.\n\nClick on reset."),
        ("When was the bridge repaired?", "The bridge is old.\n\nRepaired 1990."),
    ],
)
def test_what_one_does_with_a_thing_may_be_said_apart_from_it(
    analyzer: Analyzer, chunk: MakeChunk, question: str, evidence: str
) -> None:
    assert judged(question, evidence, analyzer, chunk).sufficient


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


def test_what_nothing_is_said_of_is_named(analyzer: Analyzer, chunk: MakeChunk) -> None:
    apart = "Version 2 needs 4 GB of memory.\n\nVersion 3 is new."
    found = judged("How much memory does version 3 need?", apart, analyzer, chunk)
    assert not found.sufficient
    assert [(each.kind, each.what) for each in found.missing] == [("name", "3")]
    apart = "版本 2 需要 4 GB 内存。\n\n版本 3 是新的。"
    found = judged("版本 3 需要多少内存？", apart, analyzer, chunk)
    assert ("name", "3") in [(each.kind, each.what) for each in found.missing]


def test_a_name_keeps_its_inner_apostrophe(analyzer: Analyzer) -> None:
    said = "The pier was built by Miles O'Brien."
    assert "name" not in told("What was built by O'Brien?", said, analyzer)
    assert "name" not in told("What is Ada's pier called?", "Ada has a pier.", analyzer)


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


def test_what_a_question_calls_its_answer_need_not_be_said(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    ways = "Fish loses its smell with ginger.\n\nFish loses its smell in vinegar."
    asked = "What are the two main ways in which fish loses its smell?"
    assert judged(asked, ways, analyzer, chunk).missing == []
    assert judged("去腥有哪两种方法", "用姜去腥。", analyzer, chunk).missing == []


def test_a_document_that_stands_out_is_believed_rather(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    read = read_question("How are visitors led to the old pier?", analyzer, lambda _: 1, 20)
    text = chunk("Visitors walk to the pier with a guide.")
    scored = score_sentences(read, statements_of([text]), analyzer)
    judge = ByFeatures(SufficiencyParams())
    found = {far: judge.judge(read, scored, 0.9, far).confidence for far in (0.0, 3.1, 5.0)}
    assert found[0.0] < found[3.1] < found[5.0]
    assert judge.judge(read, scored, 0.9, None).confidence == found[3.1]


def test_a_number_that_is_not_there_is_what_is_missing(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    found = judged("病假工资按多少发放", LEAVE, analyzer, chunk)
    told_missing = [(each.kind, each.what) for each in found.missing]
    assert told_missing == [("answer_type", "number"), ("words", "发放")]


def test_a_word_of_the_cutters_own_is_not_missing(analyzer: Analyzer) -> None:
    asked = "抬头能改几次"
    assert "能改" in analyzer.tokens(asked)
    assert "words" not in told(asked, "抬头可改。", analyzer)
    assert told(asked, "抬头可写。", analyzer)["words"] == "能改"


def test_where_nothing_is_missing_the_document_is_not_said_to_be_silent() -> None:
    english, chinese = Wording.of("en"), Wording.of("zh")
    assert "Not enough evidence" in english.insufficient("Tea", Insufficient())
    assert "没有找到足够的依据" in chinese.insufficient("茶", Insufficient())
    silent = Insufficient(missing=[Missing(kind="words", what="price")])
    assert "does not say this" in english.insufficient("Tea", silent)


def test_a_number_that_is_there_is_not_missing_since_the_chapter_is_another(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    table = "| Section | About |\n| --- | --- |\n| 5.1 | Room 4 |\n| 5.2 | Room 5 |"
    found = judged("Which part of Chapter 3 is about Room 4?", table, analyzer, chunk)
    said = {each.what for each in found.missing}
    assert not found.sufficient and "3" in said and "4" not in said


def test_how_many_of_the_first_ones_are_asked_for_need_not_be_said(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    text = "The products with most revenue are pumps, valves and hoses."
    held = set(analyzer.tokens(text))
    for asked in (
        "Which are the Top 5 products with most revenue?",
        "What are the best 3 products with most revenue?",
    ):
        read = read_question(asked, analyzer, lambda token: int(token in held), 20)
        scored = score_sentences(read, statements_of([chunk(text)]), analyzer)
        assert ByFeatures(SufficiencyParams()).judge(read, scored, None).sufficient


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
    found = ByFeatures(SufficiencyParams()).judge(read, scored, None)
    assert found.sufficient is sufficient
    if not sufficient:
        assert {each.what for each in found.missing} & {"Madrid", "马德里", "18", "Apollo 18"}
