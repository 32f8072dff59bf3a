"""The Dagster asset ``retrieval_quality``: one partition a dataset and strategy.

Its metadata are numbers, so the UI plots each metric over time. Its check holds the numbers
against ``gates.yaml``; the gates that block a publication stand with the asset ``published``.
"""

from collections.abc import Iterator

import dagster as dg

from rag_assets.evaluation.resource import EvaluatedLibrary
from rag_assets.evaluation.subjects import load_strategies, prepare
from rag_assets.partitions import OWNERS
from rag_query.contracts.evaluation import CaseResult, EvalReport
from rag_query.evaluation.datasets import dataset_names, load_dataset
from rag_query.evaluation.evaluate import evaluate
from rag_query.evaluation.gates import Gate, Verdict, examine, load_gates
from rag_query.library.home import Home
from rag_query.library.snapshot import Library

ASSET = "retrieval_quality"
GATE = "reaches_its_thresholds"
#: Stands for the strategy the library was published with.
PUBLISHED = "published"

DATASETS = dg.DynamicPartitionsDefinition(name="evaluation_datasets")
STRATEGIES = dg.DynamicPartitionsDefinition(name="evaluation_strategies")
PARTITIONS = dg.MultiPartitionsDefinition({"dataset": DATASETS, "strategy": STRATEGIES})


@dg.asset(
    name=ASSET,
    deps=["published"],
    partitions_def=PARTITIONS,
    group_name="evaluation",
    kinds={"python", "json"},
    owners=OWNERS,
    code_version="1",
    check_specs=[
        dg.AssetCheckSpec(GATE, asset=ASSET, description="The metrics reach what gates.yaml asks.")
    ],
    description=(
        "How well the published snapshot answers a dataset under a strategy. A strategy that "
        "ingests otherwise gets a side generation, in which only what differs is rebuilt."
    ),
)
def retrieval_quality(
    context: dg.AssetExecutionContext, evaluated: EvaluatedLibrary
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    home = evaluated.place
    keys = _keys(context.partition_key)
    gates = load_gates(home)
    gate = gates.of(keys["dataset"]) or Gate(dataset=keys["dataset"])
    strategy = keys["strategy"]
    chosen = None if strategy == PUBLISHED else load_strategies([strategy])[0]
    dataset = load_dataset(home, gate.dataset, Library.open(home).snapshot)
    prepared = prepare(home, chosen, on_stage=lambda name: context.log.info(f"side: {name}"))
    report, cases = evaluate(home, dataset, prepared.subject, gate.settings)
    verdict = examine(gate, gates.minimum(gate), report, cases)
    yield dg.MaterializeResult(
        metadata=_metadata(report, cases),
        data_version=dg.DataVersion(report.fingerprint[:32]),
    )
    asked = gates.of(keys["dataset"]) is not None
    yield dg.AssetCheckResult(
        check_name=GATE,
        passed=verdict.passed,
        severity=dg.AssetCheckSeverity.ERROR if asked else dg.AssetCheckSeverity.WARN,
        metadata=_check_metadata(verdict),
        description="Passed." if verdict.passed else verdict.told,
    )


def register_partitions(instance: dg.DagsterInstance, home: Home) -> list[str]:
    """Make the library's datasets partitions, and return the keys to evaluate nightly: each
    dataset with the published strategy and with every strategy added in the UI."""
    datasets = dataset_names(home) or ["synthetic"]
    instance.add_dynamic_partitions(str(DATASETS.name), datasets)
    instance.add_dynamic_partitions(str(STRATEGIES.name), [PUBLISHED])
    strategies = instance.get_dynamic_partitions(str(STRATEGIES.name))
    return [
        str(dg.MultiPartitionKey({"dataset": dataset, "strategy": strategy}))
        for dataset in datasets
        for strategy in strategies
    ]


def _keys(partition_key: str) -> dict[str, str]:
    """The dimensions of a key; Dagster hands a run's key over as a plain text."""
    if isinstance(partition_key, dg.MultiPartitionKey):
        return dict(partition_key.keys_by_dimension)
    dataset, _, strategy = partition_key.partition("|")
    return {"dataset": dataset, "strategy": strategy}


def _metadata(report: EvalReport, cases: list[CaseResult]) -> dict[str, dg.MetadataValue]:
    numbers = {
        **{name: value for name, value in report.metrics.items() if name != "latency_ms"},
        **{f"latency {name} ms": value for name, value in report.latency_ms.items()},
        **report.usage,
    }
    by_id = {case.case_id: case for case in cases}
    worst = "\n".join(
        f"| `{case_id}` | {_cell(by_id[case_id])} | `{by_id[case_id].artifacts.trace_id}` |"
        for case_id in report.worst
    )
    return {
        **{name: dg.MetadataValue.float(float(value)) for name, value in numbers.items()},
        "cases": dg.MetadataValue.int(report.cases),
        "failed": dg.MetadataValue.int(report.failed),
        "snapshot": dg.MetadataValue.int(report.snapshot),
        "evaluation": dg.MetadataValue.text(report.eval_run_id),
        "eval_profile_id": dg.MetadataValue.text(report.eval_profile_id),
        "worst cases": dg.MetadataValue.md(f"| case | question | trace |\n|---|---|---|\n{worst}"),
    }


def _check_metadata(verdict: Verdict) -> dict[str, dg.MetadataValue]:
    found: dict[str, dg.MetadataValue] = {
        finding.metric: dg.MetadataValue.float(finding.value)
        for finding in verdict.findings
        if finding.value is not None
    }
    cases = [case.model_dump(mode="json") for case in verdict.worst]
    return found | {"worst cases": dg.MetadataValue.json(cases)}


def _cell(case: CaseResult) -> str:
    if case.own_query is None:
        made_of = ", ".join(case.documents.values())
        return f"made of {made_of}; see the evaluation in the console"
    return case.own_query.replace("|", "\\|").replace("\n", " ")[:120]
