"""JSON lines, each with its number, and what is wrong with a line said by number."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """``(number, object)`` of each line that is not blank; numbers count from 1.

    Raises ExcerptaError ``DATASET_NOT_FOUND`` or ``INVALID_DATASET``.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as exc:
        raise ExcerptaError(
            ErrorCode.DATASET_NOT_FOUND, f"{path.name} cannot be read: {exc.strerror}."
        ) from exc
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as exc:
            raise invalid_line(path, number, f"is not JSON: {exc}") from exc
        if not isinstance(value, dict):
            raise invalid_line(path, number, "is not a JSON object")
        yield number, value


def invalid_line(path: Path, number: int, what: str, hint: str = "") -> ExcerptaError:
    """``INVALID_DATASET`` that names the file and the line."""
    return ExcerptaError(
        ErrorCode.INVALID_DATASET,
        f"{path.name}, line {number} {what}.",
        hint=hint,
        details={"line": number},
    )
