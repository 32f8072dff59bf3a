"""``excerpta eval``: the table, the comparison, and what it says when something is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from rag_query.library.home import Home
from tests.hashed_words import small_strategy
from tests.unit.mcp_app.test_command_line import document, run


@pytest.fixture(scope="module")
def evaluated(library: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A copy of the library with a dataset."""
    root = tmp_path_factory.mktemp("evaluated") / "home"
    shutil.copytree(library.root, root)
    home = Home(root)
    cases = [
        {"case_id": "tea", "query": "steamed tea", "relevant": {"tea.md": 1}},
        {"case_id": "zh", "query": "备份 加密", "relevant": {"zh.md": 1}},
        {"case_id": "long", "query": "story about the sea", "relevant": {"long.md": 1}},
    ]
    home.datasets.mkdir()
    (home.datasets / "golden.jsonl").write_text("\n".join(map(json.dumps, cases)))
    return home


@pytest.fixture(scope="module")
def rrf(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A strategy that only fuses otherwise."""
    full: dict[str, Any] = small_strategy().model_dump(mode="json")
    full["name"] = "rrf"
    full["stages"]["fusion"] = {"provider": "fusion.default", "params": {"method": "rrf"}}
    path = tmp_path_factory.mktemp("strategies") / "rrf.yaml"
    path.write_text(yaml.safe_dump(full))
    return str(path)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("strategies") / "small.yaml"
    path.write_text(yaml.safe_dump(small_strategy().model_dump(mode="json") | {"name": "small"}))
    return str(path)


def test_one_strategy_is_a_table(evaluated: Home) -> None:
    shown = run(evaluated, "eval", "--dataset", "golden").stdout
    assert "golden: 3 cases, retrieval_only, hybrid, top 10" in shown
    for part in ("HitRate@10", "nDCG@10", "latency p95", "fingerprint", "evr_"):
        assert part in shown


def test_two_strategies_are_compared(evaluated: Home, published: str, rrf: str) -> None:
    asked = ("eval", "-d", "golden", "--strategies", f"{published},{rrf}")
    made = document(evaluated, *asked)
    assert [report["strategy"] for report in made["reports"]] == ["small", "rrf"]
    (comparison,) = made["comparisons"]
    assert {row["name"] for row in comparison["differences"]} >= {"nDCG@10", "MRR@10"}
    shown = run(evaluated, *asked).stdout
    assert "rrf against small" in shown and "95 % interval" in shown


def test_the_same_twice_has_one_fingerprint(evaluated: Home) -> None:
    first, second = (document(evaluated, "eval", "-d", "golden")["reports"][0] for _ in range(2))
    assert first["fingerprint"] == second["fingerprint"]
    assert first["metrics"] | {"latency_ms": 0} == second["metrics"] | {"latency_ms": 0}
    listed = document(evaluated, "eval", "--list")["reports"]
    assert [r["eval_run_id"] for r in listed[:2]] == [second["eval_run_id"], first["eval_run_id"]]


def test_made_cases_can_be_saved_and_looked_through(evaluated: Home, tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl"
    saved = document(evaluated, "eval", "-d", "synthetic", "--save", str(path))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == saved["cases"]
    assert document(evaluated, "eval", "-d", str(path))["reports"][0]["cases"] == len(lines)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((), "--dataset synthetic"),
        (("-d", "goldn"), "Did you mean 'golden'?"),
        (("-d", "golden", "--strategies", "minlm"), "Did you mean 'minilm'?"),
        (("-d", "golden", "--metric-set", "metric_set.defalt"), "'metric_set.default'"),
        (("-d", "golden", "--judge", "judge.rule"), "'judge.rules'"),
        (("-d", "golden", "--evaluator", "evaluator.basc"), "'evaluator.basic'"),
        (("-d", "golden", "-k", "0"), "--top-k"),
    ],
)
def test_what_is_wrong_is_said(evaluated: Home, arguments: tuple[str, ...], part: str) -> None:
    result = run(evaluated, "eval", *arguments)
    assert result.exit_code == 1
    assert part in result.stderr
