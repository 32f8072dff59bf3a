"""The policies for a file whose bytes the library holds (DEV_SPEC 4.3.1, de-duplication)."""

from __future__ import annotations

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import dagster as dg
import pytest

from rag_assets.definitions import defs
from rag_assets.launch import start_ingest
from rag_assets.sources.asset import InventoryConfig
from rag_assets.webserver import record_webserver
from rag_query.contracts.trace import EventKind
from rag_query.library.home import Home
from rag_query.tracing.reader import find_trace
from tests.integration.graph.conftest import write
from tests.integration.graph.test_delete import run


def _parsed(home: Home, job: str) -> int:
    """How many documents a run has parsed."""
    trace = find_trace(home, f"trc_{job.replace('-', '')}")
    assert trace is not None
    return sum(e.payload["ready"] for e in trace.events if e.kind is EventKind.PARSE_SUMMARY)


def _chunks(shown: dict[str, Any]) -> list[str]:
    return [chunk["chunk_id"] for chunk in shown["chunks"]]


def test_an_unchanged_file_is_skipped_or_parsed_again_as_a_new_version(here: Home) -> None:
    home = here
    tea = write(home, "tea.md", "# Tea\n\nGreen tea is steamed.\n\n## Water\n\nBoil it first.\n")
    write(home, "coffee.md", "# Coffee\n\nCoffee is roasted.\n")
    code, ingested = run(home, "ingest")
    assert code == 0 and _parsed(home, ingested["job_id"]) == 2
    first = run(home, "show", "tea.md")[1]

    code, skipped = run(home, "ingest", str(tea))
    assert code == 0 and skipped["counts"]["unchanged"] == 2 and skipped["computed"] == 0
    assert _parsed(home, skipped["job_id"]) == 0
    assert skipped["snapshot"] == ingested["snapshot"]

    code, repeated = run(home, "ingest", "--policy", "new_version", str(tea))
    assert code == 0, repeated
    assert (repeated["counts"]["new_version"], repeated["counts"]["unchanged"]) == (1, 1)
    assert _parsed(home, repeated["job_id"]) == 1
    second = run(home, "show", "tea.md")[1]
    assert second["document"]["doc_id"] == first["document"]["doc_id"]
    assert second["document"]["version_id"] != first["document"]["version_id"]
    assert _chunks(second) == _chunks(first)

    # The version before is read as any other.
    old = run(home, "show", "tea.md", "--version", first["document"]["version_id"])[1]
    assert old["document"]["version_id"] == first["document"]["version_id"]
    assert _chunks(old) == _chunks(first)
    code, pack = run(home, "query", "steamed tea", "--mode", "hybrid")
    assert pack["evidences"][0]["metadata"]["version_id"] == second["document"]["version_id"]
    code, answer = run(home, "ask", "How is green tea steamed?", "--lock", "tea.md")
    assert answer["lock"]["parent"]["parent_id"] == second["document"]["version_id"], answer
    assert "steamed" in answer["text"]

    code, again = run(home, "ingest")
    assert again["computed"] == 0 and again["snapshot"] == repeated["snapshot"]

    code, deleted = run(home, "delete", "tea.md", "--version", "1", "--hard", "--yes")
    assert code == 0, deleted
    (left,) = run(home, "show", "tea.md")[1]["document"]["all_versions"]
    assert left["version_id"] == second["document"]["version_id"]


def test_a_running_webserver_is_given_the_policy(home: Home) -> None:
    asked: list[dict[str, Any]] = []

    class Webserver(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(json.loads(body)["variables"]["params"])
            run = {"runId": f"00000000-0000-4000-8000-00000000000{len(asked)}"}
            launched = {"__typename": "LaunchRunSuccess", "run": run}
            self._answer({"data": {"launchRun": launched}})

        def _answer(self, content: dict[str, Any]) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Webserver) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            record_webserver(home, f"http://127.0.0.1:{server.server_port}", os.getpid())
            start_ingest(home, policy="new_version", paths=[home.inbox / "tea.md"])
            start_ingest(home, job="reindex")
        finally:
            server.shutdown()
    job = defs.resolve_job_def("ingest")
    config = asked[0]["runConfigData"]
    resolved = dg.validate_run_config(job, config)["ops"]["inventory"]["config"]
    assert resolved == {"policy": "new_version", "paths": [str(home.inbox / "tea.md")]}
    assert asked[1]["runConfigData"] == {}


def test_a_policy_that_is_none_is_refused() -> None:
    job = defs.resolve_job_def("ingest")
    with pytest.raises(dg.DagsterInvalidConfigError, match="new_version"):
        dg.validate_run_config(job, {"ops": {"inventory": {"config": {"policy": "newest"}}}})
    assert InventoryConfig() == InventoryConfig(policy="skip", paths=[])
