"""What a question is about besides its words: settings, codes, versions, years."""

from __future__ import annotations

import pytest

from rag_query.generation.sentences import sentences_of
from rag_query.generation.stated import StatedKind, spoken_of, stated_in
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


def test_a_setting_may_be_named_right_after_what_is_said_of_it(chunk: MakeChunk) -> None:
    text = chunk("It is hover by default.\n\nTo change it, set `prefetch.strategy`.")
    asked = stated_in("What is the default of `prefetch.strategy`?")
    assert spoken_of(asked, sentences_of([text])) == [True, True]
    both = stated_in("What is the default of `prefetch.strategy` in version 3?")
    assert spoken_of(both, sentences_of([text])) == [False, False]
