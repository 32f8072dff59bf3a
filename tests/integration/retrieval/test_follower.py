"""What is published while a server runs is opened before anyone asks."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from rag_query.library.snapshot import Library
from rag_query.retrieval.follower import Follower
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

TEA = SmallDoc("tea.md", "# Tea\n\nGreen tea is steamed.")
COFFEE = SmallDoc("coffee.md", "# Coffee\n\nCoffee is roasted.")


def until(true: Callable[[], bool]) -> bool:
    """Whether it became true within 20 seconds."""
    ends = time.monotonic() + 20
    while not true() and time.monotonic() < ends:
        time.sleep(0.01)
    return true()


def test_a_new_snapshot_is_opened_without_a_query(tmp_path: Path) -> None:
    home = build_library(tmp_path, [TEA])
    library = Library.open(home)
    follower = Follower(library, every_s=0.01)
    follower.start()
    follower.start()
    try:
        build_library(tmp_path, [TEA, COFFEE])
        second = library.snapshot()
        assert second.number == 2
        parts = ("_bm25", "_served", "_matrix")
        assert until(lambda: all(part in vars(second) for part in parts))
    finally:
        follower.close()


def test_a_damaged_snapshot_does_not_end_the_following(tmp_path: Path) -> None:
    home = build_library(tmp_path, [TEA])
    library = Library.open(home)
    follower = Follower(library, every_s=0.01)
    follower.start()
    try:
        published = home.current.read_bytes()
        home.current.write_text("99\n")
        time.sleep(0.1)
        home.current.write_bytes(published)
        build_library(tmp_path, [TEA, COFFEE])
        assert until(lambda: "_served" in vars(library.snapshot()))
    finally:
        follower.close()
