"""Following what is published, whatever is met on the way."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

from rag_query.retrieval.follower import Follower


class _Library:
    """Publishes 1, cannot be read twice, publishes 2, which cannot be warmed, and then 3."""

    def __init__(self) -> None:
        self.warmed = threading.Event()
        self._looks = iter([1, OSError("a disk"), RuntimeError("a wonder"), 2])

    def snapshot(self) -> Any:
        found = next(self._looks, 3)
        if isinstance(found, Exception):
            raise found
        return SimpleNamespace(number=found, warm=lambda: self._warm(found))

    def _warm(self, number: int) -> None:
        if number == 2:
            raise OSError("a shard")
        self.warmed.set()


def test_a_fault_of_the_disk_does_not_end_the_following() -> None:
    library: Any = _Library()
    follower = Follower(library, every_s=0.001)
    follower.start()
    try:
        assert library.warmed.wait(10)
    finally:
        follower.close()
