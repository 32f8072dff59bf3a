"""``excerpta mcp``."""

from __future__ import annotations

from mcp_app.commands.invocation import HomeOption, command, resolve_home


@command
def mcp(home: HomeOption = None) -> None:
    """Serve the library to an MCP client over stdin and stdout."""
    from mcp_app.stdio import serve_stdio

    serve_stdio(resolve_home(home))
