"""Evaluations that generate: the product's own answers, cited, refused where nothing answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rag_assets.evaluation.subjects import prepare
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import CaseResult, EvalReport
from rag_query.evaluation.datasets import load_dataset
from rag_query.evaluation.evaluate import evaluate
from rag_query.evaluation.evaluator import EvalSettings
from rag_query.library.home import Home
from rag_query.library.snapshot import Library
from rag_query.tracing.reader import find_trace
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

DOCUMENTS = [
    SmallDoc(
        "tea.md",
        "# Green tea\n\n## Making\n\nGreen tea is steamed right after picking.\n\n"
        "## Water\n\nWater for green tea should not boil.",
    ),
    SmallDoc("radar.md", "# Radar\n\nThe radar shutter is closed when the wind exceeds 32 m/s."),
]
CASES: list[dict[str, Any]] = [
    {
        "case_id": "shutter",
        "query": "At which wind is the radar shutter closed?",
        "relevant": {"radar.md": 1},
        "expected_answer": "The radar shutter is closed when the wind exceeds 32 m/s.",
    },
    {
        "case_id": "nothing",
        "query": "How many kilometres is it from Lisbon to Porto?",
        "answerable": False,
    },
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return build_library(tmp_path_factory.mktemp("answers") / "lib", DOCUMENTS)


def run(
    home: Home, cases: list[dict[str, Any]], **settings: Any
) -> tuple[EvalReport, list[CaseResult]]:
    home.datasets.mkdir(exist_ok=True)
    (home.datasets / "asked.jsonl").write_text("\n".join(map(json.dumps, cases)))
    dataset = load_dataset(home, "asked", Library.open(home).snapshot)
    return evaluate(home, dataset, prepare(home).subject, EvalSettings(**settings))


def test_answers_are_cited_and_judged(home: Home) -> None:
    report, (shutter, nothing) = run(
        home, CASES, mode="end_to_end", evaluator="evaluator.judge", judge="judge.rules"
    )
    assert report.judge is not None and report.judge.judge_provider_id == "judge.rules"
    answer = shutter.artifacts
    assert answer.answer_markdown and "32 m/s" in answer.answer_markdown
    assert answer.refused is False
    assert answer.citations and all(citation.returned for citation in answer.citations)
    assert shutter.value("CitationPrecision") == shutter.value("CitationCoverage") == 1.0
    assert shutter.value("Faithfulness") == 1.0
    assert shutter.value("AnswerCorrectness") == 1.0
    assert shutter.value("nDCG@10") == 1.0
    assert nothing.artifacts.refused is True
    assert (report.metrics["RefusalPrecision"], report.metrics["RefusalRecall"]) == (1.0, 1.0)


def test_the_trace_of_an_answer_has_its_metrics(home: Home) -> None:
    report, (shutter, _) = run(home, CASES, mode="end_to_end")
    trace = find_trace(home, shutter.artifacts.trace_id or "")
    assert trace is not None and trace.eval is not None
    assert trace.eval.eval_run_id == report.eval_run_id
    assert any(span.name == "stage.generate" for span in trace.spans)
    # The conversations of an evaluation are nobody's.
    assert not list(home.root.glob("conversations/*"))


def test_a_fixed_context_is_one_document(home: Home) -> None:
    fixed = [CASES[0] | {"query": "What is closed?"}]
    _, (case,) = run(home, fixed, mode="generation_only")
    assert case.artifacts.error is None
    documents = {item.doc_id for item in case.artifacts.context}
    assert documents == {DOCUMENTS[1].doc_id}


def test_a_case_without_a_context_fails_alone(home: Home) -> None:
    _, (_, nothing) = run(home, CASES, mode="generation_only")
    assert nothing.artifacts.error is not None
    assert nothing.artifacts.error["code"] == "INVALID_DATASET"


def test_answers_twice_are_the_same(home: Home) -> None:
    first, _ = run(home, CASES, mode="end_to_end")
    second, _ = run(home, CASES, mode="end_to_end")
    assert first.fingerprint == second.fingerprint


def test_a_judge_that_always_talks_nonsense_ends_the_evaluation(home: Home) -> None:
    with pytest.raises(ExcerptaError) as caught:
        run(
            home,
            CASES,
            mode="end_to_end",
            evaluator="evaluator.judge",
            judge="judge.llm",
            judge_params={"llm": "llm.fake", "llm_params": {"replies": ["Splendid!"]}},
        )
    assert caught.value.code == ErrorCode.JUDGE_FAILED


def test_a_judge_that_talks_nonsense_now_and_then_is_reported(home: Home, tmp_path: Path) -> None:
    good = {"score": 1, "reason": "so it is"}
    verdict = json.dumps({"faithfulness": good, "relevancy": good})
    again = CASES[0] | {"case_id": "again", "query": "When is the radar shutter closed?"}
    report, (first, second) = run(
        home,
        [CASES[0], again],
        mode="end_to_end",
        evaluator="evaluator.judge",
        judge="judge.llm",
        judge_params={"llm": "llm.fake", "llm_params": {"replies": ["Splendid!", verdict]}},
    )
    assert first.value("Faithfulness") is None
    assert second.value("Faithfulness") == 1.0
    assert report.counted["Faithfulness"] == 1
    assert any("could not score 1 cases" in warning for warning in report.warnings)
