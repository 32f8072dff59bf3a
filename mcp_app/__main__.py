"""``python -m mcp_app``: the command line."""

from mcp_app.cli import main

main()
