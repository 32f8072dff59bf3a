"""Work on hostile input in killable child processes (DESIGN 3, 7).

Children are persistent: starting one costs more than parsing most documents. They are given
batches, and work through a batch in order, so the parent always knows which job a child is at; a
child that hangs, eats memory or crashes costs that one job, and the rest of its batch goes to a
fresh one. They are separate programs started afresh, so no lock or thread of the parent leaks in.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import wait

from rag_assets.child_processes.child import Child
from rag_assets.child_processes.jobs import MODULES_VARIABLE, Job, Outcome, out_of_memory
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.settings import Limits

log = logging.getLogger(__name__)

#: A batch ends at this weight in bytes or this number of jobs, whichever comes first.
_BATCH_BYTES = 256 * 1024
_BATCH_JOBS = 64
#: Parsers leak; a child is replaced after so many jobs.
_RECYCLE_JOBS = 4000
#: Children without work are ended after so many seconds: what follows needs their memory.
_IDLE_S = 30.0
#: How often memory is looked at, in seconds.
_WATCH_S = 0.1
#: A child that is not ready by then, in seconds, never will be.
_START_S = 60.0
#: Children that may fail to start in a row before the stage gives up.
_START_FAILURES = 3


class ProcessPool:
    """At most ``workers`` children under the limits of a library; one caller at a time.

    Args:
        workers: children at once.
        timeout_s: wall-clock seconds for one job.
        memory_bytes: resident memory of a child above which its job is stopped.
    """

    def __init__(self, workers: int, timeout_s: float, memory_bytes: int) -> None:
        self._workers = workers
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._children: list[Child] = []
        self._start_failures = 0
        self._lock = threading.Lock()
        self._ending: threading.Timer | None = None

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Outcome]]:
        """Perform every job; outcomes come in the order they are ready.

        A job that hangs ends as ``PARSER_TIMEOUT``, one that needs too much memory as
        ``PARSER_MEMORY``, one that ends its child as ``PARSER_CRASHED``. The last two are tried
        once more in a fresh child first, so that no job pays for what others left behind.

        Raises:
            ExcerptaError: ``INTERNAL`` when children cannot be started at all.
        """
        # The heaviest first, so that no long job is left for the end.
        waiting = deque(sorted(jobs, key=lambda job: -job.weight))
        if not waiting:
            return
        with self._lock:
            if self._ending is not None:
                self._ending.cancel()
            self._drop_dead()
            retried: set[str] = set()
            try:
                while waiting or any(child.batch for child in self._children):
                    self._deal(waiting, retried)
                    yield from self._listen(waiting, retried)
            finally:
                # A caller that stops early leaves children in the middle of a batch.
                for child in [c for c in self._children if c.batch]:
                    self._remove(child)
                self._end_when_idle()

    def start(self, jobs: int) -> None:
        """Start the children that so many jobs to come will need, and do not wait for them.

        Raises OSError.
        """
        with self._lock:
            self._drop_dead()
            for _ in range(min(jobs, self._workers) - len(self._children)):
                self._children.append(Child.start(self._memory_bytes))
            self._end_when_idle()

    def _end_when_idle(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
        self._ending = threading.Timer(_IDLE_S, self._end_idle)
        self._ending.daemon = True
        self._ending.start()

    def _end_idle(self) -> None:
        # Held by a caller who came in the last moment, who needs the children.
        if self._lock.acquire(blocking=False):
            try:
                self.close()
            finally:
                self._lock.release()

    def close(self) -> None:
        """End every child."""
        for child in list(self._children):
            self._remove(child)

    def _deal(self, waiting: deque[Job], retried: set[str]) -> None:
        for child in [c for c in self._children if not c.batch and c.done >= _RECYCLE_JOBS]:
            self._remove(child)
        idle = [child for child in self._children if child.ready and not child.batch]
        starting = sum(not child.ready for child in self._children)
        room = self._workers - len(self._children)
        # No more children than there are batches for them.
        for _ in range(min(room, len(waiting) - len(idle) - starting)):
            self._children.append(Child.start(self._memory_bytes))
        for child in idle:
            if not waiting:
                return
            if waiting[0].key in retried:
                if child.done:
                    self._remove(child)
                    continue
                batch = [waiting.popleft()]
            else:
                batch = _next_batch(waiting, self._workers)
            child.batch.extend(batch)
            child.since = time.monotonic()
            with contextlib.suppress(ConnectionError):
                # A broken pipe shows as the child's end when it is listened to.
                child.pipe.send(batch)

    def _listen(self, waiting: deque[Job], retried: set[str]) -> Iterator[tuple[Job, Outcome]]:
        by_pipe = {child.pipe: child for child in self._children}
        for pipe in wait(list(by_pipe), timeout=_WATCH_S):
            child = by_pipe[pipe]  # type: ignore[index]
            try:
                while child.pipe.poll():
                    outcome = child.pipe.recv()
                    if not child.ready:
                        child.ready = True
                        self._start_failures = 0
                        break
                    job = child.batch.popleft()
                    child.since = time.monotonic()
                    if outcome.error is not None and outcome.error.code == ErrorCode.PARSER_MEMORY:
                        # Its heap is in pieces.
                        yield from self._stop(child, job, outcome, waiting, retried)
                        break
                    child.done += 1
                    if outcome.trace:
                        log.error("%s of %s failed\n%s", job.target, job.key, outcome.trace)
                    yield job, outcome
            except (EOFError, ConnectionError):
                yield from self._ended(child, waiting, retried)
        yield from self._watch(waiting, retried)

    def _watch(self, waiting: deque[Job], retried: set[str]) -> Iterator[tuple[Job, Outcome]]:
        now = time.monotonic()
        for child in list(self._children):
            if not child.ready:
                if now - child.since > _START_S:
                    yield from self._ended(child, waiting, retried)
            # What it has said already is heard first.
            elif child.batch and not child.pipe.poll():
                if now - child.since > self._timeout_s:
                    job = child.batch.popleft()
                    error = ExcerptaError(
                        ErrorCode.PARSER_TIMEOUT,
                        f"Reading the document took longer than {self._timeout_s:g} s.",
                        hint="Raise limits.parse_timeout_s in library.json, or split the file.",
                    )
                    self._take_back(child, waiting)
                    yield job, Outcome(error=error)
                elif child.resident() > self._memory_bytes:
                    job = child.batch.popleft()
                    outcome = Outcome(error=out_of_memory())
                    yield from self._stop(child, job, outcome, waiting, retried)

    def _ended(
        self, child: Child, waiting: deque[Job], retried: set[str]
    ) -> Iterator[tuple[Job, Outcome]]:
        """A child went away by itself."""
        if not child.ready:
            self._start_failures += 1
            error = _not_started(child)
            self._take_back(child, waiting)
            if self._start_failures >= _START_FAILURES:
                raise error
            return
        if not child.batch:
            self._remove(child)
            return
        job = child.batch.popleft()
        cause = child.cause()
        # What kills from outside, for want of memory mostly, need not have been this job's fault.
        killed = cause == signal.SIGKILL.name
        error = ExcerptaError(
            ErrorCode.PARSER_CRASHED,
            f"The parser ended in the middle of the document ({cause}).",
            hint="The next ingest tries it again." if killed else "",
            transient=killed,
        )
        yield from self._stop(child, job, Outcome(error=error), waiting, retried, again=killed)

    def _stop(
        self,
        child: Child,
        job: Job,
        outcome: Outcome,
        waiting: deque[Job],
        retried: set[str],
        *,
        again: bool = False,
    ) -> Iterator[tuple[Job, Outcome]]:
        """Replace a child that failed at ``job``, which gets a second try if others came before,
        or when it is to be tried ``again``."""
        self._take_back(child, waiting)
        if (child.done == 0 and not again) or job.key in retried:
            yield job, outcome
        else:
            retried.add(job.key)
            waiting.appendleft(job)

    def _take_back(self, child: Child, waiting: deque[Job]) -> None:
        waiting.extendleft(reversed(child.batch))
        self._remove(child)

    def _remove(self, child: Child) -> None:
        if child in self._children:
            self._children.remove(child)
        child.close()

    def _drop_dead(self) -> None:
        for child in [c for c in self._children if c.process.poll() is not None]:
            self._remove(child)


def shared_pool(limits: Limits) -> ProcessPool:
    """The pool of this process for these limits; its children outlive a stage, not the process."""
    modules = os.environ.get(MODULES_VARIABLE, "")
    key = (limits.parse_workers, limits.parse_timeout_s, limits.parse_memory_bytes, modules)
    with _pools_lock:
        if key not in _pools:
            _pools[key] = ProcessPool(*key[:3])
        return _pools[key]


def close_pools() -> None:
    """End the children of every shared pool."""
    with _pools_lock:
        for pool in _pools.values():
            pool.close()
        _pools.clear()


_pools: dict[tuple[int, float, int, str], ProcessPool] = {}
_pools_lock = threading.Lock()
atexit.register(close_pools)


def _not_started(child: Child) -> ExcerptaError:
    late = time.monotonic() - child.since > _START_S
    cause = f"not ready after {_START_S:g} s" if late else child.cause()
    return ExcerptaError(
        ErrorCode.INTERNAL,
        f"Parser processes do not start ({cause}): {child.said()}.",
        hint="Where memory is short the system kills processes: free some, or lower "
        "limits.parse_workers in library.json."
        if cause == signal.SIGKILL.name
        else "",
    )


def _next_batch(waiting: deque[Job], workers: int) -> list[Job]:
    """From the front; small enough that the end of the queue is shared by all workers."""
    batch: list[Job] = []
    longest = max(1, min(_BATCH_JOBS, len(waiting) // (2 * workers)))
    weight = 0
    while waiting and len(batch) < longest:
        if batch and weight + waiting[0].weight > _BATCH_BYTES:
            break
        batch.append(waiting.popleft())
        weight += batch[-1].weight
    return batch
