"""Packages an evaluation may use when they are installed, and what to say when they are not."""

from __future__ import annotations

import importlib
from typing import Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError


def need(module: str, extra: str, what: str) -> Any:
    """The module.

    Args:
        extra: of this package, which brings it.
        what: the provider that needs it.

    Raises:
        ExcerptaError: ``EXTRA_MISSING`` with the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as exc:
        package = module.split(".", maxsplit=1)[0]
        raise ExcerptaError(
            ErrorCode.EXTRA_MISSING,
            f"{what} needs the package {package!r}, which is not installed.",
            hint=f"Run `pip install 'excerpta[{extra}]'`.",
        ) from exc
