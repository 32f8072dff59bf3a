"""What a command's process needs before it imports anything else; imports next to nothing."""

from __future__ import annotations

import os
import sys


def speak_utf8() -> None:
    """Begin anew, as the same process, where the locale has names of files in another encoding
    than UTF-8: they would be read as other names than everywhere else, and no table could hold
    some of them. The terminal is still written to in the locale's encoding.

    Does nothing on Windows and macOS, where Python has them in UTF-8 whatever the locale.
    """
    encoding = sys.getfilesystemencoding()
    if encoding == "utf-8" or os.environ.get("PYTHONUTF8") == "1":
        return
    # For the processes started from here, too.
    environment = {**os.environ, "PYTHONUTF8": "1"}
    environment.setdefault("PYTHONIOENCODING", f"{encoding}:backslashreplace")
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def open_missing_streams() -> None:
    """Give the process the null device for each standard stream it was started without: printing
    would fail, and a file opened later would get the stream's number and what is printed."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(fd, True)
    os.close(fd)
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            mode = "w" if fd else "r"
            setattr(sys, name, os.fdopen(fd, mode, encoding="utf-8", closefd=False))
