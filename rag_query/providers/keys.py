"""Keys of services, which strategies name by environment variables and never hold."""

from __future__ import annotations

import os


def key_in(variable: str) -> str:
    """The key in an environment variable, without the blanks around it; empty where a strategy
    names no variable, or it is not set."""
    return os.environ.get(variable, "").strip()


def bearer(variable: str) -> dict[str, str]:
    """The header that carries such a key; none without one."""
    key = key_in(variable)
    return {"Authorization": f"Bearer {key}"} if key else {}
