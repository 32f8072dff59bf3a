"""``retrieval_quality`` in Dagster: plotted numbers, a check, and what the night does."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest
import yaml

from rag_assets.definitions import defs
from rag_assets.evaluation.asset import DATASETS, STRATEGIES, retrieval_quality
from rag_assets.evaluation.resource import EvaluatedLibrary
from rag_query.contracts.evaluation import SYNTHETIC
from rag_query.library.home import Home
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

TEXTS = {"tea": "Green tea is steamed.", "coffee": "Coffee beans are roasted."}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    documents = [SmallDoc(f"{name}.md", f"# {name}\n\n{text}") for name, text in TEXTS.items()]
    made = build_library(tmp_path_factory.mktemp("quality") / "lib", documents)
    cases = [
        {"case_id": name, "query": text, "relevant": {f"{name}.md": 1}}
        for name, text in TEXTS.items()
    ]
    lost = {"case_id": "lost", "query": "milk", "relevant": {"milk.md": 1}}
    made.datasets.mkdir()
    (made.datasets / "good.jsonl").write_text("\n".join(map(json.dumps, cases)))
    (made.datasets / "hard.jsonl").write_text("\n".join(map(json.dumps, [*cases, lost])))
    quoted = {
        "case_id": "quoted", "query": "beans are in a drum", "tags": [SYNTHETIC],
        "relevant": {"tea.md": 1, "milk.md": 1},
    }  # fmt: skip
    (made.datasets / "quoted.jsonl").write_text("\n".join(map(json.dumps, [*cases, quoted])))
    gates = [{"dataset": "hard", "minimum": {"HitRate@10": 0.9}}]
    made.gates.write_text(yaml.safe_dump({"gates": gates}))
    return made


def materialize(home: Home, instance: dg.DagsterInstance, key: str) -> dg.ExecuteInProcessResult:
    for definition, name in zip((DATASETS, STRATEGIES), key.split("|"), strict=True):
        instance.add_dynamic_partitions(str(definition.name), [name])
    return dg.materialize(
        [retrieval_quality],
        partition_key=key,
        instance=instance,
        resources={"evaluated": EvaluatedLibrary(home=str(home.root))},
        selection=[retrieval_quality],
    )


def test_metrics_are_numbers_that_the_ui_plots(home: Home) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        result = materialize(home, instance, "good|published")
        (event,) = result.get_asset_materialization_events()
        metadata = event.materialization.metadata
        assert metadata["nDCG@10"].value == 1.0
        assert isinstance(metadata["latency p95 ms"].value, float)
        assert event.partition == "good|published"
        (check,) = result.get_asset_check_evaluations()
        assert check.passed


def test_a_failed_check_names_the_worst_cases_with_their_traces(home: Home) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        result = materialize(home, instance, "hard|published")
        (check,) = result.get_asset_check_evaluations()
        assert not check.passed
        assert check.severity == dg.AssetCheckSeverity.ERROR
        (worst,) = check.metadata["worst cases"].value  # type: ignore[misc]
        assert worst["case_id"] == "lost"  # type: ignore[index]
        assert worst["trace_id"].startswith("trc_")  # type: ignore[index]


def test_what_a_run_keeps_for_good_does_not_quote_documents(home: Home) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        result = materialize(home, instance, "quoted|published")
        kept = [entry.to_json() for entry in instance.all_logs(result.run_id)]
        (check,) = result.get_asset_check_evaluations()
        assert not check.passed
        (worst,) = check.metadata["worst cases"].value  # type: ignore[misc]
        assert worst["case_id"] == "quoted"  # type: ignore[index]
        # What it was made of is named even so.
        assert worst["documents"] == ["file://inbox/tea.md"]  # type: ignore[index]
        assert " · file://inbox/tea.md · trc_" in str(check.description)
    assert not any("in a drum" in text for text in kept)


# Dagster's own tags of partitions in two dimensions are not as its rules for tags have it.
@pytest.mark.filterwarnings("ignore:Non-compliant tag keys:DeprecationWarning")
def test_the_night_evaluates_every_dataset(home: Home, tmp_path: Path) -> None:
    schedule = defs.resolve_schedule_def("nightly_evaluation")
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        context = dg.build_schedule_context(
            instance,
            scheduled_execution_time=datetime(2026, 1, 1, 5, tzinfo=UTC),
            repository_def=defs.get_repository_def(),
            resources={"evaluated": EvaluatedLibrary(home=str(home.root))},
        )
        data = schedule.evaluate_tick(context)
    keys = [request.partition_key for request in data.run_requests or []]
    assert keys == ["good|published", "hard|published", "quoted|published"]


def test_a_strategy_that_is_unknown_fails_the_run(home: Home) -> None:
    with dg.DagsterInstance.ephemeral() as instance, pytest.raises(Exception, match="minilm"):
        materialize(home, instance, "good|minlm")
