"""``excerpta mcp``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcp_app.commands.invocation import HomeOption, command, resolve_home


@command
def mcp(
    home: HomeOption = None,
    http: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Serve over Streamable HTTP instead of stdio."),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A host name clients use; needed outside loopback."),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(help="A file with the bearer token. [default: $EXCERPTA_HTTP_TOKEN]"),
    ] = None,
    rate_limit: Annotated[
        str, typer.Option(metavar="N/SPAN", help="Requests one client address may send.")
    ] = "6000/minute",
) -> None:
    """Serve the library to MCP clients: over stdin and stdout, or over HTTP."""
    if http is None:
        from mcp_app.pipes import claim

        pipes = claim()
        from mcp_app.stdio import serve_stdio

        serve_stdio(resolve_home(home), pipes)
        return
    from mcp_app.http.access import settle_access
    from mcp_app.http.serve import serve_http

    serve_http(
        resolve_home(home),
        settle_access(http, allowed_hosts=allowed_host, token_file=token_file, rate=rate_limit),
    )
