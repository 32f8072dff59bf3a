"""Every filter means the same in both indexes, and acts before retrieval."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from rag_query.contracts.evidence import EvidenceItem
from rag_query.library.home import Home
from rag_query.library.snapshot import Snapshot
from rag_query.retrieval.ask import plan_for_question
from rag_query.retrieval.filters import FilterRow
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.pipeline import Retriever
from tests.integration.retrieval.conftest import CHINESE, COFFEE, RECORDS, TEA
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

#: A word of every passage, so that the sparse leg finds whatever the filter lets through.
EVERYWHERE = "tea coffee the of record 绿茶 beans raise_tank_error water"
FEBRUARY_5 = datetime(2026, 2, 5, tzinfo=UTC)


def found(retriever: Retriever, mode: str, filters: dict[str, Any]) -> list[EvidenceItem]:
    return retriever.run(plan_for_question(EVERYWHERE, mode, 1000, filters)).evidences


CASES: list[tuple[dict[str, Any], Any]] = [
    ({"document_ids": [TEA.doc_id]}, lambda e: e.document_id == TEA.doc_id),
    ({"document_ids": [TEA.doc_id, "doc_none"]}, lambda e: e.document_id == TEA.doc_id),
    ({"tag_ids": ["leaf"]}, lambda e: "leaf" in e.metadata.tags),
    ({"tag_ids": ["leaf", "drink"]}, lambda e: e.metadata.tags),
    ({"topic_ids": ["kitchen"]}, lambda e: e.document_id == TEA.doc_id),
    ({"source_type": ["manual"]}, lambda e: e.source_type == "manual"),
    ({"source_uri_prefix": ["file://inbox/guides/"]}, lambda e: "guides" in e.source_uri),
    ({"source_uri_prefix": "file://中文/zh/绿"}, lambda e: e.document_id == CHINESE.doc_id),
    ({"language": "zh"}, lambda e: e.language == "zh"),
    (
        {"time_range": {"from": "2026-01-11", "to": "2026-01-21"}},
        lambda e: e.document_id in (COFFEE.doc_id, CHINESE.doc_id),
    ),
    ({"time_range": {"from": "2026-02-05"}}, lambda e: e.metadata.created_at >= FEBRUARY_5),
    ({"time_range": {"to": "2026-01-01"}}, lambda e: e.document_id == TEA.doc_id),
    ({"collection": "records"}, lambda e: e.metadata.collection == "records"),
    ({"section_path": "Tea / Green"}, lambda e: e.metadata.section_path == "Tea / Green"),
    ({"section_path": ["Coffee"]}, lambda e: e.document_id == COFFEE.doc_id),
    ({"block_type": "code"}, lambda e: e.metadata.block_type == "code"),
    ({"has_image": True}, lambda e: e.metadata.asset_ids),
    ({"has_image": False}, lambda e: not e.metadata.asset_ids),
    ({"page_range": {"from": 2, "to": 2}}, lambda e: e.metadata.page == 2),
    ({"page_range": {"from": 1}}, lambda e: e.metadata.page is not None),
    (
        {"tag_ids": ["drink"], "language": "en", "page_range": {"to": 1}},
        lambda e: e.metadata.page == 1,
    ),
]


@pytest.mark.parametrize(("filters", "holds"), CASES, ids=[str(c[0])[:60] for c in CASES])
def test_a_filter_lets_through_exactly_what_it_says(
    retriever: Retriever, filters: dict[str, Any], holds: Any
) -> None:
    everything = {e.id: e for e in found(retriever, "semantic", {})}
    wanted = {name for name, evidence in everything.items() if holds(evidence)}
    assert wanted
    for mode in ("semantic", "exact", "hybrid"):
        assert {e.id for e in found(retriever, mode, filters)} == wanted


@pytest.mark.parametrize(
    "value", ["it's", 'a "b"', "100%", "a\\b", "[x]", "a.*", "'; drop table x; --", "{}", "(a|b)+"]
)
@pytest.mark.parametrize(
    "field", ["collection", "tag_ids", "document_ids", "source_uri_prefix", "section_path"]
)
def test_odd_values_match_nothing_and_break_nothing(
    retriever: Retriever, field: str, value: str
) -> None:
    pack = retriever.run(plan_for_question("tea", filters={field: [value]}))
    assert pack.evidences == []
    assert pack.warnings[-1] == f"No passage satisfies the filters ({field})."


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"block_type": "coed"}, "block type 'coed'; did you mean 'code'?"),
        ({"language": "other"}, "language 'other'; there are: 'en'; 'zh'."),
        ({"tag_ids": ["leaf", "Drinks"]}, "tag 'Drinks'; did you mean 'drink'?"),
        ({"section_path": "Errors"}, "section path 'Errors'; did you mean 'Coffee / Errors'?"),
        ({"section_path": "Erors"}, "section path 'Erors'; did you mean 'Coffee / Errors'?"),
        ({"section_path": "Tea"}, None),
        ({"source_uri_prefix": "file://inbox/gui"}, None),
    ],
)
def test_a_value_that_no_passage_has_is_told_beside_those_that_some_have(
    retriever: Retriever, filters: dict[str, Any], said: str | None
) -> None:
    warnings = retriever.run(plan_for_question("tea", filters=filters)).warnings
    told = [warning for warning in warnings if warning.startswith("No passage has the")]
    assert told == ([f"No passage has the {said}"] if said else [])


def test_without_filters_no_index_is_opened_for_their_values(
    retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []
    searcher = Snapshot.searcher.fget
    assert searcher is not None

    def noted(snapshot: Snapshot) -> Any:
        opened.append(snapshot)
        return searcher(snapshot)

    monkeypatch.setattr(Snapshot, "searcher", property(noted))
    for filters, times in (({}, 0), ({"language": "en"}, 1)):
        opened.clear()
        assert retriever.run(plan_for_question("tea", "semantic", filters=filters)).evidences
        assert len(opened) == times


def test_values_are_looked_for_once_and_not_without_end(
    retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def met(row: FilterRow, searcher: Any, value: str) -> bool:
        asked.append(value)
        return True

    monkeypatch.setattr(FilterRow, "met", met)
    plan = {
        "version": "0.1",
        "queries": [{"text": "tea"}, {"text": "coffee"}, {"text": "water"}],
        "global_filters": {"source_uri_prefix": [f"file://inbox/{n}" for n in range(1000)]},
    }
    retriever.run(plan)
    assert len(asked) == len(set(asked)) <= 100


def test_odd_values_that_exist_are_found(tmp_path: Any) -> None:
    odd = "it's a [test] (100%) a.b*c"
    document = SmallDoc(f"{odd}.md", f"# {odd}\n\nSome tea.", tags=(odd,))
    with open_retriever(build_library(tmp_path / "library", (document, TEA))) as retriever:
        for filters in (
            {"tag_ids": odd},
            {"section_path": odd},
            {"source_uri_prefix": document.source_uri[:-5]},
        ):
            for mode in ("exact", "semantic"):
                evidences = retriever.run(plan_for_question("tea", mode, filters=filters)).evidences
                assert [e.document_id for e in evidences] == [document.doc_id]


def test_a_narrow_filter_still_fills_the_budget(retriever: Retriever) -> None:
    """Filtering after retrieval would leave fewer than asked for."""
    plan = {
        "version": "0.1",
        "queries": [{"text": "green tea water", "mode": "hybrid"}],
        "global_filters": {"collection": "records"},
        "budget": {"top_k": len(RECORDS), "candidate_k": len(RECORDS)},
    }
    assert len(retriever.run(plan).evidences) == len(RECORDS)


def test_a_query_may_narrow_what_the_plan_filters(retriever: Retriever) -> None:
    pack = retriever.run(
        {
            "version": "0.1",
            "queries": [
                {"text": "tea", "mode": "exact"},
                {"text": "bicycles", "mode": "exact", "filters": {"collection": "records"}},
            ],
            "global_filters": {"collection": "inbox"},
        }
    )
    for evidence in pack.evidences:
        wanted = ("inbox", "records")[evidence.provenance.query_index or 0]
        assert evidence.metadata.collection == wanted
    assert pack.explain.filters_applied == {
        "collection": ["inbox"],
        "version": "latest",
        "queries[1]": {"collection": ["records"]},
    }
    plan = [(s.field, s.query_index, s.executed_in) for s in pack.explain.filter_execution_plan]
    assert ("version", None, ["sparse"]) in plan
    assert ("collection", 0, ["sparse"]) in plan
    assert ("collection", 1, ["sparse"]) in plan


def test_older_versions_are_found_when_asked_for(tmp_path: Any) -> None:
    old = SmallDoc("rules.md", "# Rules\n\nThe fee is five coins.\n\nBring your own cup.")
    new = SmallDoc("rules.md", "# Rules\n\nThe fee is nine coins.\n\nBring your own cup.")
    home: Home = build_library(tmp_path / "library", (old,))
    build_library(home.root, (new,))
    with open_retriever(home) as retriever:

        def ask(version: Any, mode: str) -> list[tuple[str, str | None, bool | None]]:
            filters = {"version": version} if version else {}
            pack = retriever.run(plan_for_question("fee coins cup", mode, filters=filters))
            return sorted(
                (e.snippet, e.metadata.version_id, e.metadata.is_latest) for e in pack.evidences
            )

        cup, five, nine = "Bring your own cup.", "The fee is five coins.", "The fee is nine coins."
        for mode in ("exact", "semantic", "hybrid"):
            assert ask(None, mode) == [(cup, new.version_id, True), (nine, new.version_id, True)]
            assert ask(old.version_id, mode) == [
                (cup, old.version_id, False),
                (five, old.version_id, False),
            ]
            assert ask("all", mode) == [
                (cup, new.version_id, True),
                (five, old.version_id, False),
                (nine, new.version_id, True),
            ]
        pack = retriever.run(plan_for_question("five", "exact", filters={"version": "all"}))
        evidence = next(e for e in pack.evidences if e.snippet == five)
        assert evidence.id == f"{evidence.chunk_id}@{old.version_id}"
