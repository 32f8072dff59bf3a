"""Summaries by a model: searched by words, never facts, never embedded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_assets.chunks import stage as chunks
from rag_assets.context import StageContext
from rag_assets.enrichment import stage
from rag_assets.part_failures import warnings_of
from rag_assets.sections import stage as sections
from tests.llm_server import Fault, Reply, Script, serving_llm
from tests.unit.sections.made_library import SHARD, MadeLibrary

LONG = "The float follows the water in the well and the drum turns with it. " * 8


@pytest.fixture(scope="module")
def served() -> Iterator[Script]:
    with serving_llm() as script:
        yield script


@pytest.fixture
def library(tmp_path: Path, served: Script, monkeypatch: pytest.MonkeyPatch) -> MadeLibrary:
    monkeypatch.setenv("THE_KEY", "sk-secret")
    made = MadeLibrary(tmp_path)
    made.set_provider(
        "llm",
        "llm.openai_compatible",
        model="m",
        base_url=served.base_url("openai"),
        api_key_env="THE_KEY",
        max_retries=0,
    )
    made.set_provider("summarizer", "summarizer.llm", min_chars=100)
    made.put("a.md", f"# Float\n\n{LONG}\n\n# Short\n\nOne line.\n")
    made.flush()
    return made


def run(library: MadeLibrary, run_id: str) -> list[dict[str, Any]]:
    ctx = StageContext(library.home, library.settings, library.strategy, run_id)
    for step in (sections, chunks, stage):
        step.run(ctx, SHARD)
    return library.rows("summaries")


def test_long_chunks_are_summarised_once(library: MadeLibrary, served: Script) -> None:
    served.set(json.dumps({"summary": "How the kymograph  draws the tide."}))
    (row,) = run(library, "run_1")
    assert (row["status"], row["summary"]) == ("ready", "How the kymograph draws the tide.")
    assert (row["llm_provider_id"], row["model_id"]) == ("llm.openai_compatible", "m")
    assert row["prompt_profile_id"] == "summary.chunk_v1"
    first, second = library.rows("enriched")
    assert "kymograph" in first["retrieval_text"] and first["summary"] == row["summary"]
    assert "kymograph" not in first["embedding_text"]
    assert "kymograph" not in str(library.rows("chunks"))
    assert second["summary"] is None
    assert "Float" in served.asked[0].prompt
    run(library, "run_2")
    assert len(served.asked) == 1


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply("no JSON"), "LLM_BAD_OUTPUT"),
        (Reply('{"summary": "  "}'), "LLM_BAD_OUTPUT"),
        (Reply(fault=Fault.UNAUTHORIZED), "LLM_MISCONFIGURED"),
        (Reply(fault=Fault.RATE_LIMITED), "LLM_RATE_LIMITED"),
        (Reply(fault=Fault.SERVER_ERROR), "LLM_UNAVAILABLE"),
    ],
)
def test_a_failing_model_costs_the_summary_only(
    library: MadeLibrary, served: Script, reply: Reply, code: str
) -> None:
    served.set(reply)
    (row,) = run(library, "run_1")
    assert (row["status"], row["code"], row["retry"]) == ("failed", code, True)
    assert len(library.rows("enriched")) == 2
    served.set(json.dumps({"summary": "Later."}))
    (row,) = run(library, "run_2")
    assert (row["status"], row["summary"]) == ("ready", "Later.")


def test_failed_summaries_are_counted_and_named(library: MadeLibrary, served: Script) -> None:
    served.set(Reply(fault=Fault.BAD_REQUEST))
    (row,) = run(library, "run_1")
    assert (row["code"], row["retry"]) == ("LLM_REFUSED", False)
    ctx = StageContext(library.home, library.settings, library.strategy, "run_2", retry_failed=True)
    details = stage.run(ctx, SHARD).details
    assert details["failed_summaries"] == {
        "codes": {"LLM_REFUSED": 1},
        "first": [{"chunk_id": row["chunk_id"], "error_code": "LLM_REFUSED"}],
    }
    assert warnings_of([details]) == ["1 summary failed (LLM_REFUSED)."]


def test_without_a_summarizer_there_are_none(tmp_path: Path) -> None:
    made = MadeLibrary(tmp_path)
    made.put("a.md", LONG)
    made.flush()
    assert run(made, "run_1") == []
    assert made.ctx.store.head("summaries", SHARD) is None
