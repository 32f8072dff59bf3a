"""Kill the run at random moments: the published library answers, the next run completes."""

from __future__ import annotations

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
    """Each round changes some documents, starts an ingest, kills its whole process group at a
    random moment while a reader asks, and every few rounds lets a run finish and compares ids."""
    tree = work.home("kill-tree")
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(data() / "md" / "howtocook_zh", tree)
    home, full = build(work, "kill", [tree], "default")
    files = sorted(tree.rglob("*.md"))
    chance = random.Random(SEED)
    errors = unequal = 0
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
        _end_detached(home)
        errors += _ask(work, home)
        if _ingest(work, home, tree).wait() != 0:
            errors += 1
        unequal += not _ids_equal(home)
    yield Row(
        "kill", "query errors on the published snapshot", errors, "", 0, False, f"{KILLS} kills"
    )
    yield Row(
        "kill", "unequal chunk ids after the next run", unequal, "", 0, False, f"{KILLS} kills"
    )
    yield Row("kill", "full ingest of the tree", full, "s", notes=f"{len(files)} files")


def _ingest(work: Work, home: Path, tree: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "mcp_app.cli", "ingest", str(tree), "--home", str(home), "--json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=work.environment(),
        start_new_session=True,
    )


def _end_detached(home: Path) -> None:
    """The run is a process of its own: end every one that still holds this library."""
    from rag_assets.launch import list_runs
    from rag_query.library.home import Home

    for run in list_runs(Home.resolve(home)):
        if run.pid and run.state in ("queued", "running"):
            try:
                os.killpg(run.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


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
    from rag_assets.publication.verify import chunk_id_sets
    from rag_query.library.home import Home
    from rag_query.library.snapshot import Library

    sets = chunk_id_sets(Library.open(Home.resolve(home)).snapshot())
    return len({frozenset(ids) for ids in sets.values()}) == 1
