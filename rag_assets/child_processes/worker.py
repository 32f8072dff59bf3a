"""The child process of :mod:`rag_assets.child_processes.pool`: one job after another, until killed.

It must start fast, so it imports what a job needs when the job comes. Its standard output goes
nowhere: a parser that prints cannot corrupt what the parent prints. It dies with its parent.

A job names a function as ``package.module:function``; it is called with the job's arguments and
returns something that can be pickled.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import traceback
from collections.abc import Callable
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

from rag_assets.child_processes.jobs import MODULES_VARIABLE, Job, Outcome, out_of_memory
from rag_assets.child_processes.parent import die_with
from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify


def perform(job: Job) -> Outcome:
    """Run a job here and now; never raises but for what stops a process."""
    try:
        return Outcome(_function(job.target)(*job.arguments))
    except MemoryError:
        return Outcome(error=out_of_memory())
    except ExcerptaError as exc:
        return Outcome(error=exc)
    except OSError as exc:
        return Outcome(error=classify(exc))
    except Exception as exc:
        message = f"{type(exc).__name__}: {' '.join(str(exc).split())[:300]}"
        error = ExcerptaError(ErrorCode.PARSE_FAILED, message)
        return Outcome(error=error, trace=traceback.format_exc())


@cache
def _function(target: str) -> Callable[..., Any]:
    module, name = target.split(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def main() -> None:
    """``python -m rag_assets.child_processes.worker <descriptor> <parent pid> <memory bytes>``."""
    descriptor, parent, memory = map(int, sys.argv[1:4])
    # Where the kernel sends no signal, the pipe's end does it.
    die_with(parent)
    _limit_memory(memory)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    pipe: Connection[Any, Any] = Connection(descriptor)
    for module in filter(None, os.environ.get(MODULES_VARIABLE, "").split(os.pathsep)):
        importlib.import_module(module)
    # Parsing makes many objects and few cycles: collecting between jobs is cheaper.
    gc.disable()
    gc.freeze()
    pipe.send(None)
    since_collected = 0
    while True:
        try:
            batch = pipe.recv()
        except EOFError:
            return
        for job in batch:
            pipe.send(perform(job))
            since_collected += 1 + job.weight // 10_000
            if since_collected >= 200:
                gc.collect()
                since_collected = 0


def _limit_memory(memory: int) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    if soft == resource.RLIM_INFINITY or limit < soft:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


if __name__ == "__main__":
    main()
