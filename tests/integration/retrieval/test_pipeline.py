"""A plan on a real published library: what comes back, and how it is explained."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.pack import EvidencePack
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.retrieval.ask import plan_for_question
from rag_query.retrieval.exact import is_code
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.pipeline import Retriever
from rag_query.retrieval.render import pack_markdown
from tests.integration.retrieval.conftest import CHINESE, COFFEE, RECORDS, TEA
from tests.library_builder import build_library
from tests.small_documents import SmallDoc


def plan(*queries: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"version": "0.1", "queries": list(queries), **rest}


def sections(pack: EvidencePack) -> list[str | None]:
    return [evidence.metadata.section_path for evidence in pack.evidences]


@pytest.mark.parametrize("mode", ["exact", "semantic", "hybrid"])
def test_each_mode_finds_the_passage(retriever: Retriever, mode: str) -> None:
    pack = retriever.run(plan_for_question("is black tea oxidised", mode))
    assert sections(pack)[0] == "Tea / Black"
    signals = pack.evidences[0].signals
    assert (signals.fts_rank == 1) == (mode != "semantic")
    assert (signals.vector_rank == 1) == (mode != "exact")
    assert signals.rrf_score is not None
    assert signals.fused_score == pytest.approx(sum(s.contribution for s in signals.legs))


def test_chinese_is_found(retriever: Retriever) -> None:
    pack = retriever.run(plan_for_question("绿茶怎么冲泡", "exact"))
    assert pack.evidences[0].document_id == CHINESE.doc_id
    assert pack.evidences[0].language == "zh"
    assert pack.explain.queries[0].language == "zh"


def test_a_passage_with_the_very_code_comes_first(tmp_path: Path) -> None:
    texts = [f"# Note\n\nInvoice INV-2024-{n:03d} was paid by a customer." for n in range(40)]
    docs = [SmallDoc(f"note-{n}.md", text) for n, text in enumerate(texts)]
    with open_retriever(build_library(tmp_path, docs), sinks=()) as retriever:
        for question in ("which customer paid invoice INV-2024-017?", "谁付了 inv-2024-017 发票"):
            pack = retriever.run(plan_for_question(question, "hybrid"))
            found = pack.evidences
            assert "INV-2024-017" in found[0].snippet
            assert "inv-2024-017" in pack.explain.queries[0].identifiers
            weights = {s.leg: s.weight for s in found[0].signals.legs}
            assert weights == {"sparse": 0.5, "dense": pytest.approx(0.15)}
        plain = retriever.run(plan_for_question("which customer paid?", "hybrid"))
        assert plain.explain.queries[0].identifiers == []
        assert 0.5 in {s.weight for s in plain.evidences[0].signals.legs if s.leg == "dense"}


@pytest.mark.parametrize(
    "token", ["e1234", "inv-2024-017", "parse_args", "20231", "a@b.de", "v1.2"]
)
def test_what_is_a_code(token: str) -> None:
    assert is_code(token)


@pytest.mark.parametrize("token", ["tea", "2024", "1990s", "21st", "3.14", "1000", "绿茶", "t5"])
def test_what_is_none(token: str) -> None:
    assert not is_code(token)


def test_an_evidence_says_where_it_is_from(retriever: Retriever) -> None:
    pack = retriever.run(plan_for_question("E1234 tank", "exact", include_raw=True))
    first = pack.evidences[0]
    assert (first.id, first.kind) == (first.chunk_id, "resource_section")
    assert first.source_uri == COFFEE.source_uri
    assert first.source_type == "file"
    assert first.metadata.page == 2
    assert first.metadata.page_label == "p2"
    assert first.metadata.boxes[0].page == 2
    assert first.metadata.section_title == "Errors"
    assert first.metadata.section_path == "Coffee / Errors"
    assert first.metadata.version_id == COFFEE.version_id
    assert (first.metadata.version_no, first.metadata.is_latest) == (1, True)
    assert first.provenance.query_text == "E1234 tank"
    assert first.raw.debug_payload is not None
    text = COFFEE.text[first.metadata.offset_start : first.metadata.offset_end]
    assert first.raw.debug_payload["chunk_text"] == text == first.snippet


def test_a_record_keeps_its_own_id(retriever: Retriever) -> None:
    pack = retriever.run(plan_for_question("bicycles gear number 7", "exact", 1))
    assert pack.evidences[0].metadata.external_id == "7"


def test_the_pack_is_json_and_markdown(retriever: Retriever) -> None:
    pack = retriever.run(plan_for_question("green tea"))
    decoded = json.loads(json.dumps(pack.to_json()))
    assert EvidencePack.model_validate(decoded).evidences == pack.evidences
    assert pack.evidences[0].snippet.splitlines()[0] in pack_markdown(pack)
    assert str(retriever.library.home.root) not in json.dumps(decoded)


def test_the_effective_plan_replays(retriever: Retriever) -> None:
    first = retriever.run(
        plan(
            {"text": "green tea", "mode": "hybrid"},
            {"text": "oxidised", "mode": "exact", "weight": 0.5},
            purpose="research",
            budget={"top_k": 4},
        )
    )
    assert first.plan is not None
    assert first.plan["budget"]["diversity"]["by_document"] == 5
    second = retriever.run(first.plan)
    scores = [[(e.id, e.signals.fused_score) for e in p.evidences] for p in (first, second)]
    assert scores[0] == scores[1]
    assert second.plan == first.plan


@pytest.mark.parametrize("mode", ["exact", "semantic", "hybrid", "relational", "associative"])
@pytest.mark.parametrize("text", ["green tea water", "绿茶 冲泡", "the latest tea tagged leaf"])
def test_every_mode_replays_from_its_pack_on_the_same_snapshot(
    own_home: Home, mode: str, text: str
) -> None:
    with open_retriever(own_home, sinks=()) as retriever:
        before = retriever.library.snapshot()
        first = retriever.run(
            plan(
                {"text": text, "mode": mode},
                budget={"diversity": {"mmr": 0.7, "by_document": 3}},
                ranking={"prefer_official": True, "tie_breaker": "recency"},
            )
        )
    build_library(own_home.root, (TEA, CHINESE, SmallDoc("more.md", "# More\n\nMore green tea.")))
    with open_retriever(own_home, sinks=()) as other:
        again = other.run(json.loads(json.dumps(first.plan)), snapshot=other.library.at(1))
        now = other.run(first.plan or {})
    assert before.number == again.explain.snapshot == 1
    assert now.explain.snapshot == 2

    def shown(pack: EvidencePack) -> list[Any]:
        return [(e.id, e.snippet, e.signals, e.metadata) for e in pack.evidences]

    assert shown(again) == shown(first)
    assert first.evidences
    assert again.plan == first.plan
    assert again.explain.filters_applied == first.explain.filters_applied


def test_several_queries_are_fused_and_every_signal_is_kept(retriever: Retriever) -> None:
    pack = retriever.run(
        plan(
            {"text": "black tea", "mode": "exact"},
            {"text": "oxidised before it is dried", "mode": "semantic", "weight": 0.5},
            ranking={"fusion": {"method": "rrf", "rrf_k": 10}},
        )
    )
    top = pack.evidences[0]
    assert top.metadata.section_path == "Tea / Black"
    assert [(s.query_index, s.leg) for s in top.signals.legs] == [(0, "sparse"), (1, "dense")]
    assert top.signals.fused_score == pytest.approx(top.signals.rrf_score)
    assert [p.query_index for p in top.provenances] == [0, 1]
    assert top.provenance == top.provenances[0]
    assert pack.stats.by_mode.keys() == {"exact", "semantic"}
    assert pack.explain.fusion is not None
    assert (pack.explain.fusion.method, pack.explain.fusion.rrf_k) == ("rrf", 10)


def test_weights_of_the_legs_decide(retriever: Retriever) -> None:
    def top(exact: float, semantic: float) -> Any:
        weights = {"exact": exact, "semantic": semantic}
        pack = retriever.run(
            plan(
                {"text": "oxidised tank", "mode": "hybrid"},
                ranking={"fusion": {"method": "rrf", "weights": weights}},
            )
        )
        return pack.evidences[0].signals

    assert top(1, 0).fts_rank == 1
    assert top(0, 1).vector_rank == 1


def test_stats_and_explain_add_up(retriever: Retriever) -> None:
    pack = retriever.run(plan_for_question("tea water", top_k=2))
    stats = pack.stats
    assert stats.returned == len(pack.evidences) == 2
    assert stats.candidates >= max(stats.by_leg.values())
    assert stats.dense_sparse_overlap == sum(stats.by_leg.values()) - stats.candidates
    assert {"query_norm", "retrieve_sparse", "retrieve_dense", "fusion", "context_build"} <= set(
        stats.stage_ms
    )
    dropped = {drop.rule: drop.count for drop in pack.explain.dropped}
    assert dropped == {"top_k": stats.candidates - 2}
    assert pack.explain.snapshot == 1
    assert pack.explain.effective_rank_source == "fusion"
    assert pack.explain.rerank is not None
    assert not pack.explain.rerank.enabled
    assert pack.explain.profile_ids.keys() >= {"fusion", "filter", "query_norm"}


def test_limits_of_diversity_are_exact_and_reported(retriever: Retriever) -> None:
    question = {"text": "record bicycles tea water", "mode": "hybrid"}
    one_each = retriever.run(plan(question, budget={"top_k": 10, "diversity": {"by_document": 1}}))
    documents = [e.document_id for e in one_each.evidences]
    assert len(documents) == len(set(documents)) == 10
    by_source = retriever.run(plan(question, budget={"top_k": 10, "diversity": {"by_source": 2}}))
    records = [e for e in by_source.evidences if e.metadata.collection == "records"]
    assert len(records) == 2
    assert by_source.explain.diversity is not None
    assert by_source.explain.diversity.applied
    quota = retriever.run(plan(question, budget={"per_mode_k": {"hybrid": 3}}))
    assert len(quota.evidences) == 3


def test_a_big_budget_is_met_in_full(retriever: Retriever) -> None:
    pack = retriever.run(plan({"text": "tea", "mode": "semantic"}, budget={"top_k": 1000}))
    assert len(pack.evidences) == 8 + len(RECORDS)


@pytest.mark.parametrize(
    ("ranking", "first"),
    [
        ({"tie_breaker": "recency"}, 11),
        ({"tie_breaker": "source_priority", "source_priority": {"file": 1}}, None),
        ({}, None),
    ],
)
def test_ties_are_broken_as_asked(
    retriever: Retriever, ranking: dict[str, Any], first: int | None
) -> None:
    question = {"text": "bicycles", "mode": "exact"}
    pack = retriever.run(plan(question, ranking=ranking, budget={"top_k": 12}))
    ids = [evidence.metadata.external_id for evidence in pack.evidences]
    if first is not None:
        assert ids[:3] == ["11", "10", "9"]
        assert pack.evidences[0].signals.recency_score == 1.0
    else:
        assert [e.id for e in pack.evidences] == sorted(e.id for e in pack.evidences)


def test_operators_hold_for_both_legs(retriever: Retriever) -> None:
    without = retriever.run(plan_for_question("tea -oxidised"))
    assert without.evidences
    assert all("oxidised" not in e.snippet for e in without.evidences)
    required = retriever.run(plan_for_question("tea +boil"))
    assert sections(required) == ["Tea / Brewing"]
    assert "text_condition" in {drop.rule for drop in required.explain.dropped}
    phrase = retriever.run(plan_for_question('"steamed right after"'))
    assert sections(phrase) == ["Tea / Green"]


def test_a_phrase_that_stands_nowhere_is_relaxed_and_said(retriever: Retriever) -> None:
    pack = retriever.run(plan_for_question('"tea green steamed"', "exact"))
    assert "Tea / Green" in sections(pack)
    assert "stands nowhere" in pack.warnings[0]


@pytest.mark.parametrize(
    "text", ['an "unbalanced quote', "((tea", "tea AND OR NOT", "body:tea^3 ~*"]
)
def test_operators_of_other_languages_are_only_text(retriever: Retriever, text: str) -> None:
    for mode in ("exact", "hybrid"):
        pack = retriever.run(plan_for_question(text, mode))
        assert pack.evidences or pack.warnings


@pytest.mark.parametrize(
    "text", ["\x00tea\x07", "ภาษาไทย", "🍵🍵", "x" * 20_000, "tea " * 5_000, "ა ბ გ"]
)
def test_strange_text_is_answered(retriever: Retriever, text: str) -> None:
    for mode in ("exact", "semantic", "hybrid"):
        pack = retriever.run(plan_for_question(text, mode))
        assert pack.evidences or pack.warnings


def test_words_nobody_wrote_give_an_empty_pack_with_a_reason(retriever: Retriever) -> None:
    pack = retriever.run(plan_for_question("zzyzx", "exact"))
    assert pack.evidences == []
    assert pack.warnings == ["No passage holds the words of the query."]


def test_a_question_that_only_excludes_says_that_it_is_read_as_words(retriever: Retriever) -> None:
    (warning,) = retriever.run(plan_for_question("-tea -black", "exact")).warnings
    assert "(-tea, -black)" in warning and "add what to look for" in warning


def test_fields_that_do_nothing_are_named(retriever: Retriever) -> None:
    pack = retriever.run(
        plan(
            {"text": "tea", "hints": {"session": "x", "prefer_recent": "yes", "entities": 3}},
            flavour="mint",
            ranking={"rerank": {"enabled": True, "model": "qwen3-reranker"}},
        )
    )
    ignored = " | ".join(pack.explain.ignored_fields)
    assert "queries[0].hints.session is not executed" in ignored
    assert "queries[0].hints.prefer_recent is not true or false" in ignored
    assert "queries[0].hints.entities is no list of names" in ignored
    assert "flavour" in ignored
    assert "rerank model 'qwen3-reranker' ignored" in pack.warnings[0]
    assert pack.evidences


def test_output_is_as_asked(retriever: Retriever) -> None:
    bare = retriever.run(
        plan(
            {"text": "green tea", "mode": "hybrid"},
            output={
                "include_snippets": False,
                "include_signals": False,
                "include_provenance": False,
            },
        )
    ).evidences[0]
    assert bare.snippet == ""
    assert bare.signals.legs == []
    assert bare.signals.rrf_score is not None
    assert bare.provenance.mode == "hybrid"
    assert bare.provenance.query_text is None
    short = retriever.run(
        plan({"text": "green tea"}, output={"snippet_policy": "l0", "max_snippet_chars": 40})
    )
    assert all(len(e.snippet) <= 40 for e in short.evidences)
    assert short.evidences[0].snippet_policy == "l0"
    assert short.evidences[0].snippet.startswith("Tea › ")


def test_queries_run_side_by_side(retriever: Retriever) -> None:
    def ask(number: int) -> str:
        pack = retriever.run(plan_for_question(f"gear number {number % 12}", "exact", 1))
        return str(pack.evidences[0].metadata.external_id)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(48))) == [str(n % 12) for n in range(48)]


def test_a_new_snapshot_is_seen_by_the_next_query(own_home: Home) -> None:
    with open_retriever(own_home) as retriever:
        before = retriever.library.snapshot()
        assert retriever.run(plan_for_question("cocoa", "exact")).evidences == []
        build_library(own_home.root, (TEA, SmallDoc("cocoa.md", "Cocoa is a bean.")))
        after = retriever.run(plan_for_question("cocoa", "exact"))
        assert len(after.evidences) == 1
        assert after.explain.snapshot == 2
        old = retriever.run(plan_for_question("E1234", "exact"), snapshot=before)
        assert len(old.evidences) > 0


def test_an_empty_library_gives_an_empty_pack(tmp_path: Any) -> None:
    home = build_library(tmp_path / "library", ())
    with open_retriever(home) as retriever:
        for mode in ("exact", "semantic", "hybrid"):
            pack = retriever.run(plan_for_question("tea", mode))
            assert pack.evidences == []
            assert "empty" in pack.warnings[-1]


def test_a_library_never_published_says_so(tmp_path: Any) -> None:
    home = Home(tmp_path)
    with pytest.raises(ExcerptaError) as missing:
        open_retriever(home)
    assert missing.value.code == ErrorCode.LIBRARY_NOT_FOUND
    create_library(home)
    with open_retriever(home) as retriever:
        retriever.warm()
        with pytest.raises(ExcerptaError) as unpublished:
            retriever.run(plan_for_question("tea"))
    assert unpublished.value.code == ErrorCode.NOT_PUBLISHED
