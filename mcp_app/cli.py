"""Entry point of ``excerpta``.

``excerpta mcp`` goes straight to the server: a client waits for its ``initialize``, and the
command line's packages would only delay it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from mcp_app.beginning import open_missing_streams, speak_utf8

#: The exit code of a command that Ctrl-C ended, as shells have it.
INTERRUPTED = 130


def main() -> None:
    """Run the command named on the command line."""
    speak_utf8()
    open_missing_streams()
    try:
        _run(sys.argv[1:])
    except KeyboardInterrupt:  # before the command began, which reports its own interruption
        sys.exit(INTERRUPTED)


def _run(arguments: list[str]) -> None:
    if _is_plain_mcp(arguments):
        from mcp_app.pipes import claim

        pipes = claim()
        # A collection in the middle of some thousand class definitions finds nothing to free.
        import gc

        gc.disable()
        from mcp_app.stdio import serve_stdio
        from rag_query.contracts.errors import ExcerptaError
        from rag_query.library.home import Home

        gc.enable()
        gc.freeze()
        try:
            serve_stdio(Home.resolve(_home(arguments)), pipes)
        except ExcerptaError as exc:
            from mcp_app.commands.invocation import report_error

            report_error(exc)
            sys.exit(1)
    else:
        from mcp_app.commands.app import app

        app(arguments)


def _is_plain_mcp(arguments: Sequence[str]) -> bool:
    """Whether the command is ``mcp`` with nothing but a ``--home FOLDER`` around it."""
    rest = list(arguments)
    if "--home" in rest:
        at = rest.index("--home")
        if at + 1 == len(rest):
            return False
        del rest[at : at + 2]
    return [word for word in rest if not word.startswith("--home=")] == ["mcp"]


def _home(arguments: Sequence[str]) -> str | None:
    for word, following in zip(arguments, [*arguments[1:], None], strict=True):
        if word == "--home":
            return following
        if word.startswith("--home="):
            return word.removeprefix("--home=")
    return None


if __name__ == "__main__":
    main()
