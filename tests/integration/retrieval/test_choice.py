"""Preferences, difference and repeated evidence on a real library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rag_query.contracts.pack import EvidencePack
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.pipeline import Retriever
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

GAUGE = "The gauge at the pier is read at noon and the reading goes into the log. " * 4
#: Three that say the same in other places, one of another number, one of another kind.
SAME = tuple(SmallDoc(f"copies/{n}.md", f"# Copy\n\n{GAUGE}") for n in range(3))
OTHER = SmallDoc("other.md", f"# Other\n\nPier 9. {GAUGE}")
OLD = SmallDoc("old.md", "# Old\n\nThe pier has a gauge of brass.", tags=("Official",))
NEW = SmallDoc("new.md", "# New\n\nThe pier has a gauge of steel.", days=100, asset_ids=("b" * 64,))
CHINESE = SmallDoc("zh.md", "# 码头\n\n码头上的水位计每天中午读数。", language="zh", days=50)


@pytest.fixture(scope="module")
def gauges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    documents = (*SAME, OTHER, OLD, NEW, CHINESE)
    home = build_library(tmp_path_factory.mktemp("gauges"), documents)
    with open_retriever(home) as opened:
        yield opened


def ask(retriever: Retriever, text: str = "gauge pier", mode: str = "hybrid", **rest: Any) -> Any:
    plan = {"version": "0.1", "queries": [{"text": text, "mode": mode}], **rest}
    pack = retriever.run(plan)
    assert isinstance(pack, EvidencePack)
    return pack


def test_near_duplicates_are_one_evidence_that_names_and_counts_the_others(
    gauges: Retriever,
) -> None:
    pack = ask(gauges, "gauge pier noon log")
    copies = [e for e in pack.evidences if e.source_uri.startswith("file://inbox/copies/")]
    assert len(copies) == 1
    assert copies[0].metadata.duplicate_count == 2
    kept = ask(gauges, "gauge pier noon log", budget={"diversity": {"near_duplicates": "keep"}})
    ids = {e.id for e in kept.evidences if e.source_uri.startswith("file://inbox/copies/")}
    assert {copies[0].id, *copies[0].metadata.duplicates} == ids
    assert len(ids) == 3
    assert pack.explain.diversity.duplicates_collapsed == 2
    dropped = {drop.rule: drop for drop in pack.explain.dropped}
    assert set(dropped["near_duplicate"].samples) == set(copies[0].metadata.duplicates)
    assert OTHER.doc_id in {e.document_id for e in pack.evidences}


@pytest.mark.parametrize("preference", ["recent", "official", "has_image"])
def test_a_preference_orders_drops_nothing_and_is_shown(gauges: Retriever, preference: str) -> None:
    text = "the pier has a gauge of"
    plain = ask(gauges, text, mode="exact")
    preferred = ask(gauges, text, mode="exact", ranking={f"prefer_{preference}": True})
    assert {e.id for e in plain.evidences} == {e.id for e in preferred.evidences}
    assert plain.evidences[0].signals.boosts == []
    wanted = OLD if preference == "official" else NEW
    first = preferred.evidences[0]
    assert first.document_id == wanted.doc_id
    (boost,) = first.signals.boosts
    assert (boost.name, boost.feature, boost.added) == (preference, 1.0, boost.weight)
    step = next(s for s in preferred.explain.filter_execution_plan if s.strength == "soft")
    assert (step.field, step.stage, step.missing) == (f"prefer_{preference}", "rerank", "no_boost")
    finals = [e.signals.final_score for e in preferred.evidences]
    assert finals == sorted(finals, reverse=True)


@pytest.mark.parametrize(
    ("text", "preference"),
    [
        ("the latest gauge", "recent"),
        ("最新的水位计", "recent"),
        ("official gauge", "official"),
        ("官方的水位计", "official"),
        ("a photo of the gauge", "has_image"),
        ("水位计照片", "has_image"),
    ],
)
def test_a_question_states_a_preference(gauges: Retriever, text: str, preference: str) -> None:
    pack = ask(gauges, text)
    assert pack.explain.queries[0].parsed_preferences == [preference]
    assert pack.evidences[0].signals.boosts[0].name == preference
    hinted = {"text": "gauge", "hints": {f"prefer_{preference}": True}}
    pack = gauges.run({"version": "0.1", "queries": [hinted]})
    assert pack.evidences[0].signals.boosts[0].name == preference
    plain = {"text": text, "hints": {"plain": True}}
    pack = gauges.run({"version": "0.1", "queries": [plain]})
    assert pack.evidences[0].signals.boosts == []


def test_mmr_shows_other_sides_first(gauges: Retriever) -> None:
    budget = {"top_k": 3, "diversity": {"near_duplicates": "keep"}}
    plain = ask(gauges, "gauge pier noon log", budget=budget)
    budget["diversity"] = {"near_duplicates": "keep", "mmr": 0.3}
    pack = ask(gauges, "gauge pier noon log", budget=budget)
    copies = [
        sum(e.source_uri.startswith("file://inbox/copies/") for e in p.evidences)
        for p in (plain, pack)
    ]
    assert copies[0] > copies[1]
    assert pack.evidences[0].id == plain.evidences[0].id
    assert (pack.explain.diversity.mmr, pack.explain.diversity.mmr_similarity) == (0.3, "vectors")


def test_a_budget_is_met_exactly_though_candidates_say_the_same(gauges: Retriever) -> None:
    everything = ask(gauges, budget={"top_k": 1000}, mode="semantic")
    for top_k in range(1, len(everything.evidences) + 1):
        pack = ask(gauges, budget={"top_k": top_k}, mode="semantic")
        assert len(pack.evidences) == top_k
        assert [e.id for e in pack.evidences] == [e.id for e in everything.evidences[:top_k]]


def test_quotas_by_mode_are_met_exactly(gauges: Retriever) -> None:
    plan = {
        "version": "0.1",
        "queries": [
            {"text": "gauge pier", "mode": "exact"},
            {"text": "gauge pier", "mode": "semantic"},
        ],
        "budget": {"top_k": 5, "per_mode_k": {"exact": 2, "semantic": 3}},
    }
    modes = [e.provenance.mode for e in gauges.run(plan).evidences]
    assert (modes.count("exact"), modes.count("semantic")) == (2, 3)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("gauge brass", {"gauge", "brass"}),
        ("水位计 中午", {"水位计", "中午"}),
        ("水位計", {"水位计"}),
    ],
)
def test_matched_words_are_named_by_offset(gauges: Retriever, text: str, marked: set[str]) -> None:
    pack = ask(gauges, text, mode="exact")
    first = pack.evidences[0]
    assert {first.snippet[start:end] for start, end in first.metadata.matches} == marked
