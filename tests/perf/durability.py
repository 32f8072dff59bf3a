"""Kill the run at random moments: the published library answers, the next run completes."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.perf.library import Work, build, data
from tests.perf.table import Row

KILLS = 30
SEED = 20261127


def rows(work: Work) -> Iterator[Row]:
    """Each round changes some documents, starts an ingest, kills the run at a random moment while
    a reader asks, lets the next run finish and compares the ids."""
    tree = work.home("kill-tree")
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(data() / "md" / "howtocook_zh", tree)
    home, full = build(work, "kill", [tree], "default")
    files = sorted(tree.rglob("*.md"))
    chance = random.Random(SEED)
    errors = unequal = hit = 0
    began = time.perf_counter()
    _ingest(work, home, tree).wait()
    idle = time.perf_counter() - began
    for number in range(KILLS):
        for path in chance.sample(files, 12):
            path.write_text(
                path.read_text(encoding="utf-8") + f"\n\n第 {number} 次修改。\n", "utf-8"
            )
        run = _ingest(work, home, tree)
        deadline = time.monotonic() + chance.uniform(0.1, idle * 1.5)
        while time.monotonic() < deadline and run.poll() is None:
            errors += _ask(work, home)
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        hit += _end_detached(home)
        errors += _ask(work, home)
        if _ingest(work, home, tree).wait() != 0:
            errors += 1
        unequal += not _ids_equal(home)
    notes = f"{hit} of {KILLS} kills met a run under way"
    yield Row("kill", "query errors on the published snapshot", errors, "", 0, False, notes)
    yield Row("kill", "unequal chunk ids after the next run", unequal, "", 0, False, notes)
    yield Row("kill", "full ingest of the tree", full, "s", notes=f"{len(files)} files")


def _ingest(work: Work, home: Path, tree: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "mcp_app.cli", "ingest", str(tree), "--home", str(home), "--json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=work.environment(),
        start_new_session=True,
    )


def _end_detached(home: Path) -> bool:
    """End the run, a process of its own; whether one was still under way."""
    from rag_assets.launch import list_runs
    from rag_query.library.home import Home

    ended = False
    for run in list_runs(Home.resolve(home)):
        if run.pid and run.state in ("queued", "running"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
                ended = True
    return ended


_RETRIEVERS: dict[Path, object] = {}


def _ask(work: Work, home: Path) -> int:
    """1 when a query fails or finds nothing."""
    os.environ.update(work.environment())
    from rag_query.library.home import Home
    from rag_query.retrieval.open import open_retriever

    if home not in _RETRIEVERS:
        _RETRIEVERS[home] = open_retriever(Home.resolve(home)).__enter__()
    plan = {"version": "0.1", "queries": [{"text": "红烧肉怎么做", "mode": "hybrid"}]}
    pack = _RETRIEVERS[home].run(plan)  # type: ignore[attr-defined]
    return int(not pack.evidences or bool(pack.explain.dense_failed or pack.explain.sparse_failed))


def _ids_equal(home: Path) -> bool:
    """Whether the published chunk table, LanceDB and tantivy hold the same chunk ids."""
    import pyarrow.parquet as pq
    import tantivy

    from rag_query.library.home import Home
    from rag_query.library.snapshot import Library

    snapshot = Library.open(Home.resolve(home)).snapshot()
    table: set[str] = set()
    for file in snapshot.manifest.tables["chunks"].values():
        table.update(pq.read_table(home / file.path, columns=["chunk_id"])["chunk_id"].to_pylist())
    dense = snapshot.vectors.search().select(["chunk_id"]).to_arrow()["chunk_id"].to_pylist()
    assert snapshot.searcher is not None
    terms = snapshot.searcher.terms_with_prefix("chunk_id", "", tantivy.Query.all_query())
    return table == set(dense) == {term for term, _ in terms}
