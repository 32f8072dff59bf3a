"""A process that ends the server when its client has left and it does not end by itself.

A server at work may be unable to notice: while a library's native part is loaded, or a tokenizer
read, no other Python thread of the process runs, for seconds on a busy machine.
"""

from __future__ import annotations

import os
import select
import signal


def watch(stdin: int, grace_s: float) -> None:
    """Fork the watcher of this process; for a process that has no threads yet.

    Where there is no ``fork`` the server is left to itself.

    Args:
        stdin: a descriptor of the pipe or socket on whose other end the client is.
        grace_s: how long the server may take to end by itself.
    """
    if not hasattr(os, "fork"):
        return
    alive, _held = os.pipe()
    watched = os.getpid()
    if os.fork():
        # The other end is closed by the system when this process ends, in whichever way.
        os.close(alive)
        return
    try:
        _keep_only(stdin, alive)
        _watch(watched, stdin, alive, grace_s)
    finally:
        os._exit(0)


def _watch(watched: int, stdin: int, alive: int, grace_s: float) -> None:
    poll = select.poll()
    # That a pipe's other end is closed is reported unasked, of a socket's only on request. What
    # comes through is not looked at.
    poll.register(stdin, getattr(select, "POLLRDHUP", 0))
    poll.register(alive, 0)
    ended = {fd for fd, _ in poll.poll()}
    if alive in ended:
        return
    poll.unregister(stdin)
    if not poll.poll(grace_s * 1000):
        os.kill(watched, signal.SIGKILL)


def _keep_only(*kept: int) -> None:
    """Close every other descriptor: a client waits for the end of stdout, and so do others."""
    first = 0
    for fd in sorted(kept):
        os.closerange(first, fd)
        first = fd + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))
