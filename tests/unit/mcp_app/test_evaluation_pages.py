"""The console's pages of evaluations, without a browser: which of two is the better one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from mcp_app.http.access import settle_access
from mcp_app.http.app import http_app
from mcp_app.server import build_server
from rag_query.contracts.evaluation import (
    CaseArtifacts,
    CaseResult,
    EvalProfile,
    EvalReport,
    MetricResult,
)
from rag_query.evaluation.runs import new_run_id, save
from rag_query.library.home import Home
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

NOW = datetime(2026, 1, 1, tzinfo=UTC)
QUICK = {"first": 10.0, "second": 30.0, "third": 20.0}
SLOW = {"first": 110.0, "second": 125.0, "third": 95.0}


def evaluated(home: Home, latencies: dict[str, float]) -> str:
    """Keep an evaluation of as many cases as there are latencies; its id."""
    profile = EvalProfile(
        dataset_id="golden",
        dataset_version="1",
        strategy_config_id="s",
        evaluator_id="evaluator.basic",
        metric_set_id="m",
        judge_profile_id=None,
        mode="retrieval_only",
        retrieval_mode="hybrid",
        top_k=10,
    )
    mean = sum(latencies.values()) / len(latencies)
    report = EvalReport(
        eval_run_id=new_run_id(),
        eval_profile_id="p",
        profile=profile,
        strategy="default",
        snapshot=1,
        started_at=NOW,
        ended_at=NOW,
        cases=len(latencies),
        failed=0,
        metrics={"nDCG@10": 0.5, "latency_ms": mean},
        counted={"latency_ms": len(latencies)},
        latency_ms={"mean": mean},
        seconds=1,
        fingerprint="f" * 32,
    )
    cases = [
        CaseResult(
            case_id=case_id,
            query="?",
            metrics=[
                MetricResult(name="nDCG@10", value=0.5),
                MetricResult(name="latency_ms", value=value),
            ],
            artifacts=CaseArtifacts(latency_ms=value),
        )
        for case_id, value in latencies.items()
    ]
    save(home, report, cases)
    return report.eval_run_id


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return build_library(
        tmp_path_factory.mktemp("evaluations") / "home", [SmallDoc("tea.md", "# Tea\n\nGreen.")]
    )


@pytest.fixture(scope="module")
def runs(home: Home) -> tuple[str, str]:
    """A quick evaluation and a slow one."""
    return evaluated(home, QUICK), evaluated(home, SLOW)


@pytest.fixture(scope="module")
def client(home: Home) -> Iterator[TestClient]:
    app = http_app(build_server(home), home, settle_access("127.0.0.1:0"))
    with TestClient(app, base_url="http://127.0.0.1") as made:
        yield made


def test_a_slower_evaluation_is_marked_as_worse(client: TestClient, runs: tuple[str, str]) -> None:
    quick, slow = runs
    shown = client.get(f"/evaluation/compare?a={quick}&b={slow}&by=latency_ms").text
    assert 'moved-down">+90.0 ms' in shown and "moved-up" not in shown
    assert "Losses (3)" in shown and "Wins (0)" in shown
    back = client.get(f"/evaluation/compare?a={slow}&b={quick}&by=latency_ms").text
    assert 'moved-up">-90.0 ms' in back and "Losses (0)" in back


def test_the_slowest_case_is_the_worst(client: TestClient, runs: tuple[str, str]) -> None:
    shown = client.get(f"/evaluation/{runs[1]}?by=latency_ms").text
    table = shown.partition('id="cases"')[2]
    assert re.findall(r'<th scope="row" class="id">(first|second|third)<', table) == [
        "second",
        "first",
        "third",
    ]


def test_a_latency_is_shown_with_its_unit(client: TestClient, runs: tuple[str, str]) -> None:
    page = " ".join(client.get(f"/evaluation/{runs[1]}").text.split())
    card = page.partition("<dt>latency_ms</dt>")[2].partition("</div>")[0]
    assert "110 ms" in card
    assert "latency_ms 110 ms" in client.get("/evaluation").text
