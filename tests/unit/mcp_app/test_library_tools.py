"""The tools around a library: its state, its traces, its media, its jobs, its deletions."""

from __future__ import annotations

import base64
import os
import threading
from datetime import UTC, datetime

import pytest

from mcp_app.service import LibraryService
from rag_assets.process_identity import process_start
from rag_assets.run_status import RunFiles, RunStatus
from rag_query.library.home import Home
from tests.unit.mcp_app.conftest import Call, data_of, error_of

NEVER = f"trc_{'0' * 32}"


def test_the_state_of_the_library(call: Call, library: Home) -> None:
    result = call("library_status")
    data = data_of(result)
    assert data["snapshot"] is not None and data["published_at"].startswith("20")
    assert data["counts"]["chunks"] > 0
    assert data["collections"]["stories"] == 1
    assert "hashed-words" in data["embedder"] and "hashed-words" in data["markdown"]
    assert str(library.root) not in str(result.structured_content)


def test_an_answer_is_explained_right_after_it(call: Call) -> None:
    answer = call("library_query", query="steamed tea", mode="hybrid")
    assert answer.structured_content is not None
    trace_id = answer.structured_content["trace_id"]
    data = data_of(call("library_explain", trace_id=trace_id, top=1))
    assert data["explained_trace_id"] == trace_id and data["trace_type"] == "query"
    names = [stage["name"] for stage in data["stages"]]
    assert {"stage.retrieve_dense", "stage.retrieve_sparse", "stage.fusion"} <= set(names)
    assert all(stage["ms"] >= 0 for stage in data["stages"])
    assert {found["source"] for found in data["candidates"]} == {"dense", "sparse"}
    for found in data["candidates"]:
        assert found["count"] >= len(found["top"]) == 1
        assert found["top"][0]["chunk_id"] in data["markdown"]
    assert data["fallbacks"] == [] and "No fallback" in data["markdown"]


def test_a_trace_that_never_was(call: Call) -> None:
    error = error_of(call("library_explain", trace_id=NEVER))
    assert error["code"] == "TRACE_NOT_FOUND"
    assert "library_query" in error["details"]["hint"]


@pytest.mark.parametrize("trace_id", ["", "../../library", "trc_", f"{NEVER}0"])
def test_what_is_no_trace_id(call: Call, trace_id: str) -> None:
    error = error_of(call("library_explain", trace_id=trace_id))
    assert error["code"] == "INVALID_ARGUMENT" and "`trace_id`" in error["message"]


@pytest.mark.parametrize("variant", ["thumb", "raw"])
def test_media_come_with_their_type_and_size(
    call: Call, picture: tuple[str, bytes], variant: str
) -> None:
    asset_id, original = picture
    data = data_of(call("library_query_assets", asset_ids=[asset_id], variant=variant))
    (asset,) = data["assets"]
    content = base64.b64decode(asset["blob_base64"])
    assert (content == original) is (variant == "raw")
    side = 64 if variant == "raw" else 16
    assert (asset["mime"], asset["width"], asset["height"]) == ("image/png", side, side // 2)
    assert data["missing"] == [] and asset["blob_base64"] not in data["markdown"]


def test_missing_media_do_not_stop_the_others(call: Call, picture: tuple[str, bytes]) -> None:
    wanted = ["f" * 64, picture[0], "../../library.json", picture[0]]
    result = call("library_query_assets", asset_ids=wanted)
    data = data_of(result)
    assert [asset["asset_id"] for asset in data["assets"]] == [picture[0]]
    assert [(m["asset_id"], m["code"]) for m in data["missing"]] == [
        ("f" * 64, "ASSET_NOT_FOUND"),
        ("../../library.json", "ASSET_NOT_FOUND"),
    ]
    assert result.structured_content is not None and result.structured_content["warnings"]


def test_media_beyond_the_budget_are_named(call: Call, picture: tuple[str, bytes]) -> None:
    asset_id, original = picture
    small = {"asset_ids": [asset_id], "variant": "raw", "max_bytes": len(original) - 1}
    data = data_of(call("library_query_assets", **small))
    assert data["assets"] == []
    assert data["missing"][0]["code"] == "FILE_TOO_LARGE"
    assert data["missing"][0]["bytes"] == len(original)


def test_a_job_that_has_ended_is_not_canceled(call: Call, service: LibraryService) -> None:
    now = datetime.now(UTC)
    ended = RunStatus(
        run_id="ended-before",
        job="ingest",
        state="success",
        via="process",
        shards=["00"],
        message="Done.",
        submitted_at=now,
        ended_at=now,
    )
    RunFiles(service.home).write(ended)
    data = data_of(call("library_cancel_job", job_id="ended-before"))
    assert data["state"] == "success" and data["canceled"] is False
    assert "had ended before" in data["markdown"]


def test_waiting_without_a_job_waits_for_the_newest(call: Call, service: LibraryService) -> None:
    files, pid = RunFiles(service.home), os.getpid()
    running = RunStatus(
        run_id="going-on",
        job="ingest",
        state="running",
        pid=pid,
        process_started=process_start(pid),
        submitted_at=datetime.now(UTC),
    )
    files.write(running)

    def state(wait_seconds: float) -> str:
        data = data_of(call("library_job_status", wait_seconds=wait_seconds))
        job = next(job for job in data["jobs"] if job["job_id"] == "going-on")
        # Among others a job is told in short, but how far it is.
        assert {"counts", "step", "steps_done", "steps_total"} <= job.keys() and "rows" not in job
        return str(job["state"])

    assert state(0) == "running"
    end = {"state": "success", "ended_at": datetime.now(UTC)}
    timer = threading.Timer(0.3, files.update, ["going-on"], end)
    timer.start()
    try:
        assert state(30) == "success"
    finally:
        timer.join()


@pytest.mark.parametrize("job_id", ["never", "../library"])
def test_a_job_that_never_was(call: Call, job_id: str) -> None:
    assert error_of(call("library_cancel_job", job_id=job_id))["code"] == "JOB_NOT_FOUND"


def test_an_unknown_document_is_not_deleted(call: Call) -> None:
    before = data_of(call("library_status"))
    error = error_of(call("library_delete_document", document_id="nowhere.md"))
    assert error["code"] == "DOCUMENT_NOT_FOUND"
    after = data_of(call("library_status"))
    assert (after["deleted"], after["runs"]) == (before["deleted"], before["runs"])
