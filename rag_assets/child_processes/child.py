"""The parent's side of one child process."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import psutil

from rag_assets.child_processes.jobs import Job

#: Room for the interpreter and the parser's libraries besides the document, in bytes.
_BESIDE = 256 * 1024 * 1024


@dataclass(slots=True)
class Child:
    """A running worker.

    Attributes:
        ready: it has said so, and waits for batches.
        done: jobs it has finished.
        since: when it began the job it is at, or was started; monotonic seconds.
        batch: jobs it was given and has not finished, the one it is at first.
    """

    process: subprocess.Popen[bytes]
    pipe: Connection[Any, Any]
    log: Any
    watch: psutil.Process
    ready: bool = False
    done: int = 0
    since: float = field(default_factory=time.monotonic)
    batch: deque[Job] = field(default_factory=deque)

    @classmethod
    def start(cls, memory_bytes: int) -> Child:
        """Start a worker whose documents may need ``memory_bytes``. Raises OSError."""
        ours, theirs = multiprocessing.Pipe()
        log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the child)
        command = [sys.executable, "-m", "rag_assets.child_processes.worker"]
        command += [str(theirs.fileno()), str(os.getpid()), str(memory_bytes + _BESIDE)]
        try:
            process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                env=_environment(),
            )
        except BaseException:
            ours.close()
            log.close()
            raise
        finally:
            theirs.close()
        return cls(process, ours, log, psutil.Process(process.pid))

    def close(self) -> None:
        """End it, whatever it does."""
        self.pipe.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.log.close()

    def resident(self) -> int:
        """Bytes of memory it holds; 0 when it is gone."""
        try:
            return int(self.watch.memory_info().rss)
        except psutil.Error:
            return 0

    def cause(self) -> str:
        """How it ended, for a message."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=1)
        code = self.process.returncode
        if code is None:
            return "its pipe closed"
        return signal.Signals(-code).name if code < 0 else f"exit status {code}"

    def said(self) -> str:
        """The end of what it wrote to its standard error."""
        self.log.seek(0)
        lines = self.log.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else "nothing was said"


def _environment() -> dict[str, str]:
    """The child finds this package as the parent did, and starts no threads of its own."""
    path = [entry or os.getcwd() for entry in sys.path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "OMP_NUM_THREADS": "1"}
