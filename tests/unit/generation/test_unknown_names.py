"""Names of a question that a library does not hold, and the ways in which it may hold them."""

from __future__ import annotations

import pytest

from rag_query.generation.questions.unknown_names import is_said, unknown_names
from rag_query.text.analysis import Analyzer

OFFICES = (
    "The Berlin office is open. Oslo too. The pump P3, the X2. 柏林办公室，奥斯陆办公室。白岳峰。"
    " Karin Vogel. where is the office of it who does"
)


def unknown(question: str, analyzer: Analyzer) -> set[str]:
    held = set(analyzer.tokens(OFFICES))
    return set(unknown_names(question, analyzer, lambda token: int(token in held)))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Where is the Madrid office?", {"Madrid"}),
        ("Who is Karin Schmidt?", {"Schmidt"}),
        ("How long does the X2 Mini fly?", {"Mini"}),
        ("马德里办公室在哪里？", {"马德里"}),
        ("馬德里辦公室在哪裡？", {"马德里"}),
        ("巴黎办公室有多少员工？", {"巴黎"}),
        ("X2 Mini飞多久？", {"Mini"}),
        ("Who is Jan van der Berg?", {"Berg"}),
    ],
)
def test_a_name_that_stands_nowhere(question: str, names: set[str], analyzer: Analyzer) -> None:
    assert unknown(question, analyzer) == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("苏州市垃圾分类办法什么时候开始实施？", {"苏州市"}),
        ("郑州市的办法什么时候开始实施？", {"郑州市"}),
        ("廣州市垃圾分類辦法什麼時候開始實施？", {"广州市"}),
        ("杭州市垃圾分类办法什么时候开始实施？", set()),
        ("杭州的垃圾分类办法什么时候开始实施？", set()),
    ],
)
def test_a_city_is_not_another_whose_name_ends_alike(
    question: str, names: set[str], analyzer: Analyzer
) -> None:
    text = "杭州市垃圾分类办法自2023年8月1日起实施。"
    held = set(analyzer.tokens(text))
    found = unknown_names(question, analyzer, lambda token: int(token in held))
    assert found == names
    assert not any(is_said(name, text) for name in names)


@pytest.mark.parametrize(
    "question",
    [
        "Where is the BERLIN office?",
        "Where is the Berlin-office?",
        "Madrid has which office?",  # The first word of a sentence tells nothing.
        "Show the office. List its visitors.",
        "Where Is The Reception Of It?",
        "Does the Berlin office have an API or LEDs?",
        "Is the office open on Monday or in May?",
        "How warm is Oslo in Celsius?",
        "What does Mrs Vogel do?",
        "What does Mr Vogel do?",
        "HOW MANY EMPLOYEES DOES IT HAVE?",
        "Wie viele Tage Urlaub bekommen die Mitarbeiter?",
        "Was kostet der Versand?",
        "Which is the office, Berlin or Paris?",
        "Bratislava办公室在哪里？",  # May be written in Chinese.
        "白岳峰现在哪里？",  # Cut into 白岳峰现 and 在.
        "海边的东西在哪里？",
        "西区的办公室在哪里？",
        "大楼的负责人是谁？",
    ],
)
def test_what_may_be_said_by_other_words(question: str, analyzer: Analyzer) -> None:
    assert unknown(question, analyzer) == set()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Superbowl", "the Super Bowl of 2016"),
        ("Lighthouse", "a light-house"),
        ("Norwegian", "offices in Norway"),
        ("France", "the French office"),
        ("Ghandi", "Gandhi was born in 1869"),
        ("Denmark", "the Danish office"),
        ("Dutch", "sold in the Netherlands"),
        ("Canada", "our Canadian customers"),
        ("Berliner", "made in Berlin"),
        ("Munich", "das Büro in München"),
        ("Mueller", "Karl Müller"),
        ("Muller", "Karl Müller"),
        ("Uetz", "Karl Ütz"),
        ("Malmö", "the office in MALMO"),
        ("Bluetooth", "it has Bluetooth5"),
        ("台湾", "我們在台灣的辦公室"),
        ("白岳峰现", "白岳峰效力于上海"),
        ("Oslo", "the ＯＳＬＯ office"),
    ],
)
def test_a_name_in_another_spelling(name: str, text: str) -> None:
    assert is_said(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Madrid", "The Berlin office is made of wood"),
        ("马德里", "柏林办公室，德国"),
        ("Thomas", "All of these rules apply."),
        ("Brian", "The branch is closed."),
        ("Brazil", "The branch is closed."),
        ("Luke", "Lunch is at noon."),
        ("Portugal", "Open the portal."),
        ("Parker", "Parking is free."),
        ("Peru", "It costs 5 EUR per user."),
        ("Rome", "Mails from each person"),
        ("Visa", "It is advisable."),
        ("Mark", "Use the marker."),
        ("Cooper", "in cooperation with us"),
        ("Austria", "the Australia office"),
    ],
)
def test_another_name_is_not_the_same(name: str, text: str) -> None:
    assert not is_said(name, text)
