"""What a question's own words say: filters, synonyms, wildcards; always reported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rag_query.contracts.pack import EvidencePack
from rag_query.library.home import Home
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.pipeline import Retriever
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

HANDBOOK = SmallDoc(
    "station-handbook.md",
    "# Sable Bay Station Handbook\n\nThe shutter is closed in a storm.\n\n"
    "Calibrating the receiver takes an hour.",
    tags=("storm",),
)
GUIDE = SmallDoc(
    "guide.md",
    "# Calibration Guide\n\nThe shutter is opened for calibration.\n\n"
    "The uninterruptible power supply feeds the logger.",
    collection="manuals",
    days=40,
)
OBSERVING = SmallDoc(
    "观测手册.md",
    "# 观测手册\n\n暴风时关闭快门。\n\n不间断电源为记录仪供电。",
    language="zh",
    tags=("观测",),
)
TROUBLE = SmallDoc(
    "故障.md", "# 故障排查\n\n暴风后检查快门。\n\n校准接收机需要一小时。", language="zh", days=40
)
DOCUMENTS = (HANDBOOK, GUIDE, OBSERVING, TROUBLE)
SYNONYMS = """
# Abbreviations
ups, uninterruptible power supply, 不间断电源
下雨 => 暴风
broken line
"""


@pytest.fixture(scope="module")
def station_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = build_library(tmp_path_factory.mktemp("station"), DOCUMENTS)
    home.synonyms.write_text(SYNONYMS, encoding="utf-8")
    return home


@pytest.fixture(scope="module")
def station(station_home: Home) -> Iterator[Retriever]:
    with open_retriever(station_home) as opened:
        yield opened


def ask(retriever: Retriever, text: str, mode: str = "exact", **query: Any) -> EvidencePack:
    plan = {"version": "0.1", "queries": [{"text": text, "mode": mode, **query}]}
    return retriever.run(plan)


def documents(pack: EvidencePack) -> set[str | None]:
    return {evidence.document_id for evidence in pack.evidences}


@pytest.mark.parametrize(
    "case",
    [
        ("when is the shutter closed, in the handbook?", "document_ids", None, HANDBOOK),
        ("what does the shutter do in the station handbook", "document_ids", None, HANDBOOK),
        ("shutter in station-handbook.md", "document_ids", None, HANDBOOK),
        ("观测手册里快门怎么办", "document_ids", None, OBSERVING),
        ("根据《故障排查》检查快门", "document_ids", None, TROUBLE),
        ("shutter since 2026-02", "time_range", {"from": "2026-02-01"}, GUIDE),
        ("2026年2月以来的快门", "time_range", {"from": "2026-02-01"}, TROUBLE),
        ("shutter tagged storm", "tag_ids", ["storm"], HANDBOOK),
        ("快门 标签为观测", "tag_ids", ["观测"], OBSERVING),
        ("shutter in the manuals collection", "collection", ["manuals"], GUIDE),
    ],
)
@pytest.mark.parametrize("mode", ["exact", "semantic", "hybrid"])
def test_a_condition_a_question_states_holds_and_is_reported(
    station: Retriever, mode: str, case: tuple[str, str, Any, SmallDoc]
) -> None:
    text, field, value, document = case
    pack = ask(station, text, mode)
    (condition,) = pack.explain.queries[0].parsed_filters
    assert condition.field == field
    assert condition.value == (value or [document.doc_id])
    assert condition.applied
    assert condition.words in text
    assert document.doc_id in documents(pack)
    if field != "time_range":
        assert documents(pack) == {document.doc_id}
    assert pack.explain.filters_applied["queries[0]"] == {field: condition.value}
    step = next(s for s in pack.explain.filter_execution_plan if s.field == field)
    assert (step.source, step.query_index) == ("question", 0)
    assert not pack.warnings[1:]


@pytest.mark.parametrize(
    "text",
    [
        "the shutter in the guidebook of another library",
        "is the shutter handbook thick",
        "shutter tagged sunshine",
        "the shutter after 2026 readings",
        "how did the shutter change before 2020",
        "手册里说了什么快门吗？报告里呢",
        "shutter in the collection",
        "2026年的快门",
        "#include shutter",
    ],
)
def test_what_may_mean_something_else_is_only_text(station: Retriever, text: str) -> None:
    pack = ask(station, text, "hybrid")
    assert [c for c in pack.explain.queries[0].parsed_filters if c.field != "document_ids"] == []
    if "手册" not in text:
        assert pack.explain.queries[0].parsed_filters == []
        assert len(documents(pack)) > 1


def test_a_stated_condition_never_empties_an_answer(station: Retriever) -> None:
    pack = ask(station, "shutter since 2099", "hybrid")
    assert pack.evidences
    (condition,) = pack.explain.queries[0].parsed_filters
    assert (condition.applied, condition.reason) == (False, "nothing satisfies it")
    assert any("leaves nothing" in warning for warning in pack.warnings)
    assert pack.explain.filters_applied == {"version": "latest"}


def test_the_plan_wins_over_the_question(station: Retriever) -> None:
    filters = {"document_ids": [GUIDE.doc_id]}
    pack = ask(station, "shutter in the handbook", filters=filters)
    assert documents(pack) == {GUIDE.doc_id}
    (condition,) = pack.explain.queries[0].parsed_filters
    assert not condition.applied
    pack = ask(station, "shutter in the handbook", hints={"plain": True})
    assert pack.explain.queries[0].parsed_filters == []
    assert len(documents(pack)) > 1


@pytest.mark.parametrize(
    ("text", "written", "document"),
    [
        ("UPS", "ups", GUIDE),
        ("UPS", "ups", OBSERVING),
        ("uninterruptible power supply", "uninterruptible power supply", OBSERVING),
        ("不间断电源", "不间断电源", GUIDE),
        ("下雨时怎么办", "下雨", OBSERVING),
    ],
)
def test_synonyms_and_abbreviations_are_found_and_reported(
    station: Retriever, text: str, written: str, document: SmallDoc
) -> None:
    pack = ask(station, text)
    assert document.doc_id in documents(pack)
    (use,) = pack.explain.queries[0].synonyms
    assert use.written == written
    assert 0 < use.weight < 1
    assert "synonyms" in pack.explain.profile_ids
    assert pack.warnings == ["synonyms: synonyms.txt, line 5: nothing stands for anything"]


def test_a_synonym_of_one_direction_does_not_go_the_other_way(station: Retriever) -> None:
    assert ask(station, "暴风").explain.queries[0].synonyms == []


def test_an_unreadable_file_of_synonyms_is_named_and_fails_nothing(tmp_path: Any) -> None:
    home = build_library(tmp_path / "library", (HANDBOOK,))
    home.synonyms.write_bytes(b"\xff\xfe\x00")
    with open_retriever(home) as retriever:
        pack = ask(retriever, "shutter")
    assert pack.evidences
    assert pack.warnings == ["synonyms: synonyms.txt cannot be read (UnicodeDecodeError)"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("calib*", {HANDBOOK.doc_id, GUIDE.doc_id}),
        ("calibratio*", {HANDBOOK.doc_id, GUIDE.doc_id}),
        ("shuter~1", {HANDBOOK.doc_id, GUIDE.doc_id}),
        ("shtuter~", {HANDBOOK.doc_id, GUIDE.doc_id}),
        ("+calib* shutter", {GUIDE.doc_id, HANDBOOK.doc_id}),
        ("shutter -calib*", {HANDBOOK.doc_id}),
        ("不间*", {OBSERVING.doc_id}),
        ("快们~1", {OBSERVING.doc_id, TROUBLE.doc_id}),
        ("+校* 接收机", {TROUBLE.doc_id}),
        ("快门 -暴风*", set()),
        ("zzz*", set()),
    ],
)
def test_prefixes_and_near_spellings(station: Retriever, text: str, found: set[str]) -> None:
    pack = ask(station, text, hints={"plain": True})
    assert documents(pack) == found
    if text == "shutter -calib*":
        assert all("alibrat" not in e.snippet for e in pack.evidences)
    if text[0] not in "+" and " " not in text:
        assert pack.explain.queries[0].wildcards == [text]


@pytest.mark.parametrize("text", ["a*", "*", "~", "2 * 3", "~/notes", "a~b", "**bold**", "foo~7"])
def test_stars_and_tildes_of_prose_are_prose(station: Retriever, text: str) -> None:
    assert ask(station, text, "hybrid").explain.queries[0].wildcards == []


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ('"closed in a storm"', {HANDBOOK.doc_id}),
        ('"暴风时关闭"', {OBSERVING.doc_id}),
        ('+shutter -"closed in a storm"', {GUIDE.doc_id}),
        ("快门 +检查", {TROUBLE.doc_id}),
        ("快门 -检查", {OBSERVING.doc_id}),
    ],
)
@pytest.mark.parametrize("mode", ["exact", "hybrid"])
def test_phrases_required_and_excluded_in_both_languages(
    station: Retriever, mode: str, text: str, sections: set[str]
) -> None:
    pack = ask(station, text, mode)
    held = [e for e in pack.evidences if e.signals.fts_rank or mode == "exact"]
    assert {e.document_id for e in held} == sections


def test_a_title_weighs_more_than_nothing(station: Retriever) -> None:
    pack = ask(station, "calibration")
    assert pack.evidences[0].document_id == GUIDE.doc_id
