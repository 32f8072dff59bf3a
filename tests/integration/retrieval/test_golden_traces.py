"""Traces keep their form: golden ones, and the schema of their version."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from rag_query.contracts.trace import TRACE_SCHEMA_VERSION, TraceEnvelope
from rag_query.library.home import Home
from rag_query.retrieval.open import open_retriever
from rag_query.tracing.schema import make_schema, schema_file
from tests.golden.traces import QUESTIONS, golden, record, stable, text_of


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TraceEnvelope]:
    return record(tmp_path_factory.mktemp("golden"))


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(schema_file().read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_schema_file_is_that_of_the_contract() -> None:
    """Changed the contract? Raise TRACE_SCHEMA_VERSION, then ``python -m tools.trace_schema``."""
    schema = json.loads(schema_file().read_text(encoding="utf-8"))
    assert schema == make_schema()
    assert schema["$id"].endswith(TRACE_SCHEMA_VERSION)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_leaves_the_trace_it_left_before(
    traces: dict[str, TraceEnvelope], name: str
) -> None:
    """Meant to change? ``python -m tests.golden.traces`` writes them anew."""
    assert text_of(stable(traces[name])) == text_of(golden(name))


@pytest.mark.parametrize("name", QUESTIONS)
def test_traces_are_what_their_schema_says(
    traces: dict[str, TraceEnvelope], validator: jsonschema.Draft202012Validator, name: str
) -> None:
    validator.validate(json.loads(traces[name].model_dump_json()))


def test_the_schema_refuses_what_is_no_trace(
    traces: dict[str, TraceEnvelope], validator: jsonschema.Draft202012Validator
) -> None:
    value = json.loads(traces["hybrid"].model_dump_json())
    for change in ({"trace_type": "walk"}, {"surprise": 1}, {"spans": [{"name": "stage.fly"}]}):
        assert list(validator.iter_errors(value | change))


def test_a_trace_can_be_run_again(traces: dict[str, TraceEnvelope], tmp_path: Path) -> None:
    trace = traces["hybrid"]
    assert trace.replay["plan"]["queries"][0]["text"] == "steamed green tea"
    assert set(trace.replay["profile_ids"]) >= {"query_norm", "fusion", "rerank"}
    assert trace.providers["stage.fusion"] == "fusion.default"
    again = record(tmp_path)["hybrid"]  # the library made anew, the same plan
    with open_retriever(Home.resolve(tmp_path / "lib"), sinks=[]) as retriever:
        pack = retriever.run(trace.replay["plan"])
    final = next(e for e in again.events if e.kind == "context.final")
    assert [e.id for e in pack.evidences] == final.payload["chunk_ids"]
