"""The MCP server at work: what it adds to a query, many sessions at once, and a long run.

Servers are processes spoken to over stdio, in the bytes of the protocol.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil

from tests.e2e.conftest import Excerpta
from tests.e2e.wire import Wire
from tests.perf.library import Work, build
from tests.perf.table import Row

SAMPLES = Path("data/samples")
QUERIES_VARIABLE = "EXCERPTA_SOAK_QUERIES"
QUESTIONS = (
    "at which wind speed is the radar shutter closed",
    "how often is the float gauge calibrated",
    "数据上传失败怎么办",
    "what was the highest level of the year",
    "how are backups encrypted",
    "观测站的值班制度",
    "who may enter the stilling well",
    "reading interval during a storm surge",
)
#: Of the long run, in turn.
MODES = ("hybrid", "exact", "semantic", "exact", "hybrid")
WARMING = 2 * len(QUESTIONS)
ROUNDS = 240
SESSIONS = 10
#: Between two questions of a session; an agent reads what it was answered. Ten sessions that never
#: pause would measure the number of cores.
PAUSE_S = 0.25
EACH = 40
#: Of 100,000 queries; fewer queries see as many of them in proportion, and at least so many.
PUBLISHES, DELETES, LEAST = 50, 20, 2


def overhead_rows(work: Work) -> Iterator[Row]:
    """What stdio, the protocol and the envelope add to the pipeline's own time of a query."""
    with _server(work, _samples(work)) as server:
        _warm(server)
        whole, own = [], []
        for number in range(ROUNDS):
            took, data = _ask(server, QUESTIONS[number % len(QUESTIONS)])
            whole.append(took * 1000)
            own.append(float(data["took_ms"]))
    added = statistics.median(whole) - statistics.median(own)
    notes = f"medians of {ROUNDS} queries, {_load()}"
    yield Row("mcp-overhead", "added by stdio to a warm query", added, "ms", 5.0, False, notes)
    yield Row("mcp-overhead", "a warm query over stdio", statistics.median(whole), "ms")


def session_rows(work: Work) -> Iterator[Row]:
    """Ten servers on one library, each with its client, against one alone."""
    home = _samples(work)
    with ExitStack() as stack:
        servers = [stack.enter_context(_server(work, home)) for _ in range(SESSIONS)]
        for server in servers:
            _warm(server)
        alone = _asked_at_once(servers[:1])
        together = _asked_at_once(servers)
    errors = SESSIONS * EACH - len(together)
    notes = f"{EACH} questions each, {PAUSE_S * 1000:g} ms apart, {_load()}"
    ratio = _p95(together) / _p95(alone)
    yield Row("mcp-sessions", "errors of 10 sessions at once", errors, "", 0, False, notes)
    yield Row("mcp-sessions", "P95 of 10 sessions over one's", ratio, "", 4.0, False, notes)
    yield Row("mcp-sessions", "P95 of one session", _p95(alone) * 1000, "ms")


def soak_rows(work: Work) -> Iterator[Row]:
    """One server asked without end while documents are published and deleted beneath it."""
    queries = int(os.environ.get(QUERIES_VARIABLE, "2000"))
    soak = _Soak(work, queries)
    soak.run()
    notes = (
        f"{queries} queries, {soak.published} publishes, {soak.deleted} deletes, "
        f"{soak.seconds:.0f} s, {_load()}"
    )
    yield Row("mcp-soak", "errors", soak.errors, "", 0, False, notes)
    yield Row("mcp-soak", "stale or deleted chunks returned", soak.stale, "", 0, False, notes)
    yield Row("mcp-soak", "growth of memory", soak.growth, "", 1.1, False, notes)


class _Soak:
    """The run and what it counts.

    Attributes:
        errors: calls that failed, and answers without the newest text.
        stale: answers of a snapshot that still held what it no longer has.
        growth: resident memory at the end over that after a tenth of the queries.
    """

    def __init__(self, work: Work, queries: int) -> None:
        self._queries = queries
        self._tree = work.home("soak-tree")
        self._tree.mkdir(exist_ok=True)
        self._work = work
        self._publishes = max(LEAST, queries * PUBLISHES // 100_000)
        self._deletes = max(LEAST, queries * DELETES // 100_000)
        for number in range(self._deletes):
            text = f"# Spare {number}\n\nThe spare part zspare{number}z hangs in the shed.\n"
            (self._tree / f"spare-{number}.md").write_text(text, encoding="utf-8")
        self._write_state(0)
        #: Words that no answer from this snapshot on may hold.
        self._gone: dict[str, int] = {}
        self.errors = self.stale = self.published = self.deleted = 0
        self.growth = self.seconds = 0.0

    def run(self) -> None:
        """Ask, and in between publish or delete."""
        home, _ = build(self._work, "soak", [SAMPLES, self._tree], "default")
        every = max(1, self._queries // (self._publishes + self._deletes + 1))
        early, began = 0, time.monotonic()
        with _server(self._work, home) as self._server:
            _warm(self._server)
            # What an earlier run deleted or wrote is not what this one begins with.
            self._finish(self._call("library_ingest", paths=[str(self._tree)], wait_seconds=60))
            process = psutil.Process(self._server.process.pid)
            for number in range(self._queries):
                self._ask(number)
                if number % every == every - 1:
                    self._change()
                if number == self._queries // 10:
                    early = process.memory_info().rss
            self.growth = process.memory_info().rss / early
        self.seconds = time.monotonic() - began

    def _ask(self, number: int) -> None:
        words = [*QUESTIONS, f"zstate{self.published}z", *list(self._gone)[-4:]]
        asked = words[number % len(words)]
        mode = MODES[number % len(MODES)]
        result = self._server.call(number + 1000, "library_query", query=asked, mode=mode)
        if result["isError"]:
            self.errors += 1
            return
        data = result["structuredContent"]["data"]
        for word, since in self._gone.items():
            self.stale += data["snapshot"] >= since and word in data["markdown"]
        if asked == f"zstate{self.published}z" and mode != "semantic":
            self.errors += asked not in data["markdown"]

    def _change(self) -> None:
        """Publishes and deletes take turns, each as often as asked."""
        behind = self.deleted / self._deletes <= self.published / self._publishes
        if behind and self.deleted < self._deletes:
            name = f"spare-{self.deleted}.md"
            done = self._call("library_delete_document", document_id=name, wait_seconds=60)
            self._gone[f"zspare{self.deleted}z"] = self._finish(done)
            self.deleted += 1
        elif self.published < self._publishes:
            self._write_state(self.published + 1)
            done = self._call("library_ingest", wait_seconds=0)
            snapshot = self._finish(done)
            self._gone[f"zstate{self.published}z"] = snapshot
            self.published += 1

    def _finish(self, job: dict[str, Any]) -> int:
        """The snapshot of a job, asking on while it runs; the change was for this reader too."""
        while job["state"] in ("queued", "running"):
            self._server.call(900, "library_query", query=QUESTIONS[0])
            job = self._call("library_job_status", job_id=job["job_id"])
        if job["state"] != "success" or job["snapshot"] is None:
            raise RuntimeError(f"the change was not published: {job['markdown']}")
        return int(job["snapshot"])

    def _call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = self._server.call(901, tool, **arguments)
        if result["isError"]:
            raise RuntimeError(f"{tool}: {result['content']}")
        data: dict[str, Any] = result["structuredContent"]["data"]
        return data

    def _write_state(self, number: int) -> None:
        text = f"# State\n\nThe station is in state zstate{number}z today.\n"
        (self._tree / "state.md").write_text(text, encoding="utf-8")


def _samples(work: Work) -> Path:
    home, _ = build(work, "samples", [SAMPLES], "default")
    return home


@contextmanager
def _server(work: Work, home: Path) -> Iterator[Wire]:
    wire = Wire(Excerpta(home, work.environment()), EXCERPTA_EMBEDDER_WAIT_S="120")
    with wire.process:
        wire.initialize()
        try:
            yield wire
        finally:
            wire.end()


def _warm(server: Wire) -> None:
    for number in range(WARMING):
        _ask(server, QUESTIONS[number % len(QUESTIONS)])


def _ask(server: Wire, question: str) -> tuple[float, dict[str, Any]]:
    """Seconds until the answer was read, and its data."""
    began = time.perf_counter()
    result = server.call(2, "library_query", query=question)
    took = time.perf_counter() - began
    if result["isError"]:
        raise RuntimeError(str(result["content"]))
    data: dict[str, Any] = result["structuredContent"]["data"]
    return took, data


def _asked_at_once(servers: list[Wire]) -> list[float]:
    """Seconds of every answer without an error; each server has a client of its own."""
    took: list[float] = []

    def ask(server: Wire, first: int) -> None:
        # Clients do not ask in step.
        time.sleep(first * PAUSE_S / len(servers))
        for number in range(EACH):
            try:
                seconds, _ = _ask(server, QUESTIONS[(first + number) % len(QUESTIONS)])
            except (RuntimeError, AssertionError, OSError):
                continue
            took.append(seconds)
            time.sleep(PAUSE_S)

    clients = [threading.Thread(target=ask, args=(s, n)) for n, s in enumerate(servers)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return took


def _p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1]


def _load() -> str:
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
