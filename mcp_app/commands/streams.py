"""stdout and stderr of a command as files: what becomes of lines, and of those nobody can take."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import IO, Any, TextIO

from rag_query.contracts.errors import ErrorCode, ExcerptaError


@contextlib.contextmanager
def writing_result() -> Iterator[None]:
    """Within, what keeps stdout from being written is ``OUTPUT_LOST``, nothing of the library's.
    That its reader went away is still BrokenPipeError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as exc:
        raise ExcerptaError(
            ErrorCode.OUTPUT_LOST,
            f"The output could not be written: {exc.strerror}.",
            hint="What the command had done by then is done: see `excerpta status`.",
        ) from exc


def abandon(stream: IO[str]) -> None:
    """Send what a stream still holds nowhere: Python would complain of it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def is_utf8(stream: TextIO) -> bool:
    """Whether a stream takes every character."""
    return (stream.encoding or "utf-8").lower() in ("utf-8", "utf8", "utf_8")


class Result:
    """stdout whose lines end where their text ends: tables fill theirs up with blanks.

    Raises as :func:`writing_result`.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write whole lines."""
        with self._writing():
            self._stream.write("\n".join(line.rstrip(" ") for line in text.split("\n")))
        return len(text)

    def flush(self) -> None:
        """Have them written."""
        with self._writing():
            self._stream.flush()

    def _writing(self) -> contextlib.AbstractContextManager[None]:
        return writing_result()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Notes(Result):
    """The same of stderr; where it cannot be written, the command goes on without it."""

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError:
            abandon(self._stream)
