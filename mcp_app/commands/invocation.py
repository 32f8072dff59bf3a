"""What every command has in common: where the library is, where output goes, how errors end.

stdout carries the result (one JSON document with ``--json``), stderr everything else.
"""

from __future__ import annotations

import contextlib
import functools
import json
import locale
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Annotated, Any, ParamSpec, cast

import typer

from mcp_app.commands.streams import Notes, Result, abandon, is_utf8, writing_result

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from rag_query.contracts.errors import ExcerptaError
    from rag_query.library.home import Home

P = ParamSpec("P")

#: Columns of a pipe: its reader wraps lines itself.
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
            kwargs.update(_as_text(kwargs))
            function(*args, **kwargs)
            with writing_result():
                sys.stdout.flush()
        except (typer.Exit, typer.Abort, KeyboardInterrupt):
            raise
        except BrokenPipeError:
            # The reader of a pipe has seen enough; Python must not complain at exit either.
            abandon(sys.stdout)
            raise typer.Exit(1) from None
        except Exception as exc:
            home = kwargs.get("home")
            _fail(exc, bool(kwargs.get("as_json")), home if isinstance(home, str) else None)
            raise typer.Exit(1) from None

    return guarded


def _as_text(given: Mapping[str, object]) -> dict[str, object]:
    """The arguments that are texts, or lists of them; those typed in the encoding of a locale that
    is not UTF-8, decoded. Files and folders (``--home``, and what is a Path) may be named anyhow.

    Raises ExcerptaError ``INVALID_ARGUMENT`` for one that is no text, which no table and no JSON
    can hold.
    """
    found: dict[str, object] = {}
    for name, value in given.items():
        if isinstance(value, str) and name != "home":
            found[name] = _decoded(value)
        elif isinstance(value, list):
            found[name] = [_decoded(v) if isinstance(v, str) else v for v in value]
    return found


def _decoded(argument: str) -> str:
    if not _LONE.search(argument):
        return argument
    try:
        return os.fsencode(argument).decode(locale.getencoding())
    except UnicodeDecodeError:
        from rag_query.contracts.errors import ErrorCode, ExcerptaError

        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"{argument[:80]!a} is not text in UTF-8.",
            hint="A document whose file is named so has an id and a source URI.",
        ) from None


def _log_quietly() -> None:
    """What a library logs is not for a user, unless EXCERPTA_LOG_LEVEL asks for it: but for what
    it waits for."""
    level = os.environ.get("EXCERPTA_LOG_LEVEL")
    handler = logging.StreamHandler() if level else logging.NullHandler()
    logging.basicConfig(level=(level or "WARNING").upper(), handlers=[handler])
    from rag_query.library.files import waits

    waits.handlers[:] = [] if level else [_Waits()]


class _Waits(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        console(stderr=True).print(record.getMessage())


def print_json(value: Any) -> None:
    """The one JSON document of a command."""
    # In another encoding than UTF-8 some characters cannot be written but as escapes.
    escaped = not is_utf8(sys.stdout)
    print_text(json.dumps(value, ensure_ascii=escaped, indent=2, default=_plain))


def print_text(text: str) -> None:
    """Lines on stdout, as they are."""
    with writing_result():
        sys.stdout.write(f"{text}\n")


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
    file = Notes(stream) if stderr else Result(stream)
    return Console(file=cast("IO[str]", file), width=width, **plain)


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
    if error.code is ErrorCode.OUTPUT_LOST:
        abandon(sys.stdout)
    elif as_json:
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
