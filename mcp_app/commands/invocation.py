"""What every command has in common: where the library is, where output goes, how errors end.

stdout carries the result (one JSON document with ``--json``), stderr everything else.
"""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Annotated, Any, ParamSpec, cast

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from rag_query.contracts.errors import ExcerptaError
    from rag_query.library.home import Home

P = ParamSpec("P")

#: Columns of a pipe: who reads it cuts lines himself.
_UNWRAPPED = 10_000
_LEAST_WIDTH = 40
#: Bytes of an argument that are no UTF-8, as Python passes them.
_LONE = re.compile("[\ud800-\udfff]")

#: ``--home`` stands before or after the command; this holds the one that stood before.
_before_command: dict[str, str | None] = {"home": None}

HomeOption = Annotated[
    str | None,
    typer.Option(
        "--home", metavar="FOLDER", help="The library. [default: $EXCERPTA_HOME or ./data]"
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")
]
DocumentArgument = Annotated[
    str,
    typer.Argument(metavar="DOC", help="Id, source URI, file name, or an unambiguous part of one."),
]


def set_home(home: str | None) -> None:
    """Remember a ``--home`` that stood before the command."""
    _before_command["home"] = home


def resolve_home(home: str | None) -> Home:
    """The library a command works on; it need not exist."""
    from rag_query.library.home import Home

    return Home.resolve(home or _before_command["home"])


def command(function: Callable[P, None]) -> Callable[P, None]:
    """Make failures of a command an error line (or JSON) and exit code 1, never a traceback."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        _log_quietly()
        try:
            _check_encoding(kwargs)
            function(*args, **kwargs)
            sys.stdout.flush()
        except (typer.Exit, typer.Abort, KeyboardInterrupt):
            raise
        except BrokenPipeError:
            # The reader of a pipe has seen enough; Python must not complain at exit either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except Exception as exc:
            home = kwargs.get("home")
            _fail(exc, bool(kwargs.get("as_json")), home if isinstance(home, str) else None)
            raise typer.Exit(1) from None

    return guarded


def _check_encoding(given: Mapping[str, object]) -> None:
    """Raises ExcerptaError ``INVALID_ARGUMENT`` for a text that is not UTF-8, which no table and
    no JSON can hold. Files and folders (``--home``, and what is a Path) may be named anyhow."""
    for name, value in given.items():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and name != "home" and _LONE.search(text):
                from rag_query.contracts.errors import ErrorCode, ExcerptaError

                raise ExcerptaError(
                    ErrorCode.INVALID_ARGUMENT,
                    f"{text[:80]!a} is not text in UTF-8.",
                    hint="A document whose file is named so has an id and a source URI.",
                )


def _log_quietly() -> None:
    """What a library logs is not for a user, unless EXCERPTA_LOG_LEVEL asks for it."""
    level = os.environ.get("EXCERPTA_LOG_LEVEL")
    handler = logging.StreamHandler() if level else logging.NullHandler()
    logging.basicConfig(level=(level or "WARNING").upper(), handlers=[handler])


def print_json(value: Any) -> None:
    """The one JSON document of a command."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=_plain) + "\n")


def console(*, stderr: bool = False) -> Console:
    """A terminal that does not reinterpret brackets; piped, it neither wraps nor fills lines up.

    Raises nothing for whatever ``COLUMNS`` holds; a number there is the width of a pipe.
    """
    from rich.console import Console

    stream: Any = sys.stderr if stderr else sys.stdout
    plain: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
    if stream.isatty():
        return Console(stderr=stderr, **plain)
    given = os.environ.get("COLUMNS", "")
    wished = given.isdecimal() and len(given) < 6 and int(given) > 0
    width = max(_LEAST_WIDTH, int(given)) if wished else _UNWRAPPED
    return Console(file=cast("IO[str]", _Unpadded(stream)), width=width, **plain)


class _Unpadded:
    """A stream whose lines end where their text ends: tables fill theirs up with blanks."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write whole lines."""
        return self._stream.write("\n".join(line.rstrip(" ") for line in text.split("\n")))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def table(*columns: str, right: Iterable[str] = (), title: str | None = None) -> Table:
    """A table in the house style; ``right`` names the columns of numbers."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    aligned = set(right)
    for column in columns:
        made.add_column(column, justify="right" if column in aligned else "left", overflow="fold")
    return made


def warn(message: str) -> None:
    """A line on stderr that is no failure."""
    console(stderr=True).print(f"warning: {message}", style="yellow")


def _plain(value: Any) -> Any:
    from pydantic import BaseModel

    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return str(value)


def _fail(exc: Exception, as_json: bool, home: str | None) -> None:
    from rag_query.contracts.errors import ErrorCode, classify

    error = classify(exc)
    if error.code is ErrorCode.INTERNAL:
        # The message matters more than its log, which may be what cannot be written.
        with contextlib.suppress(OSError):
            _log_traceback(exc, home)
    if as_json:
        print_json({"ok": False, "error": error.to_dict()})
    report_error(error)


def report_error(error: ExcerptaError) -> None:
    """``error CODE: message`` and the hint, on stderr."""
    out = console(stderr=True)
    out.print(f"error {error.code}: {error.message}", style="bold red")
    if error.hint:
        out.print(f"  {error.hint}")


def _log_traceback(exc: Exception, home: str | None) -> None:
    """Keep what a developer needs, out of the user's sight."""
    root = resolve_home(home)
    if not root.settings.exists():
        return
    root.logs.mkdir(exist_ok=True)
    with (root.logs / "cli.log").open("a", encoding="utf-8") as file:
        file.write(f"{datetime.now(UTC).isoformat()} {sys.argv[1:]}\n")
        file.writelines(traceback.format_exception(exc))


def local_time(moment: datetime) -> str:
    """A moment as a person reads it: local time to the second."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"
