"""A parameter that is a regular expression: a bad one is refused where it is written."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator


def _valid(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as exc:
        raise ValueError(f"not a regular expression: {exc}") from exc
    return pattern


Pattern = Annotated[str, AfterValidator(_valid)]
