"""Several calls at once lose no answer, and no more is asked of what is out of order."""

from __future__ import annotations

import threading

import pytest

from rag_assets.embeddings.parallel import map_in_parallel


@pytest.mark.parametrize("parallel", [1, 3])
def test_every_question_is_answered_once(parallel: int) -> None:
    found = list(map_in_parallel(lambda n: n * n, range(20), parallel))
    assert sorted(found) == [(n, n * n) for n in range(20)]


def test_as_many_as_allowed_are_under_way() -> None:
    together = threading.Barrier(3, timeout=20)
    under_way, most, lock = 0, 0, threading.Lock()

    def call(n: int) -> int:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        together.wait()
        with lock:
            under_way -= 1
        return n

    assert len(list(map_in_parallel(call, range(9), 3))) == 9
    assert most == 3


def test_what_was_under_way_when_a_call_failed_is_kept_and_no_more_is_asked() -> None:
    failed = threading.Event()
    asked: list[int] = []

    def call(n: int) -> int:
        asked.append(n)
        if n == 0:
            failed.set()
            raise OSError("out of order")
        assert failed.wait(20)
        return n

    found: list[tuple[int, int]] = []
    with pytest.raises(OSError, match="out of order"):
        found.extend(map_in_parallel(call, range(50), 2))
    assert (1, 1) in found
    assert len(asked) <= 3


def test_the_first_of_several_failures_is_raised() -> None:
    first, third = threading.Event(), threading.Event()

    def call(n: int) -> int:
        if n == 0:
            first.set()
            raise OSError("the first")
        if n == 1:
            # Ends only after what failed first was seen: the third was never asked for.
            assert first.wait(20) and not third.wait(0.2)
            raise OSError("the second")
        third.set()
        return n

    with pytest.raises(OSError, match="the first"):
        list(map_in_parallel(call, range(9), 2))


def test_as_many_stay_under_way_as_long_as_there_is_something_to_ask() -> None:
    together = threading.Barrier(3, timeout=20)

    def call(n: int) -> int:
        # The first batch ends one by one; those after it can only go on three at once.
        if n >= 3:
            together.wait()
        return n

    assert len(list(map_in_parallel(call, range(9), 3))) == 9
