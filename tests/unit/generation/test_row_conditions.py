"""Of a table all rows that fulfil what a question asks of their cells are told, and no other."""

from __future__ import annotations

import pytest

from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.row_conditions import fulfilling
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk
from tests.unit.generation.test_extractive import drafted, texts

INNS = (
    "| Town | Rate (EUR) | Breakfast included | Parking |\n|---|---|---|---|\n"
    "| Arlen | 140 | yes | free |\n| Brook | 230 | no | 25 EUR |\n| Corve | 175 | yes | none |\n"
    "| Delph | 260 | no | none |"
)
OPTIONS = (
    "| 属性 | 默认值 |\n|---|---|\n| size | 12 |\n| open | false |\n| title | - |\n| wrap | true |"
)
ROOMS = (
    "| Room | Price (EUR) | Deposit (EUR) | Beds |\n|---|---|---|---|\n"
    "| Alder | 90–120 | 50 | 2 |\n| Beech | 140 | 150 | 3 |\n| No 2 | 80 | 120 | 1 |"
)
BRANCHES = (
    "| 分店 | 员工 | 食堂 | 班车 |\n|---|---|---|---|\n| 南京 | 120 | 有 | 无 |\n"
    "| 苏州 | 80 | 未知 | 有 |\n| 常州 | 60 | 无（可订餐） | 有，限早晚 |"
)
ENTRY = (
    "| Place | Adults | Children under 12 |\n|---|---|---|\n| Castle | 15 | 8 |\n"
    "| Old mill | 30 | 14 |"
)
FARES = "| Passenger | Fare |\n|---|---|\n| Adult | 12 |\n| Under 26 | 8 |\n| Over 60 | 6 |"
FEES = (
    "| Amount (EUR) | Fee (EUR) |\n|---|---|\n| up to 500 | 3 |\n| 501 to 2000 | 12 |\n"
    "| more than 2000 | 40 |"
)
CLUBS = (
    "| 社团 | 教师 | 人数 | 需要面试 | 费用（元） |\n|---|---|---|---|---|\n"
    "| 合唱团 | 林素 | 46 | 需要 | 0 |\n| 航模社 | 贺勤 | 18 | 不需要 | 240 |\n"
    "| 围棋社 | 沈岩 | 25 | 不需要 | 60 |\n| 戏剧社 | 林素 | 33 | 需要 | 120 |"
)
HALLS = (
    "| 场地 | 可容纳人数 | 投影 |\n|---|---|---|\n| 音乐厅 | 300 | ✓ |\n| 工坊 | 40 | ✗ |\n"
    "| 小剧场 | 120 | ✓ |"
)


def rows_of(question: str, text: str, analyzer: Analyzer, chunk: MakeChunk) -> list[str] | None:
    """The first cells of the rows a question means; None where it means none of a table."""
    read = read_question(question, analyzer, lambda _: 1, 60)
    sentences = statements_of([chunk(text)])
    found = fulfilling(read, sentences, analyzer)
    return [sentences[n].cells[0] for n in sorted(found.rows)] if found.table else None


@pytest.mark.parametrize(
    ("question", "text", "rows"),
    [
        ("Which towns do not include breakfast?", INNS, ["Brook", "Delph"]),
        ("Which towns include breakfast?", INNS, ["Arlen", "Corve"]),
        ("Which towns have no parking?", INNS, ["Corve", "Delph"]),
        ("Which towns have a rate higher than 200 EUR?", INNS, ["Brook", "Delph"]),
        ("Which towns include breakfast but no parking?", INNS, ["Corve"]),
        ("哪些社团不需要面试？", CLUBS, ["航模社", "围棋社"]),
        ("哪些社团需要面试？", CLUBS, ["合唱团", "戏剧社"]),
        ("哪些社团人数不超过25人？", CLUBS, ["航模社", "围棋社"]),
        ("哪些社团的费用在120元以上？", CLUBS, ["航模社", "戏剧社"]),
        ("哪些社团人数大于等于33？", CLUBS, ["合唱团", "戏剧社"]),
        ("哪些社团低于100元？", CLUBS, ["合唱团", "围棋社"]),
        ("林素的社团里哪些费用超过100元？", CLUBS, ["戏剧社"]),
        ("哪些场地没有投影？", HALLS, ["工坊"]),
        ("哪些场地能容纳100人以上？", HALLS, ["音乐厅", "小剧场"]),
        # Remarks are beside what a cell says.
        ("哪些分店没有食堂？", BRANCHES, ["常州"]),
        ("哪些分店有班车？", BRANCHES, ["苏州", "常州"]),
        # No row does.
        ("林素的哪些社团不需要面试？", CLUBS, []),
        # Nothing says which towns are by the sea, what is compared, or of which rows is asked.
        ("Which seaside towns include breakfast?", INNS, None),
        ("Which towns have more than 200?", INNS, None),
        ("Which towns cost less than 175 euros?", INNS, None),
        ("What is the fee for amounts above 500 EUR?", FEES, None),
        ("What is the fee above 500 EUR?", FEES, None),
        ("Which towns are open in winter?", INNS, None),
        # Prices that cannot be compared are no reason to compare deposits.
        ("Which rooms cost more than 100 EUR?", ROOMS, None),
        ("Which rooms have a price above 100 EUR?", ROOMS, None),
        ("Which rooms have more than 2 beds?", ROOMS, ["Beech"]),
        # What is unknown neither fulfils nor fails.
        ("哪些分店有食堂，员工超过70？", BRANCHES, None),
        # That each of several things is meant, or one of them, is not told apart.
        ("Which towns include breakfast or parking?", INNS, None),
        ("Which towns do not include breakfast or parking?", INNS, None),
        ("林素和沈岩的哪些社团需要面试？", CLUBS, None),
        ("林素或沈岩的哪些社团需要面试？", CLUBS, None),
        # A column or a row is called so.
        ("What do children under 12 pay at the old mill?", ENTRY, None),
        ("What is the fare over 60?", FARES, None),
        ("哪些社团不招新生？", CLUBS, None),
        # False is a value here, and says no to nothing.
        ("哪些属性没有默认值？", OPTIONS, None),
    ],
)
def test_the_rows_that_fulfil_what_is_asked(
    question: str,
    text: str,
    rows: list[str] | None,
    analyzer: Analyzer,
    chunk: MakeChunk,
) -> None:
    assert rows_of(question, text, analyzer, chunk) == rows


def test_an_answer_holds_all_of_them_and_nothing_else(chunk: MakeChunk, analyzer: Analyzer) -> None:
    more = "".join(f"\n| Elm {n} | {n} | no | none |" for n in range(3))
    note = "The rates are for one night, breakfast is served from seven."
    found = drafted(
        "Which towns do not include breakfast?", [chunk(f"{note}\n\n{INNS}{more}")], analyzer
    )
    first_cells = [text.split(" — ")[0] for text in texts(found)]
    assert first_cells == ["Brook", "Delph", "Elm 0", "Elm 1", "Elm 2"]
