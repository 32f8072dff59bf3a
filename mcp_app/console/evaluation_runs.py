"""Evaluations started from the console: `excerpta eval` in a process of its own, one at a time."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.library.settings import load_settings
from rag_query.strategies.strategy import load_shipped

_END_S = 5.0
_MODES = ("exact", "semantic", "hybrid", "relational", "associative")
_SAID_CHARS = 600


@dataclass(frozen=True)
class EvaluationState:
    """The last evaluation that was started here; ``dataset`` is None when there was none.

    Attributes:
        going: whether it still runs.
        failed: what it said when it failed.
    """

    dataset: str | None = None
    strategy: str | None = None
    started_at: datetime | None = None
    going: bool = False
    failed: str | None = None


class EvaluationRuns:
    """Starts evaluations of a library. Safe to use from several threads."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._state = EvaluationState()

    def start(self, *, dataset: str, strategy: str | None, mode: str) -> None:
        """Start one.

        Args:
            dataset: as for ``excerpta eval --dataset``, but no path: a name under ``datasets/``,
                ``synthetic`` or ``query_log``.
            strategy: name of a shipped one; None for the library's own.

        Raises:
            ExcerptaError: ``INVALID_ARGUMENT``; ``BUSY`` while another one runs.
        """
        load_settings(self._home)
        if not dataset or set(dataset) & set("/\\\0") or dataset.startswith(("-", ".")):
            raise ExcerptaError(
                ErrorCode.INVALID_ARGUMENT,
                "Name a dataset: one under datasets/ in the library, synthetic or query_log.",
                hint="Files elsewhere are evaluated with `excerpta eval --dataset FILE`.",
            )
        if mode not in _MODES:
            raise ExcerptaError(
                ErrorCode.INVALID_ARGUMENT, f"The mode must be one of {', '.join(_MODES)}."
            )
        if strategy is not None:
            load_shipped(strategy)
        arguments = ["--home", str(self._home.root), "--dataset", dataset, "--retrieval-mode", mode]
        if strategy is not None:
            arguments += [f"--strategies={strategy}"]
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                raise ExcerptaError(
                    ErrorCode.BUSY,
                    "An evaluation runs already.",
                    hint="Wait until it has ended; the page shows it.",
                    transient=True,
                )
            self._home.logs.mkdir(exist_ok=True)
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "mcp_app", "eval", *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            self._state = EvaluationState(dataset, strategy, datetime.now(UTC), going=True)

    def state(self) -> EvaluationState:
        """How the last one is."""
        with self._lock:
            if self._process is None:
                return self._state
            code = self._process.poll()
            known = self._state
            if code is None:
                return known
            failed = self._end_of_log() if code else None
            return EvaluationState(known.dataset, known.strategy, known.started_at, False, failed)

    @property
    def _log(self) -> Path:
        return self._home.logs / "evaluation.log"

    def _end_of_log(self) -> str:
        with self._log.open("rb") as log:
            # A character has at most four bytes; blanks at the end are not shown.
            log.seek(max(0, log.seek(0, os.SEEK_END) - 8 * _SAID_CHARS))
            text = log.read().decode("utf-8", "replace").strip()
        return text[-_SAID_CHARS:] or "It ended without a word; see logs/evaluation.log."

    def end(self) -> None:
        """End one that still runs."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                self._process.terminate()
                try:
                    self._process.wait(_END_S)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
