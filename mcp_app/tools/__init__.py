"""The tools of the server. A module here that has a ``TOOL`` is one; nothing else names it."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from mcp_app.tools.base import LibraryTool


def _found() -> tuple[LibraryTool, ...]:
    modules = (import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__))
    tools = (module.TOOL for module in modules if hasattr(module, "TOOL"))
    return tuple(sorted(tools, key=lambda tool: (tool.place, tool.name)))


#: Every tool, in the order they are listed; those for research clients too.
ALL_TOOLS = _found()
#: What is always listed.
TOOLS = tuple(tool for tool in ALL_TOOLS if not tool.for_research)
