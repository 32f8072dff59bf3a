"""stdin and stdout of a server, kept for the protocol alone.

:func:`claim` moves both to private descriptors and points fd 1 at stderr for the rest of the
process, so that nothing a library prints reaches the client: by ``print``, through C's stdio or
straight to fd 1, while it is imported, during a call or at exit. It is the first thing a server
does, and this module imports next to nothing.
"""

from __future__ import annotations

import io
import os
import threading

from mcp_app.watcher import watch

#: Seconds in which the server ends once its client has closed stdin.
GRACE_S = 0.7
#: Seconds a message may still take to reach a client that closed stdin and may not read any more.
_FLUSH_S = 0.2


class Inward(io.RawIOBase):
    """Bytes from the client."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        return os.readv(self.fd, [buffer])


class Outward(io.TextIOBase):
    """Messages to the client; what one call of :meth:`write` is given arrives whole."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._writing = threading.Lock()

    def writable(self) -> bool:
        return True

    def write(self, message: str) -> int:
        """Raises BrokenPipeError when nobody reads any more."""
        data = memoryview(message.encode())
        with self._writing:
            while data:
                data = data[os.write(self._fd, data) :]
        return len(message)

    def finish(self) -> None:
        """Wait, a moment at most, for a message that is being written; let no other begin."""
        self._writing.acquire(timeout=_FLUSH_S)


class Pipes:
    """Both directions of the conversation with the client that started this process."""

    def __init__(self, inward: int, outward: int) -> None:
        self.inward = Inward(inward)
        self.outward = Outward(outward)

    def end(self) -> None:
        """End the process with its messages whole; does not return.

        Neither threads nor ``atexit`` are waited for: a worker may be deep in a native call
        whose answer nobody wants any more.
        """
        self.outward.finish()
        os._exit(0)


def claim() -> Pipes:
    """Take fd 0 and fd 1 for the protocol; once in a process.

    Afterwards fd 0 is at its end and fd 1 is stderr, for child processes too, and once the client
    has closed its end this process has :data:`GRACE_S` to end (:mod:`mcp_app.watcher`).
    """
    # A process without a stderr gets this one as its stderr.
    nothing = os.open(os.devnull, os.O_RDWR)
    pipes = Pipes(os.dup(0), os.dup(1))
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    if nothing > 2:
        os.close(nothing)
    watch(pipes.inward.fd, GRACE_S)
    return pipes
