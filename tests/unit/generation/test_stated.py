"""What a question is about besides its words: settings, codes, versions, years."""

from __future__ import annotations

import time

import pytest

from rag_query.generation.passages.sentences import sentences_of
from rag_query.generation.questions.stated import StatedKind, spoken_of, stated_in
from rag_query.generation.vocabulary.years_and_months import asked_years, years
from tests.unit.generation.conftest import MakeChunk


@pytest.mark.parametrize(
    ("question", "kind", "values"),
    [
        ("What is the default of `retry`?", StatedKind.NAME, {"retry"}),
        ("What is the default of max_retry?", StatedKind.NAME, {"max_retry"}),
        ("记录仪显示E4018表示什么？", StatedKind.NAME, {"E4018"}),
        ("Is the CP-80 new?", StatedKind.NAME, {"CP-80"}),
        ("How much memory does version 3 need?", StatedKind.VERSION, {"3"}),
        ("Does Python 3.12 work?", StatedKind.VERSION, {"3.12"}),
        ("系统版本3.1起支持什么？", StatedKind.VERSION, {"3.1"}),
        ("What did it cost in 2019?", StatedKind.YEAR, {"2019"}),
        ("2019年的供水量是多少？", StatedKind.YEAR, {"2019"}),
        ("How much rain fell in May?", StatedKind.MONTH, {"5"}),
        ("3月的降雨量是多少？", StatedKind.MONTH, {"3"}),
        ("第四十九届的冠军是谁？", StatedKind.NUMBERED, {"49"}),
        ("What does article 12 forbid?", StatedKind.NUMBERED, {"12"}),
        ("Do versions 2 and 3 differ?", StatedKind.VERSION, {"2", "3"}),
        ("How do I upgrade from version 2 to 3?", StatedKind.VERSION, {"3"}),
        ("2 和 3 版有何区别？", StatedKind.VERSION, {"2", "3"}),
        ("三号配电室何时跳闸？", StatedKind.WITH_HAO, {"3号"}),
        ("12号楼有几层？", StatedKind.WITH_HAO, {"12号"}),
        ("How many people does room 6 hold?", StatedKind.WITH_NOUN, {"room 6"}),
        ("Who missed the eighth meeting?", StatedKind.WITH_NOUN, {"meeting 8"}),
        ("Who missed the 8th board meeting?", StatedKind.WITH_NOUN, {"meeting 8"}),
        ("第八次技术例会谁缺席？", StatedKind.WITH_NOUN, {"第8次"}),
        ("第三周讲什么？", StatedKind.WITH_NOUN, {"第3周"}),
        ("operating profit FY2022", StatedKind.YEAR, {"2022"}),
        ("Who works on the seventh floor?", StatedKind.WITH_NOUN, {"floor 7"}),
        ("What changed in 2.4.0?", StatedKind.VERSION, {"2.4.0"}),
        ("What bugs were fixed in 2.4.0?", StatedKind.VERSION, {"2.4.0"}),
        ("Which bugs does 2.4.0 fix?", StatedKind.VERSION, {"2.4.0"}),
        ("3.1有什么变化？", StatedKind.VERSION, {"3.1"}),
        ("3.1移除了什么？", StatedKind.VERSION, {"3.1"}),
        ("What is new since v2.4?", StatedKind.VERSION, {"2.4"}),
        ("What did 2.4.0 fix?", StatedKind.VERSION, {"2.4.0"}),
        ("2.4.0 更新了什么？", StatedKind.VERSION, {"2.4.0"}),
        ("And in 2.4.1?", StatedKind.VERSION, {"2.4.1"}),
        ("What is the budget for 2026?", StatedKind.YEAR, {"2026"}),
        ("When does Fastify 4 end?", StatedKind.RELEASE, {"4"}),
        ("HL-V850的主轴转速是多少？", StatedKind.NAME, {"HL-V850"}),
    ],
)
def test_what_a_question_states_is_read(question: str, kind: StatedKind, values: set[str]) -> None:
    assert {each.kind: set(each.values) for each in stated_in(question)} == {kind: values}


@pytest.mark.parametrize(
    "question",
    [
        "What are the two main steps?",
        "How many of the 2000 people voted?",
        "Who has led it since 1980?",
        "1980年以前谁是馆长？",
        "质保期 3 个月够吗？",
        "Does it weigh 2.5 kg?",
        "谁出版了它？",
        "Which table seats 6 guests?",
        "What changed in section 2.4.1?",
        "What changed in 2.5 hours?",
        "What is new at 10.20.30.40.50?",
        "Is the flat 6 m wide?",
        "Which groups 4 eggs?",
        "How is the limit of 1500 requests raised?",
        "What is the 1080p list?",
        "What happens in 1500 homes?",
        "What is done for 1200 guests?",
        "Does it cost USD 4.50?",
        "Is it enough for 2000 users?",
        "What do I get for 1500?",
        "工号的格式是什么？",
        "他的8号召唤兽是什么？",
        "What does Section 2.1 say?",
        "What was added on 12.05.2024?",
        "3.5元有什么变化？",
        "Which are the Top 5 products?",
        "What is planned for the Next 3 weeks?",
        "Which " + "version " + "9" * 5000 + " is it?",
    ],
)
def test_counts_measures_and_limits_of_time_are_nothing_stated(question: str) -> None:
    assert stated_in(question) == ()


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the default of `retry`?", "`max_retry` is 3 by default."),
        ("What is the default of max_retry?", "retry is 3 by default."),
        ("What does E204 mean?", "E2041: the token has expired."),
        ("What does version 3 need?", "Version 2 needs 3 GB."),
        ("Does Python 3.6 work?", "Python 3.7 or later is needed."),
        ("系统版本3.1支持什么？", "系统版本 2.1 支持分屏。"),
        ("What did it cost in 2019?", "In 2021 it cost 3 euros."),
        ("2019年的供水量是多少？", "2021 年供水量为 3 亿立方米。"),
        ("3月的降雨量是多少？", "5 月降雨 40 毫米。"),
        ("第六条禁止什么？", "第七条 禁止停车。"),
        ("What does version 3 need?", "Versions 4 to 6 need 4 GB."),
        ("What does version 3 need?", "Version 2 and earlier need 1 GB."),
        ("版本 3 需要什么？", "版本 4 及以上需要 4 GB。"),
        ("What is new since version 3?", "Since version 2 it has a lid."),
        ("系统版本3.1起支持什么？", "系统版本 2.1 起支持分屏。"),
        ("What did it cost in 2015?", "Since 2018 it has cost 5 euros."),
        ("What did it cost in 2015?", "From 2008 to 2012 it cost 5 euros."),
        ("What did it cost in 2010?", "On 2008-12-01 it cost 3 euros."),
        ("2015年的门票是多少元？", "自2018年起门票为5元。"),
        ("How much rain fell in June?", "From January to May 40 mm of rain fell."),
        ("6月的降雨量是多少？", "1月至5月降雨量为40毫米。"),
        ("What does `npm run build` do?", "npm run test runs the tests."),
        ("What does E4018 mean?", "E 4019 means that it is hot."),
        ("What does chapter 4 describe?", "Chapter III describes the pump."),
        ("第16条禁止什么？", "第十条至第十五条禁止停车。"),
        ("三号配电室停电多久？", "二号配电室停电3小时。"),
        ("6号楼有几层？", "1号楼至5号楼有 6 层。"),
        ("What is the budget for 2026?", "In 2025 the budget was 3 euros."),
        ("2号泵的流量是多少？", "3号泵的流量为 2 升。"),
        ("How many people does room 6 hold?", "Meeting room 4 holds 12 people."),
        ("How many people does room 6 hold?", "Room 4 holds 6 people."),
        ("Who works on floor 7?", "On the fourth floor Ann works."),
        ("How wide is gate 8?", "Gates 1 to 7 are 3 m wide."),
        ("In which building is room 500?", "Rooms 100 to 350 are in building B."),
        ("Who works on the first floor?", "On the twenty-first floor Ann works."),
        ("Is room 9 open?", "Room 4 is open."),
        ("Who missed the eighth meeting?", "The seventh board meeting: Ann is missing."),
        ("第八次技术例会谁缺席？", "第七次技术例会缺席：钟离。"),
        ("第三周讲什么？", "第 2 周讲流速。"),
        ("What was the revenue in Q3 2022?", "In Q3 2025 it was 97 million."),
        ("How many seats has room 6?", "| Room no. | Seats |\n| --- | --- |\n| 4 | 6 |"),
    ],
)
def test_a_sentence_about_another_one_is_told_from_it(
    chunk: MakeChunk, question: str, text: str
) -> None:
    assert spoken_of(stated_in(question), sentences_of([chunk(text)])) == [False]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the default of `retry`?", "Retry is 3 by default."),
        ("Is the CP-80 new?", "The CP80 is new."),
        ("What does version 3 need?", "Since v3.2 it needs 4 GB."),
        ("Does Python 3.9 work?", "Python 3.7+ is needed."),
        ("What is Claude Instant 1.2?", "claude-instant-1.2 is a model."),
        ("What did it cost in 2020?", "It cost 3 euros from 2019 to 2021."),
        ("谁是2015年的馆长？", "2010年代的馆长是周明远。"),
        ("How much rain fell in May?", "2021-05-03: 4 mm."),
        ("What did it cost in 2019?", "It costs 3 euros."),
        ("What differs in 2019 and 2021?", "In 2021 it cost 3 euros."),
        ("What does version 3 need?", "Versions 2 and 3 need 4 GB."),
        ("What does version 3 need?", "Versions 2, 3, and 4 need 4 GB."),
        ("What does version 3 need?", "Versions 2 to 4 need 4 GB."),
        ("What does version 3 need?", "Version 4 and earlier need 4 GB."),
        ("What does version 3 need?", "Since version 2 it needs 4 GB."),
        ("What is new since version 3?", "Version 4 has a lid."),
        ("What does version 3 need?", "Until version 4 it needs 4 GB."),
        ("版本 3 需要什么？", "版本 2 和 3 需要 4 GB 内存。"),
        ("版本 3 需要什么？", "2 至 4 版需要 4 GB 内存。"),
        ("版本 3 需要什么？", "版本 4 及以前需要 4 GB 内存。"),
        ("版本 3 需要什么？", "自版本 2 起需要 4 GB 内存。"),
        ("What did it cost in 2015?", "Since 2010 it has cost 5 euros."),
        ("What did it cost in 2015?", "Until 2018 it cost 5 euros."),
        ("What did it cost in 2015?", "Between 2010 and 2018 it cost 5 euros."),
        ("What did it cost in 2020?", "In 2019/20 it cost 5 euros."),
        ("What did it cost in 2015?", "From March 2010 to May 2018 it cost 5 euros."),
        ("What did it cost in 2019?", "From 2019-05-03 it cost 3 euros."),
        ("2015年的门票是多少元？", "自2010年起门票为5元。"),
        ("2015年的门票是多少元？", "2018年以前门票为5元。"),
        ("2015年的门票是多少元？", "2010年3月至2018年5月门票为5元。"),
        ("How much rain fell in March?", "From January to May 40 mm of rain fell."),
        ("How much rain fell in January?", "November to March: 40 mm."),
        ("How much rain fell in March?", "Since January 40 mm of rain fell."),
        ("How much fell in March?", "May not exceed 5 mm."),
        ("3月的降雨量是多少？", "1月至5月降雨量为40毫米。"),
        ("3月的降雨量是多少？", "1-5月降雨量为40毫米。"),
        ("How much CO2 is emitted?", "5 tonnes of CO₂ are emitted."),
        ("How much CO2 is emitted?", "5 tonnes of CO_2 are emitted."),
        ("How do I install Node.js?", "Install Node with apt."),
        ("What does `npm run build` do?", "npm build does the bundling."),
        ("How much memory does GPT4 need?", "GPT-4 needs 40 GB."),
        ("Windows11需要几个核心？", "Windows 11 需要 2 个核心。"),
        ("What does article 12 forbid?", "Articles 10 to 15 forbid parking."),
        ("What does chapter 3 describe?", "Chapter III describes the pump."),
        ("What happens in season 2?", "The second season tells of the pump."),
        ("第12条禁止什么？", "第十条至第十五条禁止停车。"),
        ("3号线有几个车站？", "地铁三号线有 12 个车站。"),
        ("3号楼有几层？", "1至5号楼有 6 层。"),
        ("3号泵的流量是多少？", "Pump 3 delivers 40 l."),
        ("3号楼有几层？", "1、3号楼有 6 层。"),
        ("5号会议几点开始？", "5日的会议九点开始。"),
        ("2号泵的流量是多少？", "#2泵的流量为 30 升。"),
        ("2号泵的流量是多少？", "No.2 泵的流量为 30 升。"),
        ("2号泵的流量是多少？", "泵（2）的流量为 30 升。"),
        ("2号泵的流量是多少？", "泵的流量为 30 升。"),
        ("1号机组容量是多少？", "机组1容量 30 万千瓦，机组2容量 60 万千瓦。"),
        ("3号样品的含水率是多少？", "12号收到样品，含水率为 5%。"),
        ("15号晚上几点集合？", "2025-03-15 晚上 8 点集合。"),
        ("How many people does room 6 hold?", "Each room holds 12 people."),
        ("How many people does room 6 hold?", "Rooms 4 and 6 hold 12 people."),
        ("How wide is gate 8?", "Gates 1 to 9 are 3 m wide."),
        ("In which building is room 250?", "Rooms 100 to 350 are in building B."),
        ("Are rooms 4 to 6 open?", "Room 5 is open."),
        ("Who works on the 21st floor?", "On the twenty-first floor Ann works."),
        ("Is the gym on level 3?", "The gym is on level 2."),
        ("Who works on floor 7?", "On the 7th floor Ann works."),
        ("第八次技术例会谁缺席？", "第8次技术例会缺席：钟离。"),
        ("第二次登录怎么办？", "第一次使用时请设密码。"),
        ("第三课题是什么？", "第二课讲流速。"),
        ("What was the revenue in FY2022?", "In 2022 it was 97 million."),
        ("How many pupils are in grade 5?", "The fifth grade has 30."),
        ("How many seats has room 6?", "| Room | Seats |\n| --- | --- |\n| 6 | 4 |"),
        ("How far is room 6 from room 4?", "It is 3 m from room 4."),
        ("When does Fastify 4 end?", "It ends three years after its release."),
        ("How much did 2021 bring in 2021?", "It rose to 3 euros, compared to 2 in 2020."),
    ],
)
def test_a_sentence_that_may_be_about_it_is_kept(
    chunk: MakeChunk, question: str, text: str
) -> None:
    assert spoken_of(stated_in(question), sentences_of([chunk(text)])) == [True]


def test_what_a_sentence_is_about_stands_before_it_or_above_it(chunk: MakeChunk) -> None:
    asked = stated_in("2021年新建了几座泵站？")
    text = chunk("2021 年供水 3 亿立方米。新建泵站 4 座。2022 年新建 5 座。又换管 6 段。")
    assert spoken_of(asked, sentences_of([text])) == [True, True, False, False]
    below = [chunk("新建泵站 4 座。", section="2021 年"), chunk("新建 5 座。", section="2022 年")]
    assert spoken_of(asked, sentences_of(below)) == [True, False]


def test_items_and_rows_stand_each_for_itself(chunk: MakeChunk) -> None:
    table = chunk("| code | meaning |\n| --- | --- |\n| E1 | too hot |\n| E2 | too cold |")
    assert spoken_of(stated_in("What does E1 mean?"), sentences_of([table])) == [True, False]
    listed = chunk("In 2021 we built:\n\n- a pump\n- in 2022 a pier\n- a shed")
    assert spoken_of(stated_in("What was built in 2021?"), sentences_of([listed])) == [
        True,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("head", "question", "spoken"),
    [
        ("Version", "When does Fastify 4 end?", [False, True]),
        ("Release", "When does Fastify 4 end?", [False, True]),
        ("版本", "Fastify 4 何时停止维护？", [False, True]),
        ("Bar", "What does Pump 4 deliver?", [True, True]),
        ("GPA", "Which courses does Student 4 take?", [True, True]),
    ],
)
def test_a_row_that_begins_with_a_decimal_tells_of_a_version_below_such_a_head_alone(
    chunk: MakeChunk, head: str, question: str, spoken: list[bool]
) -> None:
    table = chunk(f"| {head} | End |\n| --- | --- |\n| 3.0 | 2023 |\n| 4.0 | 2025 |", "table")
    assert spoken_of(stated_in(question), sentences_of([table])) == spoken


def test_a_setting_may_be_named_right_after_what_is_said_of_it(chunk: MakeChunk) -> None:
    text = chunk("It is hover by default.\n\nTo change it, set `prefetch.strategy`.")
    asked = stated_in("What is the default of `prefetch.strategy`?")
    assert spoken_of(asked, sentences_of([text])) == [True, True]
    both = stated_in("What is the default of `prefetch.strategy` in version 3?")
    assert spoken_of(both, sentences_of([text])) == [False, False]


def test_a_price_or_a_section_is_no_other_version(chunk: MakeChunk) -> None:
    asked = stated_in("How much does version 3 cost?")
    text = chunk("Version 3 is sold to schools. It costs USD 4.50. As Section 2.1 says, pay soon.")
    assert spoken_of(asked, sentences_of([text])) == [True, True, True]
    later = chunk("Version 3 is sold to schools. Version 4 is not.", section="B")
    assert spoken_of(asked, sentences_of([later])) == [True, False]


@pytest.mark.parametrize("question", ["revenue in Q3 2022", "revenue Q3 2022", "H1 2022"])
def test_a_quarter_is_one_of_its_year(question: str) -> None:
    assert asked_years(question) == {"2022"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2019-05-03", {"2019"}),
        ("2003-05-01", {"2003"}),
        ("2008-12-01", {"2008"}),
        ("2019-05", {"2019"}),
        ("2019–21", {"2019", "2020", "2021"}),
        ("2019年至2021年", {"2019", "2020", "2021"}),
    ],
)
def test_a_day_is_no_span_of_years(text: str, told: set[str]) -> None:
    assert years(text) == told


def test_a_span_without_end_is_read_quickly(chunk: MakeChunk) -> None:
    began = time.process_time()
    assert spoken_of(stated_in("版本 3 需要什么？"), sentences_of([chunk("2010 至" * 4000)]))
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    "text",
    ["A." * 20_000, "1" * 40_000, "一" * 40_000, "1" + " " * 40_000, ("1" + " " * 40) * 1000],
)
def test_runs_of_letters_digits_and_blanks_are_read_quickly(text: str) -> None:
    began = time.process_time()
    for asked in ("Does Python 3.12 work?", "第3条禁止什么？", "3号楼有几层？"):
        for stated in stated_in(asked):
            stated.told_by(text)
    stated_in(text)
    assert time.process_time() - began < 4
