"""Runs whose process was killed (by hand, for want of memory, by a power cut), but which are under
way to Dagster.

Dagster ends such a run only where its launcher can ask after a run's process. The one that starts
processes on this machine can do so only while the code server lives that started them: afterwards
the run, and the backfill it is of, would be under way for ever, and what it holds of a concurrency
pool would keep every later run waiting.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rag_assets.process_identity import process_start
from rag_assets.run_status import RunFiles
from rag_query.contracts.errors import ExcerptaError
from rag_query.library.home import Home

if TYPE_CHECKING:
    from dagster import DagsterInstance, DagsterRun

#: Under which Dagster notes the code server that started a run.
_SERVER_TAG = ".dagster/grpc_info"
_THIS_HOST = {"localhost", "127.0.0.1", "::1"}


def settle_dead_runs(home: Home, instance: DagsterInstance) -> None:
    """Give the dead runs of this machine their end, and back what ended runs hold of pools.

    Left alone are runs that live, that have not begun, or that another machine started; and all
    where the launcher can ask after them, since Dagster's run monitoring does.
    """
    import dagster as dg

    if instance.run_launcher.supports_check_run_worker_health:
        return
    unfinished = [
        dg.DagsterRunStatus.NOT_STARTED,
        dg.DagsterRunStatus.STARTING,
        dg.DagsterRunStatus.STARTED,
        dg.DagsterRunStatus.CANCELING,
    ]
    files = RunFiles(home)
    for run in instance.get_runs(filters=dg.RunsFilter(statuses=unfinished)):
        if not _started_elsewhere(run):
            _settle(files, instance, run)
    storage = instance.event_log_storage
    for run_id in storage.get_concurrency_run_ids():
        holder = instance.get_run_by_id(run_id)
        if holder is None or holder.is_finished:
            storage.free_concurrency_slots_for_run(run_id)


def _started_elsewhere(run: DagsterRun) -> bool:
    server = json.loads(run.tags.get(_SERVER_TAG, "{}"))
    return server.get("host", "localhost") not in _THIS_HOST


def _settle(files: RunFiles, instance: DagsterInstance, run: DagsterRun) -> None:
    state, message = "failure", "The run's process was killed."
    try:
        status = files.settled(run.run_id)
    except ExcerptaError:
        status = None  # not a run that keeps a status file, or killed before it had one
    if status is not None and status.ended:
        state, message = status.state, status.message or message
    elif (status is not None and status.pid is not None) or not _process_is_gone(instance, run):
        return
    now = instance.get_run_by_id(run.run_id)
    if now is None or now.is_finished:
        return  # it has ended by itself since it was listed
    if state == "canceled":
        instance.report_run_canceled(now)
    else:
        instance.report_run_failed(now, message)


def _process_is_gone(instance: DagsterInstance, run: DagsterRun) -> bool:
    """Whether no process has the number that Dagster noted of the run's; not where it noted none.

    Another process may have the number by now; then the run is left as it is.
    """
    import dagster as dg

    for entry in instance.all_logs(run.run_id, of_type=dg.DagsterEventType.ENGINE_EVENT):
        metadata = entry.get_dagster_event().engine_event_data.metadata
        if (pid := metadata.get("pid")) is not None:
            return process_start(int(str(pid.value))) is None
    return False
