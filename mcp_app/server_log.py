"""Where a server logs to."""

from __future__ import annotations

import logging
import os
import sys

from rag_query.library.home import Home


def log_to(home: Home) -> None:
    """Log to stderr, and to the library's ``logs/mcp.log`` once there is a library.

    ``EXCERPTA_LOG_LEVEL`` names the level; WARNING by default.
    """
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if home.settings.exists():
        home.logs.mkdir(exist_ok=True)
        handlers.append(logging.FileHandler(home.logs / "mcp.log", encoding="utf-8", delay=True))
    logging.basicConfig(
        level=os.environ.get("EXCERPTA_LOG_LEVEL", "WARNING").upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        handlers=handlers,
    )
