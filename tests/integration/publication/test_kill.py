"""kill -9 at any moment: the published library still answers, and the next run completes."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tantivy

from rag_query.library.home import Home
from rag_query.library.snapshot import Library
from tests.hashed_words import HashedWordsEmbedder
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

KILLS = 10
#: Changes documents, indexes and publishes for ever, so that a kill meets any of it.
WORKER = """
import sys
import duckdb, lancedb, tantivy
from tests.integration.publication.test_kill import documents
from tests.library_builder import build_library
state = int(input())
print("started", flush=True)
while True:
    state += 1
    build_library(sys.argv[1], documents(state))
"""


def documents(state: int) -> list[SmallDoc]:
    """Some documents stay, some change, some come and go with ``state``."""
    steady = [SmallDoc(f"steady{n}.md", f"Steady words {n}.") for n in range(4)]
    changing = [
        SmallDoc(f"changing{n}.md", f"State {state % 7} of {n}.\n\nAnd more.") for n in range(4)
    ]
    passing = [SmallDoc(f"passing{n}.md", "Comes and goes.") for n in range(state % 5)]
    return [*steady, *changing, *passing]


def assert_answers(path: Path) -> int:
    """The published library answers and its three sets are the same; returns their size."""
    snapshot = Library.open(Home(path)).snapshot()
    searcher = snapshot.searcher
    assert searcher is not None
    terms = searcher.terms_with_prefix("chunk_id", "", tantivy.Query.all_query())
    lexical = {term for term, _ in terms}
    dense = set(snapshot.vectors.search().select(["chunk_id"]).to_arrow()["chunk_id"].to_pylist())
    served = {chunk.chunk_id for chunk in snapshot.chunks(sorted(lexical | dense))}
    assert lexical == dense == served
    ids, _ = snapshot.search_dense(HashedWordsEmbedder().embed_queries(["Steady words 2."])[0], 1)
    assert snapshot.chunks(ids)[0].chunk_text == "Steady words 2."
    return len(served)


def warm_worker(path: Path) -> subprocess.Popen[str]:
    """A worker that imports what it needs and then waits to be told to start."""
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def start_and_kill(worker: subprocess.Popen[str], state: int, after_s: float) -> None:
    with worker:
        assert worker.stdin is not None and worker.stdout is not None
        worker.stdin.write(f"{state}\n")
        worker.stdin.flush()
        assert worker.stdout.readline() == "started\n"
        time.sleep(after_s)
        assert worker.poll() is None, "the worker must not fail by itself"
        worker.kill()


@pytest.mark.timeout(180)
def test_killed_at_random_moments(tmp_path: Path) -> None:
    path = tmp_path / "lib"
    chance = random.Random(20261128)
    build_library(path, documents(0), shards=4)
    worker = warm_worker(path)
    try:
        for round_no in range(KILLS):
            start_and_kill(worker, round_no * 3, chance.uniform(0.0, 0.8))
            worker = warm_worker(path)
            assert_answers(path)
            wanted = documents(round_no)
            build_library(path, wanted)
            assert assert_answers(path) >= len(wanted)
    finally:
        worker.kill()
        worker.communicate()
