"""Work in a thread, so that the event loop goes on answering."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from rag_query.cancellation import Cancellation

_T = TypeVar("_T")


async def off_loop(work: Callable[[], _T]) -> _T:
    """The result of ``work``, which writes nothing after its last checkpoint but a whole record.

    A canceled call returns at once, and its work ends at its next checkpoint.
    """
    cancellation = Cancellation()

    def run() -> _T:
        with cancellation.active():
            return work()

    try:
        return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        cancellation.cancel()
        raise
