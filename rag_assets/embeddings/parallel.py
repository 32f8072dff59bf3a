"""Calls to a service, a few under way at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

Asked = TypeVar("Asked")
Said = TypeVar("Said")


def answers(
    call: Callable[[Asked], Said], questions: Iterable[Asked], parallel: int
) -> Iterator[tuple[Asked, Said]]:
    """Every question with its answer, as they come; no question is taken before it is called.

    Args:
        call: made in a thread of its own when ``parallel`` is more than 1.
        parallel: calls under way at once, at least 1.

    Raises:
        Exception: the first that a call raised, once those under way have ended and what they
            answered was given.
    """
    if parallel == 1:
        yield from ((question, call(question)) for question in questions)
        return
    left = iter(questions)
    asked: dict[Future[Said], Asked] = {}
    failure: BaseException | None = None
    with ThreadPoolExecutor(parallel) as threads:
        while True:
            if failure is None:
                for question in islice(left, parallel - len(asked)):
                    asked[threads.submit(call, question)] = question
            if not asked:
                break
            for future in wait(asked, return_when=FIRST_COMPLETED).done:
                question = asked.pop(future)
                if (raised := future.exception()) is None:
                    yield question, future.result()
                else:
                    failure = failure or raised
    if failure is not None:
        raise failure
