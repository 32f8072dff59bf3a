"""Server time of the console's pages at 100,000 chunks and 100,000 traces."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import time
from collections.abc import Iterator

from starlette.testclient import TestClient

from tests.perf.latency import library_of
from tests.perf.library import Work
from tests.perf.table import Row
from tests.perf.traces import ASKED, write_lines

BENCH = "console"
DOCUMENTS = 10_000
BUDGET_MS = 200.0
_TIMES = 9
PAGES = (
    "/",
    "/documents",
    "/documents?text=report+99",
    "/ingestion",
    "/traces/ingestion",
    "/traces/query",
    "/traces/query?status=error&order=-latency_ms",
    "/evaluation",
)


def rows(work: Work) -> Iterator[Row]:
    """Median of each page, warm, in process."""
    os.environ.update(work.environment())
    home = library_of(work, DOCUMENTS)
    from mcp_app.http.access import settle_access
    from mcp_app.http.app import http_app
    from mcp_app.server import build_server
    from rag_query.library.home import Home

    place = Home.resolve(home)
    shutil.rmtree(place.traces, ignore_errors=True)
    write_lines(place.traces / "query", ASKED)
    server = build_server(place)
    app = http_app(server, place, settle_access("127.0.0.1:0"))
    from rag_query.contracts.plan import RetrievalPlan

    # One trace of a real question, the newest of them.
    plan = {"version": "0.1", "queries": [{"text": "cell migration", "mode": "exact"}]}
    server.service.answer(RetrievalPlan.model_validate(plan))
    time.sleep(1)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        document = _link(client, "/documents", "/documents/")
        chunk = _link(client, document, "/chunks/")
        trace = _link(client, "/traces/query", "/traces/query/")
        for path in (*PAGES, document, chunk, trace):
            times = [_ms(client, path) for _ in range(_TIMES + 1)]
            name = re.sub(r"(doc|chk|trc)_\w+", r"\1", path)
            notes = f"first {times[0]:.0f} ms"
            yield Row(
                BENCH, name, statistics.median(times[1:]), "ms", BUDGET_MS, at_least=False,
                notes=notes,
            )  # fmt: skip
    server.service.close(2)
    shutil.rmtree(place.traces)


def _ms(client: TestClient, path: str) -> float:
    began = time.perf_counter()
    response = client.get(path)
    took = (time.perf_counter() - began) * 1000
    assert response.status_code == 200, (path, response.text)
    return took


def _link(client: TestClient, path: str, begin: str) -> str:
    found = re.search(rf'href="({re.escape(begin)}[\w-]+)"', client.get(path).text)
    assert found is not None, path
    return found[1]
