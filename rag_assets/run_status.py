"""``jobs/<run id>.json``: how far a run is, written by the run itself, readable without Dagster.

A run is a process that can be killed at any moment, so what its file says is believed only while
the process lives; of a dead one Dagster's own record decides, and when that has no end either,
the run was killed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from rag_assets.process_identity import process_lives
from rag_query.contracts.errors import ErrorCode, ExcerptaError, disk_full, names_a_full_disk
from rag_query.library.files import exclusive, temporary_beside
from rag_query.library.home import Home

RunState = Literal["queued", "running", "success", "failure", "canceled"]
TERMINAL: frozenset[str] = frozenset({"success", "failure", "canceled"})

#: Instead of Dagster's FAILURE, of a run whose process somebody else found gone.
_KILLED = "KILLED"
_DAGSTER_ENDS: dict[str, RunState] = {
    "SUCCESS": "success",
    "FAILURE": "failure",
    "CANCELED": "canceled",
    _KILLED: "failure",
}
#: Dagster's tag of a run that noted its failure itself.
_REASON_TAG = "dagster/failure_reason"
#: Longer than a run is without a process.
_STARTING = timedelta(seconds=30)
#: With less free space than this, nothing can be written.
_NO_SPACE_BYTES = 64 * 1024
#: The end of a log that is searched for why its run ended.
_LOG_END_BYTES = 64 * 1024


class RunError(BaseModel):
    """Why a run failed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str
    message: str
    hint: str = ""
    step: str | None = None


class FailedDocument(BaseModel):
    """A document that could not be read as its file stands; its version before stays."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source_uri: str
    code: str | None
    message: str | None


class RenamedDocument(BaseModel):
    """A document whose file has another name now."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source_uri: str
    renamed_from: str


class DuplicateFile(BaseModel):
    """A file that holds what another does, and so is an alias of that one's document."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source_uri: str
    same_as: str


class RunStatus(BaseModel):
    """One run.

    Attributes:
        job: name of the Dagster job, or what was materialised by hand.
        step: the asset being made, or the last one.
        steps_total: 0 until the run has planned.
        message: one sentence for a person.
        counts: ``added new_version renamed unchanged duplicates removed failed ignored`` of the
            inventory, and from publication on the first four and ``removed`` against the snapshot
            that was current before; a document that could not be parsed counts as ``failed``
            only; ``computed``, versions computed anew, summed over the stages; rows of each table.
        failed_documents: at most the first hundred.
        renamed_documents: at most the first hundred.
        duplicate_files: the first few.
        ignored_files: the first few that no loader reads, or that may not be read.
        snapshot: the number published by this run, or found unchanged.
        waits_for: run id this one waits for.
        cancel_requested: somebody asked it to end, so that its end is no failure.
        via: ``process`` (started here) or ``dagster`` (by the webserver or the daemon).
        process_started: of :func:`process_start`; earlier releases wrote epoch seconds.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    run_id: str
    job: str
    state: RunState
    via: Literal["process", "dagster"] = "process"
    shards: list[str] = []
    step: str | None = None
    steps_done: int = 0
    steps_total: int = 0
    message: str = ""
    counts: dict[str, int] = {}
    failed_documents: list[FailedDocument] = []
    renamed_documents: list[RenamedDocument] = []
    duplicate_files: list[DuplicateFile] = []
    ignored_files: list[FailedDocument] = []
    warnings: list[str] = []
    snapshot: int | None = None
    error: RunError | None = None
    waits_for: str | None = None
    cancel_requested: bool = False
    pid: int | None = None
    process_started: str | float | None = None
    submitted_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def ended(self) -> bool:
        """Whether the run will not change any more."""
        return self.state in TERMINAL


class RunFiles:
    """The status files of a library."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def _lock(self) -> contextlib.AbstractContextManager[None]:
        # Nobody is told of a wait for it, which would be written here.
        return exclusive(self._home.locks / "jobs.lock", what=None)

    def announce(self, status: RunStatus) -> None:
        """Write the status of a new run, unless the run itself did already. Raises OSError."""
        with self._lock():
            if not self._path(status.run_id).exists():
                self.write(status)

    def write(self, status: RunStatus) -> None:
        """Write a status as it is. Raises OSError.

        Readers see it whole; it need not survive a power failure, so nothing waits for the disk.
        """
        path = self._path(status.run_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(path)
        try:
            temporary.write_text(status.model_dump_json(indent=1), encoding="utf-8")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

    def update(self, run_id: str, **changes: Any) -> RunStatus:
        """Change fields of a run's status; a run that has ended stays as it ended.

        Raises:
            ExcerptaError: ``JOB_NOT_FOUND``.
            OSError: the disk refused.
        """
        with self._lock():
            before = self.read(run_id)
            if before.ended:
                return before
            status = RunStatus.model_validate(before.model_dump() | changes)
            self.write(status)
            return status

    def read(self, run_id: str) -> RunStatus:
        """What the file says. Raises ExcerptaError ``JOB_NOT_FOUND``."""
        try:
            return RunStatus.model_validate_json(self._path(run_id).read_bytes())
        except (FileNotFoundError, NotADirectoryError, ValidationError):
            raise _no_run(run_id) from None
        except OSError as exc:
            if exc.errno == errno.ENAMETOOLONG:
                raise _no_run(run_id) from None
            raise

    def settled(self, run_id: str) -> RunStatus:
        """What is true of the run: its file, corrected when its process is gone.

        Raises:
            ExcerptaError: ``JOB_NOT_FOUND``.
        """
        status = self.read(run_id)
        if status.ended or _lives(status):
            return status
        recorded = self._dagster_status(run_id)
        if status.pid is None and recorded is not None and recorded not in _DAGSTER_ENDS:
            return status  # submitted, and waiting for its process
        # The process may have ended well between the two readings.
        status = self.read(run_id)
        if status.ended:
            return status
        end = _end_of(status, recorded)
        if "error" in end and self._met_a_full_disk(run_id):
            full = disk_full()
            end["message"] = full.message
            end["error"] = RunError(
                code=full.code, message=full.message, hint=full.hint, step=status.step
            )
        try:
            return self.update(run_id, **end)
        except OSError:  # a full disk must not keep anybody from reading
            return RunStatus.model_validate(status.model_dump() | end)

    def all(self) -> list[RunStatus]:
        """Every run that has a file, newest first. One that has ended, and whose moment is still to
        come, is from before the clock was set back."""
        found: list[RunStatus] = []
        for path in self._home.jobs.glob("[!.]*.json"):
            with contextlib.suppress(ExcerptaError):  # cut short by a power failure
                found.append(self.settled(path.stem))
        now = datetime.now(UTC)
        return sorted(
            found,
            key=lambda run: (run.submitted_at <= now or not run.ended, run.submitted_at),
            reverse=True,
        )

    def _met_a_full_disk(self, run_id: str) -> bool:
        """Whether a full disk ended a run that could not note so in its status. Its log says it,
        unless the disk had no room for the log either."""
        with contextlib.suppress(OSError):
            if shutil.disk_usage(self._home.root).free < _NO_SPACE_BYTES:
                return True
        try:
            with (self._home.logs / f"run-{run_id}.log").open("rb") as log:
                log.seek(max(0, log.seek(0, os.SEEK_END) - _LOG_END_BYTES))
                return names_a_full_disk(log.read().decode("utf-8", "replace"))
        except OSError:
            return False

    def _dagster_status(self, run_id: str) -> str | None:
        """The run's status in Dagster's run storage (SQLite, as ``dagster.yaml`` sets it up);
        :data:`_KILLED` for a failure that the run did not note itself."""
        database = self._home.dagster / "history" / "runs.db"
        if not database.exists():
            return None
        uri = f"{database.as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=5)) as connection:
            query = "SELECT status FROM runs WHERE run_id = ?"
            noted = "SELECT 1 FROM run_tags WHERE run_id = ? AND key = ?"
            try:
                row = connection.execute(query, (run_id,)).fetchone()
                if row and row[0] == "FAILURE":
                    by_itself = connection.execute(noted, (run_id, _REASON_TAG)).fetchone()
                    return "FAILURE" if by_itself else _KILLED
            except sqlite3.OperationalError:
                return None  # being created
        return str(row[0]) if row else None

    def _path(self, run_id: str) -> Path:
        # A run id comes from outside; it must not name another folder.
        return self._home.jobs / f"{run_id.replace('/', '_').replace(chr(0), '_')}.json"


def _no_run(run_id: str) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.JOB_NOT_FOUND,
        f"There is no run {run_id[:80]!r} in this library.",
        hint="`excerpta status` or library_job_status lists the runs.",
    )


def _lives(status: RunStatus) -> bool:
    if status.pid is None:
        # The starter writes the number right after it has the process. A moment far ahead is of
        # a clock that was set back since.
        young = abs(datetime.now(UTC) - status.submitted_at) < _STARTING
        return status.via == "process" and young
    return process_lives(status.pid, status.process_started)


def _end_of(status: RunStatus, recorded: str | None) -> dict[str, Any]:
    state = _DAGSTER_ENDS.get(recorded or "", "failure")
    if status.cancel_requested and state == "failure":
        state, recorded = "canceled", "CANCELED"
    end: dict[str, Any] = {"state": state, "ended_at": datetime.now(UTC), "waits_for": None}
    if recorded in _DAGSTER_ENDS and (state != "failure" or status.error is not None):
        end["message"] = {"success": "Done.", "canceled": "Canceled."}.get(state, status.message)
    elif recorded == "FAILURE" or (recorded == _KILLED and status.pid is None):
        end["message"] = "The run failed outside its steps."
        end["error"] = RunError(
            code=ErrorCode.RUN_FAILED,
            message=end["message"],
            hint="The run's page in the Dagster UI (`excerpta ui`) shows why.",
            step=status.step,
        )
    else:
        where = f" during {status.step!r}" if status.step else " before its first step"
        end["message"] = f"The run was killed{where}."
        end["error"] = RunError(
            code=ErrorCode.RUN_FAILED,
            message=f"The run was killed{where}; what is published is whole.",
            hint="Ingest again: it takes up where the run ended.",
            step=status.step,
        )
    return end
