"""One run as a process: ``python -m rag_assets.run_process``, started by :mod:`rag_assets.launch`.

It executes a job in itself on the library's Dagster instance, under a run id given from outside,
and keeps the run's status file. It can be killed at any moment.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import logging
import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from rag_assets.instance import open_instance
from rag_assets.left_helpers import end_left_helpers
from rag_assets.progress import RunProgress
from rag_assets.retention import prune_runs
from rag_assets.run_status import RunError, RunFiles
from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.library.home import Home

log = logging.getLogger(__name__)

#: Objects made and not yet freed between two runs of the garbage collector over the youngest.
_OBJECTS_BETWEEN_COLLECTIONS = 20_000


def main() -> int:
    """Run and report; 0 when the run succeeded."""
    parser = argparse.ArgumentParser(prog="rag_assets.run_process")
    parser.add_argument("--home", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--job", required=True)
    parser.add_argument("--tag", required=True, nargs=2, action="append")
    parser.add_argument("--config", required=True, type=json.loads, help="Dagster's, as JSON")
    given = parser.parse_args()
    home = Home.resolve(given.home)
    try:
        succeeded = _execute(home, given.run, given.job, dict(given.tag), given.config)
    except BaseException as exc:
        _end_badly(home, given.run, exc)
        raise
    return 0 if succeeded else 1


def _execute(
    home: Home, run_id: str, job: str, tags: dict[str, str], config: dict[str, Any]
) -> bool:
    # Dagster turns an interrupt into a canceled run; being asked to stop is one.
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
    RunProgress.of_run(home, run_id, job, [])

    with _lasting():
        from rag_assets.definitions import defs
        from rag_assets.event_log import quick_event_log

    with quick_event_log(), open_instance(home) as instance:
        end_left_helpers(home)
        result = defs.resolve_job_def(job).execute_in_process(
            instance=instance,
            run_id=run_id,
            tags=tags,
            run_config=config | {"loggers": {"console": {"config": {"log_level": "WARNING"}}}},
            raise_on_error=False,
        )
        state = "success" if result.success else "failure"
        if not result.success and RunFiles(home).read(run_id).cancel_requested:
            # Dagster takes an interrupt it was not told of for a failure.
            instance.report_run_canceled(result.dagster_run)
            state = "canceled"
        prune_runs(home, instance)
    _end(home, run_id, state)
    return result.success


@contextlib.contextmanager
def _lasting() -> Iterator[None]:
    """For imports, whose objects last as long as the process: the garbage collector does not look
    at them within the block or later. It also runs more rarely afterwards, since tables and
    documents are freed without it."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        gc.enable()


def _end(home: Home, run_id: str, state: str) -> None:
    files = RunFiles(home)
    before = files.read(run_id)
    changes: dict[str, object] = {"state": state, "ended_at": datetime.now(UTC)}
    changes["waits_for"] = None
    if state == "failure":
        error = before.error or RunError(
            code=ErrorCode.RUN_FAILED,
            message="The run failed outside its steps.",
            hint="The run's page in the Dagster UI (`excerpta ui`) shows why.",
            step=before.step,
        )
        changes |= {"error": error, "message": error.message}
    else:
        changes |= {"error": None, "message": "Done." if state == "success" else "Canceled."}
    files.update(run_id, **changes)


def _end_badly(home: Home, run_id: str, exc: BaseException) -> None:
    """The run could not even be executed. The log file has the traceback."""
    error = classify(exc)
    if isinstance(exc, KeyboardInterrupt):
        changes: dict[str, object] = {"state": "canceled", "message": "Canceled."}
    else:
        cause = RunError(code=str(error.code), message=error.message, hint=error.hint)
        changes = {"state": "failure", "message": str(error), "error": cause}
    try:
        RunFiles(home).update(run_id, **changes, waits_for=None, ended_at=datetime.now(UTC))
    except (OSError, ExcerptaError):
        log.exception("the run's status could not be written")


if __name__ == "__main__":
    code = main()
    # Nothing is left to save; native libraries can take seconds to unload.
    os._exit(code)
