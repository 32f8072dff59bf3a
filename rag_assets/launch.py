"""Starting, following and ending runs from outside; light to import (no Dagster).

When a Dagster webserver of the library answers, a run is submitted to it; otherwise it becomes a
detached process on the same Dagster instance, so that it shows in the UI either way. Nothing is
materialised in the caller's process.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from rag_assets.instance import instance_environment, prepare_instance
from rag_assets.process_identity import process_start
from rag_assets.run_status import RunFiles, RunStatus
from rag_assets.webserver import Webserver
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.ingestion import VersionPolicy
from rag_query.library.home import Home
from rag_query.library.manifests import check_shards
from rag_query.library.settings import load_settings

__all__ = ["RunHandle", "RunStatus", "cancel", "follow", "list_runs", "run_status", "start_ingest"]

JobName = Literal["ingest", "reindex", "publish"]

RANGE_START_TAG = "dagster/asset_partition_range_start"
RANGE_END_TAG = "dagster/asset_partition_range_end"
#: ``true`` on a run that tries again what failed before, though nothing has changed.
RETRY_TAG = "excerpta/retry_failed"
#: How long a run may take to end itself before it is killed.
_GRACE_S = 10.0
#: Between two requests to end a run that is only starting.
_ASK_AGAIN_S = 0.5
#: Children of this process; held so that they are reaped.
_CHILDREN: dict[str, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True, slots=True)
class RunHandle:
    """A run that was started.

    Attributes:
        run_id: of Dagster.
        pid: of the run's process and of its process group; None when Dagster starts it.
    """

    run_id: str
    pid: int | None
    via: Literal["process", "dagster"]


def start_ingest(
    home: Home,
    *,
    shards: Sequence[str] | None = None,
    job: JobName = "ingest",
    retry_failed: bool = False,
    policy: VersionPolicy = "skip",
    paths: Sequence[Path] = (),
) -> RunHandle:
    """Start a run and return at once.

    Args:
        shards: a contiguous range of the library's shards; all of them by default.
        job: ``ingest``, ``reindex`` or ``publish``.
        retry_failed: try again what failed before, though nothing has changed.
        policy: what a run of ``ingest`` makes of files whose bytes the library holds.
        paths: of files and folders that ``new_version`` is for; without any it is for every file.

    Raises:
        ExcerptaError: what :func:`load_settings` and :func:`check_shards` raise;
            ``INVALID_ARGUMENT`` for shards that are unknown or not contiguous; ``RUN_FAILED`` when
            a webserver refuses the run.
        OSError: the disk is full or no process can be started.
    """
    settings = load_settings(home)
    check_shards(home, settings)
    names = settings.shard_names
    chosen = _range(names, shards)
    prepare_instance(home)
    tags = {RANGE_START_TAG: chosen[0], RANGE_END_TAG: chosen[-1]}
    if retry_failed:
        tags[RETRY_TAG] = "true"
    config = _config(policy, paths)
    webserver = Webserver.find(home)
    if webserver is not None:
        run_id = webserver.launch(job, tags, config)
        _create(home, run_id, job, chosen, "dagster")
        return RunHandle(run_id, None, "dagster")
    run_id = str(uuid.uuid4())
    _create(home, run_id, job, chosen, "process")
    return RunHandle(run_id, _spawn(home, run_id, job, tags, config), "process")


def run_status(home: Home, run_id: str) -> RunStatus:
    """How far a run is. A run whose process died is ``failure``.

    Raises:
        ExcerptaError: ``JOB_NOT_FOUND``.
    """
    child = _CHILDREN.get(run_id)
    if child is not None and child.poll() is not None:
        del _CHILDREN[run_id]
    return RunFiles(home).settled(run_id)


def follow(
    home: Home, run_id: str, *, poll_s: float = 0.1, timeout_s: float | None = None
) -> Iterator[RunStatus]:
    """The run's status now and after each change; ends after a final one, or at the time-out."""
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    last: RunStatus | None = None
    while True:
        status = run_status(home, run_id)
        if status != last:
            yield status
            last = status
        if status.ended or (deadline is not None and time.monotonic() >= deadline):
            return
        time.sleep(poll_s)


def list_runs(home: Home) -> list[RunStatus]:
    """Every known run, newest first."""
    for run_id, child in list(_CHILDREN.items()):
        if child.poll() is not None:
            del _CHILDREN[run_id]
    return RunFiles(home).all()


def cancel(home: Home, run_id: str) -> RunStatus:
    """End a run and wait until it has ended; its status then. Ending an ended one does nothing.

    The run is asked to stop, and killed with its child processes when it does not within ten
    seconds. Nothing published is harmed in either case.

    Raises:
        ExcerptaError: ``JOB_NOT_FOUND``; ``RUN_FAILED`` when a webserver refuses to the end.
    """
    status = run_status(home, run_id)
    if status.ended:
        return status
    status = RunFiles(home).update(run_id, cancel_requested=True, message="Canceling.")
    refused = None
    if status.via == "dagster":
        webserver = Webserver.find(home)
        if webserver is not None:
            refused = _terminate(home, webserver, run_id)
        elif status.pid is not None:
            _signal(status, signal.SIGTERM)
    else:
        _signal(status, signal.SIGTERM)
    for current in follow(home, run_id, timeout_s=_GRACE_S):
        status = current
    if not status.ended:
        _signal(status, signal.SIGKILL)
        for current in follow(home, run_id, timeout_s=_GRACE_S):
            status = current
    if refused is not None and not status.ended:
        raise refused
    return status


def _terminate(home: Home, webserver: Webserver, run_id: str) -> ExcerptaError | None:
    """Ask a webserver to end a run, again and again as long as it may take to start: Dagster ends
    no run that is only starting. What it said last, when it refused to the end."""
    deadline = time.monotonic() + _GRACE_S
    while True:
        try:
            webserver.terminate(run_id)
        except ExcerptaError as exc:
            refused = exc
        else:
            return None
        if run_status(home, run_id).ended:
            return None
        if time.monotonic() >= deadline:
            return ExcerptaError(
                refused.code,
                refused.message,
                hint=refused.hint or "It may be only starting: cancel it again in some seconds.",
                transient=True,
            )
        time.sleep(_ASK_AGAIN_S)


def _signal(status: RunStatus, number: signal.Signals) -> None:
    pid = status.pid
    if pid is None or process_start(pid) is None:
        return
    with contextlib.suppress(ProcessLookupError):
        # A run started here leads a process group, with the parsers it started.
        if status.via == "process" and os.getpgid(pid) == pid:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)


def _range(names: list[str], shards: Sequence[str] | None) -> list[str]:
    if shards is None:
        return names
    unknown = sorted(set(shards) - set(names))
    places = sorted({names.index(shard) for shard in shards if shard in names})
    if unknown or not places or places[-1] - places[0] + 1 != len(places):
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"No such shards: {', '.join(unknown)}."
            if unknown
            else "The shards of a run must follow each other without a gap.",
            hint=f"This library has {names[0]} to {names[-1]}.",
        )
    return [names[place] for place in places]


def _create(
    home: Home, run_id: str, job: str, shards: list[str], via: Literal["process", "dagster"]
) -> None:
    status = RunStatus(
        run_id=run_id,
        job=job,
        state="queued",
        via=via,
        shards=shards,
        message="Starting.",
        submitted_at=datetime.now(UTC),
    )
    RunFiles(home).announce(status)


def _config(policy: VersionPolicy, paths: Sequence[Path]) -> dict[str, Any]:
    """Dagster's run config; nothing where the defaults are meant, which every job takes."""
    if policy == "skip":
        return {}
    chosen = {"policy": policy, "paths": [os.path.abspath(path) for path in paths]}
    return {"ops": {"inventory": {"config": chosen}}}


def _spawn(home: Home, run_id: str, job: str, tags: dict[str, str], config: dict[str, Any]) -> int:
    home.logs.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "rag_assets.run_process"]
    command += ["--home", str(home.root), "--run", run_id, "--job", job]
    for key, value in tags.items():
        command += ["--tag", key, value]
    command += ["--config", json.dumps(config)]
    with (home.logs / f"run-{run_id}.log").open("ab") as log:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=instance_environment(home),
            start_new_session=True,
        )
    _CHILDREN[run_id] = child
    RunFiles(home).update(run_id, pid=child.pid, process_started=process_start(child.pid))
    return child.pid
