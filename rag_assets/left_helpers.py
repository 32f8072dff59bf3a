"""Helpers of Dagster that outlived their run.

Dagster copies what a run prints by a ``tail`` beside it, and has a second process end that one when
the run dies. Killed both at once, with ``kill -9``, the ``tail`` stays for ever.
"""

from __future__ import annotations

import contextlib
import logging
import os
from pathlib import Path

import psutil

from rag_assets.run_status import RunFiles
from rag_query.contracts.errors import ExcerptaError
from rag_query.library.home import Home

log = logging.getLogger(__name__)

#: As ``dagster._core.execution.compute_logs`` starts it, before the path.
_COMMAND = ["tail", "-F", "-c", "+0"]


def end_left_helpers(home: Home) -> list[int]:
    """End what is provably left of dead runs of this library; the process numbers.

    That is a ``tail``, begun just as Dagster begins it on the log of one of the library's runs, in
    the session that the run's own process opened (no other process can be in it, and its number is
    given to none while somebody is), after that run has ended.
    """
    files = RunFiles(home)
    ended: list[int] = []
    for process in psutil.process_iter():
        # It is gone, or somebody else's.
        with contextlib.suppress(psutil.Error, ProcessLookupError, PermissionError):
            run_id = _run_followed(home, process.cmdline())
            if run_id is not None and _is_left(files, run_id, process.pid):
                process.terminate()
                ended.append(process.pid)
    if ended:
        log.warning("ended %d helper processes of killed runs", len(ended))
    return ended


def _run_followed(home: Home, command: list[str]) -> str | None:
    """The run whose log a process follows."""
    if command[:-1] != _COMMAND:
        return None
    logs = home.dagster / "storage"
    path = Path(command[-1])
    if not path.is_relative_to(logs):
        return None
    run_id, kind, *_ = (*path.relative_to(logs).parts, "", "")
    return run_id if kind == "compute_logs" else None


def _is_left(files: RunFiles, run_id: str, pid: int) -> bool:
    try:
        status = files.settled(run_id)
    except ExcerptaError:
        return False
    return status.ended and status.via == "process" and os.getsid(pid) == status.pid
