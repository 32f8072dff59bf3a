"""What the pool and its children say to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: Modules (separated as in PATH) a child imports before its first job: they register further
#: providers. Installed packages use the entry-point group of the registry instead.
MODULES_VARIABLE = "EXCERPTA_PROVIDER_MODULES"


@dataclass(frozen=True, slots=True)
class Job:
    """One unit of work.

    Attributes:
        key: what the caller knows it by.
        target: ``package.module:function``.
        arguments: positional arguments of the function; picklable.
        weight: bytes to work through; batches are balanced by it.
    """

    key: str
    target: str
    arguments: tuple[Any, ...]
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """``value`` of the function, or the ``error`` it ended with; ``trace`` says where, when nobody
    had thought of that error."""

    value: Any = None
    error: ExcerptaError | None = None
    trace: str = ""


def out_of_memory() -> ExcerptaError:
    """The error of a job that needed more memory than its child may take."""
    return ExcerptaError(
        ErrorCode.PARSER_MEMORY,
        "Reading the document needs more memory than allowed.",
        hint="Raise limits.parse_memory_bytes in library.json, or split the file.",
    )
