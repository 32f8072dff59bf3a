"""Compaction and clean-up as Dagster runs them."""

from __future__ import annotations

import dagster as dg
import pytest

from rag_assets.definitions import defs
from rag_assets.evaluation.resource import EvaluatedLibrary
from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.trace import SpanName
from rag_query.library.home import Home
from rag_query.tracing.context import Trace, span, start
from rag_query.tracing.reader import find_trace
from rag_query.tracing.sinks import JsonLinesSink


def traced(home: Home) -> str:
    trace = Trace("query", "scfg")
    with start(trace, [JsonLinesSink(home)]), span(SpanName.FUSION):
        pass
    return trace.trace_id


def execute(home: Home, job: str) -> dg.ExecuteInProcessResult:
    resolved = defs.resolve_job_def(job)
    with dg.DagsterInstance.ephemeral() as instance:
        return resolved.execute_in_process(
            instance=instance, resources={"evaluated": EvaluatedLibrary(home=str(home.root))}
        )


def test_traces_are_compacted(home: Home) -> None:
    trace_id = traced(home)
    result = execute(home, "compact_traces")
    (event,) = result.get_asset_materialization_events()
    assert event.materialization.metadata["dagster/row_count"].value == 1
    assert find_trace(home, trace_id) is not None


def test_the_clean_up_says_what_went(home: Home) -> None:
    traced(home)
    old = home.traces / "query" / "2001-01-01-1.jsonl"
    old.write_text("{}\n")
    assert execute(home, "clean_up").success
    assert not old.exists()
    assert len(list((home.traces / "query").iterdir())) == 1


def test_old_traces_go_though_a_damaged_snapshot_keeps_its_files(home: Home) -> None:
    old = home.traces / "query" / "2001-01-01-1.jsonl"
    old.parent.mkdir(parents=True, exist_ok=True)
    old.write_text("{}\n")
    home.current.write_text("no number")
    with pytest.raises(ExcerptaError, match="CURRENT"):
        execute(home, "clean_up")
    assert not old.exists()


def test_the_schedules_are_those_of_the_night() -> None:
    crons = {s.name: s.cron_schedule for s in defs.schedules or ()}
    assert crons == {
        "nightly_ingest": "0 3 * * *",
        "nightly_evaluation": "0 5 * * *",
        "trace_compaction": "15 * * * *",
        "nightly_clean_up": "0 6 * * *",
    }
