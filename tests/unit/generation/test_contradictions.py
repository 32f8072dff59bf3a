"""Two sentences of one document that cannot both be true, and those that merely look alike."""

from __future__ import annotations

import pytest

from rag_query.generation.answers.contradictions import contradictions
from rag_query.generation.passages.sentences import sentences_of
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.library.places import Place
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk


def nowhere(*_: object) -> Place:
    return Place()


def found(analyzer: Analyzer, chunk: MakeChunk, question: str, *texts: str) -> list[str]:
    asked = read_question(question, analyzer, lambda _: 5, 1000)
    scored = score_sentences(asked, sentences_of([chunk(t) for t in texts]), analyzer)
    best = sorted(scored, key=lambda s: -s.score)[:1]
    return [c.about for c in contradictions(asked, best, scored, analyzer, nowhere)]


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("第六届立法会有多少个议席？", "第六届立法会共有170个议席。", "第六届立法会共有70个议席。"),
        ("Who acquired Instagram?", "In 2012 Apple acquired Instagram for $1 billion.",
         "In 2012 Facebook acquired Instagram for $1 billion."),
        ("May the caramel be stirred?", "The caramel may be stirred while it melts.",
         "The caramel may not be stirred while it melts."),
        ("2019年军运会在哪里举办？", "2019年军运会的主办城市是四川成都。",
         "2019年军运会的主办城市是湖北武汉。"),
        ("When was Splatoon 2 released?", "It was released on July 1, 2007.",
         "It was released on July 21, 2017."),
        ("《小时代》的作者是谁？", "本片由原著作者韩寒担当编剧并执导，杨幂、柯震东、郭采洁主演。",
         "本片由原著作者郭敬明担当编剧并执导，杨幂、柯震东、郭采洁主演。"),
    ],
)  # fmt: skip
def test_what_cannot_both_be_true_is_shown(
    analyzer: Analyzer, chunk: MakeChunk, question: str, first: str, second: str
) -> None:
    assert found(analyzer, chunk, question, first, second)


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("Where does sensor 3 stand?", "Sensor 3 stands at mark 21 of the pier.",
         "Sensor 4 stands at mark 28 of the pier."),
        ("Who won in 2018?", "Angelique Kerber won the title in 2018.",
         "Simona Halep won the title in 2019."),
        ("冰糖放多少？", "- 冰糖：50g 左右", "- 白糖：30g 左右"),
        ("How long does the calibration take?", "The calibration takes 3 hours.",
         "The calibration was first done in 1954."),
        ("What is the melting point?", "The flash point is -20 °C.", "The boiling point is 56 °C."),
        ("When is it open on Mondays?", "On Saturdays it opens at 9:00.",
         "On Sundays it opens at 10:00."),
        ("When is tea picked?", "Tea is picked in May.", "Tea is picked in May."),
    ],
)  # fmt: skip
def test_what_is_about_different_things_is_not(
    analyzer: Analyzer, chunk: MakeChunk, question: str, first: str, second: str
) -> None:
    assert found(analyzer, chunk, question, first, second) == []


SETTINGS = """#### `retry-longest`

The "longest" wait of the `retry` module between two attempts.

#### `retry-shortest`

The "shortest" wait of the `retry` module between two attempts.

#### `fetch`

`open` lets any pump module be fetched from the server.

`shut` lets no pump module be fetched from the server.
"""
TWICE = """## Opening hours

The swimming pool opens at 9:00 in summer.

## Rules of the pool

The swimming pool opens at 8:00 in summer.

## 2. Keys

The key of a locker costs 2 euros.

## Lost in the water

The key of a locker costs 3 euros in all.
"""


def test_what_the_headings_tell_apart_is_about_two_things(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert found(analyzer, chunk, "What is the wait between two attempts?", SETTINGS) == []
    assert found(analyzer, chunk, "Can a pump module be fetched from the server?", SETTINGS) == []
    assert found(analyzer, chunk, "When does the swimming pool open?", TWICE)
    assert found(analyzer, chunk, "What does the key of a locker cost?", TWICE)
