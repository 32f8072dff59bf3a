"""A run's own view of how far it is, written to its status file (:mod:`rag_assets.run_status`)."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from rag_assets.process_identity import process_start
from rag_assets.run_status import (
    DuplicateFile,
    FailedDocument,
    RenamedDocument,
    RunError,
    RunFiles,
    RunStatus,
)
from rag_query.contracts.errors import ExcerptaError
from rag_query.library.files import waits
from rag_query.library.home import Home

#: Failed documents named in a status; the others are counted.
NAMED = 100
#: Shortest time between two messages about the same step, in seconds.
_QUIET_S = 0.5


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What a step of a run found.

    Attributes:
        counts: take the place of earlier ones of the same name.
        computed: document versions computed, added to those of earlier steps.
        failed: counted as failed, unless ``counts`` says how many failed.
        moved: name -> how many documents more (or fewer, below 0) belong there than an earlier
            step counted.
        snapshot: the number of the one that was published.
    """

    counts: Mapping[str, int]
    computed: int = 0
    failed: Sequence[FailedDocument] = ()
    moved: Mapping[str, int] = field(default_factory=dict)
    renamed: Sequence[RenamedDocument] = ()
    duplicates: Sequence[DuplicateFile] = ()
    ignored: Sequence[FailedDocument] = ()
    warnings: Sequence[str] = ()
    snapshot: int | None = None

    def counts_after(self, before: Mapping[str, int], *, newly_failed: int) -> dict[str, int]:
        """The counts of a run that had counted ``before`` until this step.

        Args:
            newly_failed: how many of ``failed`` no earlier step had named.
        """
        merged = {**before, **self.counts}
        merged["computed"] = before.get("computed", 0) + self.computed
        if "failed" not in self.counts:
            merged["failed"] = merged.get("failed", 0) + newly_failed
        for name, number in self.moved.items():
            merged[name] = max(0, merged.get(name, 0) + number)
        return merged


class RunProgress:
    """Updates one run's status.

    Attributes:
        mended: documents that failed before and could be read in this run: source URI -> the
            count they were added to.
    """

    def __init__(self, home: Home, run_id: str) -> None:
        self._files = RunFiles(home)
        self._run_id = run_id
        self._last_message = 0.0
        self._message = ""
        self.mended: dict[str, str] = {}

    @classmethod
    def of_run(cls, home: Home, run_id: str, job: str, shards: Sequence[str]) -> RunProgress:
        """Of a run that begins in this process, announced before or not."""
        progress = cls(home, run_id)
        progress._files.announce(
            RunStatus(
                run_id=run_id,
                job=job,
                state="queued",
                via="dagster",
                shards=list(shards),
                submitted_at=datetime.now(UTC),
            )
        )
        pid = os.getpid()
        progress._update(pid=pid, process_started=process_start(pid))
        return progress

    def waiting(self) -> None:
        """Another run has the library."""
        others = [
            status.run_id
            for status in self._files.all()
            if status.state == "running" and status.run_id != self._run_id
        ]
        other = others[0] if others else None
        name = f"run {other}" if other else "another process"
        self._update(state="queued", waits_for=other, message=f"Waits for {name} to end.")

    def running(self) -> None:
        """The run has what it needs."""
        self._update(
            state="running", waits_for=None, message="Opened.", started_at=datetime.now(UTC)
        )

    @contextlib.contextmanager
    def telling_waits(self) -> Iterator[None]:
        """Within the block the status says what a step waits for, as long as it does."""
        handler = _Waits(self)
        level = waits.level
        waits.setLevel(logging.INFO)
        waits.addHandler(handler)
        try:
            yield
        finally:
            waits.removeHandler(handler)
            waits.setLevel(level)

    def waits_within_step(self, reason: str | None) -> None:
        """The step waits for another process, or goes on (None)."""
        self._files.update(self._run_id, message=reason or self._message)

    def step(self, name: str, total: int) -> None:
        """A step begins; the run has ``total``."""
        self._update(step=name, steps_total=total, message=f"{name} …")
        self._last_message = time.monotonic()

    def shard(self, name: str, number: int, total: int) -> None:
        """A step begins with its ``number``-th shard (from 1); written only now and then."""
        now = time.monotonic()
        if now - self._last_message >= _QUIET_S:
            self._last_message = now
            self._update(message=f"{name}: shard {number} of {total}")

    def step_done(self, found: StepOutcome) -> None:
        """A step ended; what it found is added to the run's status."""
        before = self._files.read(self._run_id)
        known = {document.source_uri for document in before.failed_documents}
        new = [document for document in found.failed if document.source_uri not in known]
        self._update(
            steps_done=before.steps_done + 1,
            counts=found.counts_after(before.counts, newly_failed=len(new)),
            failed_documents=[*before.failed_documents, *new][:NAMED],
            renamed_documents=[*before.renamed_documents, *found.renamed][:NAMED],
            duplicate_files=[*before.duplicate_files, *found.duplicates],
            ignored_files=[*before.ignored_files, *found.ignored],
            warnings=[*before.warnings, *found.warnings],
            snapshot=found.snapshot if found.snapshot is not None else before.snapshot,
        )

    def failed(self, error: ExcerptaError, step: str | None = None) -> None:
        """The run, or a step that will not be tried again, failed. Never raises: the failure itself
        matters."""
        with contextlib.suppress(OSError, ExcerptaError):
            self._update(
                message=str(error),
                error=RunError(
                    code=str(error.code), message=error.message, hint=error.hint, step=step
                ),
            )

    def _update(self, **changes: Any) -> None:
        self._message = changes.get("message", self._message)
        self._files.update(self._run_id, **changes)


class _Waits(logging.Handler):
    def __init__(self, progress: RunProgress) -> None:
        super().__init__()
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        goes_on = record.levelno < logging.WARNING
        with contextlib.suppress(OSError, ExcerptaError):  # the wait itself matters
            self._progress.waits_within_step(None if goes_on else record.getMessage())
