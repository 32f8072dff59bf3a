"""An evaluation through the product's own pipeline: numbers, evidence, traces, twice the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rag_assets.evaluation.subjects import prepare
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import CaseResult, EvalReport
from rag_query.evaluation.datasets import load_dataset
from rag_query.evaluation.evaluate import evaluate
from rag_query.evaluation.evaluator import EvalSettings
from rag_query.evaluation.runs import forget_cases, load_cases, load_report, reports
from rag_query.library.home import Home
from rag_query.library.snapshot import Library
from rag_query.retrieval.open import open_retriever
from rag_query.tracing.reader import find_trace
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

DOCUMENTS = [
    SmallDoc(
        "tea.md",
        "# Tea\n\n## Green\n\nGreen tea is steamed right after picking.\n\n"
        "## Black\n\nBlack tea is fully oxidised before it is dried.",
    ),
    SmallDoc("coffee.md", "# Coffee\n\nCoffee beans are roasted.", collection="beans"),
    SmallDoc("绿茶.md", "# 绿茶\n\n绿茶是不发酵的茶，采摘后立即蒸青。", language="zh"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that is only copied."""
    return build_library(tmp_path_factory.mktemp("evaluated") / "lib", DOCUMENTS).root


@pytest.fixture
def home(built: Path, tmp_path: Path) -> Home:
    return Home(shutil.copytree(built, tmp_path / "lib"))


def run(
    home: Home, cases: list[dict[str, Any]], **settings: Any
) -> tuple[EvalReport, list[CaseResult]]:
    home.datasets.mkdir(exist_ok=True)
    path = home.datasets / "small.jsonl"
    path.write_text("\n".join(json.dumps(case) for case in cases), encoding="utf-8")
    dataset = load_dataset(home, "small", Library.open(home).snapshot)
    return evaluate(home, dataset, prepare(home).subject, EvalSettings(**settings))


CASES: list[dict[str, Any]] = [
    {"case_id": "green", "query": "steamed green tea", "relevant": {"tea.md": 1}},
    {"case_id": "zh", "query": "绿茶怎么制作", "relevant": {"绿茶.md": 1}, "tags": ["zh"]},
    {
        "case_id": "scoped",
        "query": "roasted beans",
        "relevant": {"coffee.md": 1},
        "doc_scope": {"collections": ["beans"]},
    },
]


def test_numbers_with_the_evidence_behind_them(home: Home) -> None:
    report, cases = run(home, CASES)
    assert (report.cases, report.failed, report.snapshot) == (3, 0, 1)
    assert report.metrics["nDCG@10"] == 1.0
    assert report.counted == {
        "HitRate@10": 3, "Recall@10": 3, "MRR@10": 3, "nDCG@10": 3, "Coverage": 1, "latency_ms": 3
    }  # fmt: skip
    green = cases[0].artifacts
    assert {leg.source for leg in green.retrieved} == {"dense", "sparse"}
    assert green.fused[0].chunk_id == green.context[0].chunk_id
    assert green.latency_ms > 0 and "fusion" in green.stage_ms
    assert cases[2].value("Coverage") == pytest.approx(1 / len(cases[2].artifacts.context))
    assert load_report(home, report.eval_run_id) == report
    assert load_cases(home, report.eval_run_id) == cases


def test_every_number_leads_to_its_trace(home: Home) -> None:
    report, cases = run(home, CASES)
    for case in cases:
        trace = find_trace(home, case.artifacts.trace_id or "")
        assert trace is not None and trace.eval is not None
        assert (trace.eval.eval_run_id, trace.eval.case_id) == (report.eval_run_id, case.case_id)
        assert {m.name for m in trace.eval.metrics} == {m.name for m in case.metrics}


def test_two_runs_on_one_snapshot_are_the_same_apart_from_times(home: Home) -> None:
    (first, before), (second, after) = run(home, CASES), run(home, CASES, workers=3)
    assert first.eval_run_id != second.eval_run_id
    assert [case.stable() for case in before] == [case.stable() for case in after]
    assert first.fingerprint == second.fingerprint
    assert first.eval_profile_id == second.eval_profile_id
    assert run(home, CASES, top_k=3)[0].eval_profile_id != first.eval_profile_id
    assert [r.eval_run_id for r in reports(home)][-1] == first.eval_run_id


def test_what_the_library_does_not_hold_counts_as_missed(home: Home) -> None:
    gone = {"case_id": "gone", "query": "tea", "relevant": {"milk.md": 1, "tea.md": 1}}
    report, cases = run(home, [*CASES, gone])
    assert (cases[-1].unknown, cases[-1].missed) == (["milk.md"], ["milk.md"])
    assert cases[-1].value("Recall@10") == 0.5
    assert report.worst == ["gone"]
    assert any("does not hold" in warning for warning in report.warnings)


def test_a_case_goes_with_its_document_though_no_leg_found_that(home: Home) -> None:
    _, (green, *_) = run(home, CASES)
    chunk = green.artifacts.context[0]
    missed = {
        "case_id": "missed", "query": "roasted", "expected_chunk_ids": [chunk.chunk_id],
    }  # fmt: skip
    report, (case,) = run(home, [missed], retrieval_mode="exact")
    assert case.documents == {chunk.doc_id: "file://inbox/tea.md"}
    assert case.missed == [chunk.chunk_id]
    forget_cases(home, lambda doc_id: doc_id != chunk.doc_id)
    assert load_cases(home, report.eval_run_id) == []


def test_a_dataset_of_another_library_is_refused(home: Home) -> None:
    with pytest.raises(ExcerptaError) as caught:
        run(home, [{"case_id": "a", "query": "tea", "expected_chunk_ids": ["chk_unknown"]}])
    assert caught.value.code == ErrorCode.INVALID_DATASET
    assert "chk_unknown" in caught.value.message


def test_a_case_that_cannot_be_asked_fails_alone(home: Home) -> None:
    bad = {"case_id": "bad", "query": "tea", "filters": {"language": 3}, "relevant": {"tea.md": 1}}
    report, cases = run(home, [CASES[0], bad])
    assert report.failed == 1
    assert cases[1].artifacts.error and cases[1].artifacts.error["code"] == "INVALID_FILTER"
    assert cases[1].value("nDCG@10") == 0.0


def test_a_leg_that_fails_in_every_case_is_reported(home: Home) -> None:
    part = Library.open(home).snapshot().manifest.bm25
    assert part is not None
    (home.root / part.path / "meta.json").write_text("{}")
    report, _ = run(home, CASES)
    assert any(w.startswith("3 of 3 cases: sparse_failed") for w in report.warnings)


def test_logged_questions_become_cases(home: Home) -> None:
    from rag_query.retrieval.ask import plan_for_question

    with open_retriever(home) as retriever:
        for text in ("steamed tea", "steamed tea", "roasted"):
            retriever.run(plan_for_question(text))
    run(home, CASES)  # its questions are no user's
    (home.datasets / "log.yaml").write_text(
        "provider: dataset.query_log\nparams: {label: returned, best: 1}"
    )
    dataset = load_dataset(home, "log", Library.open(home).snapshot)
    assert {case.query for case in dataset.cases} == {"steamed tea", "roasted"}
    report, _ = evaluate(home, dataset, prepare(home).subject, EvalSettings())
    assert report.metrics["HitRate@10"] == 1.0
