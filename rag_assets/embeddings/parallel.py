"""Calls to a service, a few under way at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")


def map_in_parallel(
    call: Callable[[Argument], Result], arguments: Iterable[Argument], parallel: int
) -> Iterator[tuple[Argument, Result]]:
    """Every argument with its result, as they come; no argument is taken before it is passed.

    Args:
        call: made in a thread of its own when ``parallel`` is more than 1.
        parallel: calls under way at once, at least 1.

    Raises:
        Exception: the first that a call raised, once those under way have ended and their results
            were given.
    """
    if parallel == 1:
        yield from ((argument, call(argument)) for argument in arguments)
        return
    left = iter(arguments)
    under_way: dict[Future[Result], Argument] = {}
    failure: BaseException | None = None
    with ThreadPoolExecutor(parallel) as threads:
        while True:
            if failure is None:
                for argument in islice(left, parallel - len(under_way)):
                    under_way[threads.submit(call, argument)] = argument
            if not under_way:
                break
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                argument = under_way.pop(future)
                if (raised := future.exception()) is None:
                    yield argument, future.result()
                else:
                    failure = failure or raised
    if failure is not None:
        raise failure
