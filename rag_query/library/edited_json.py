"""JSON files that the program writes and people edit: ``library.json`` and ``sources.json``."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from rag_query.contracts.errors import ErrorCode, ExcerptaError

Part = TypeVar("Part", bound=BaseModel)


def read_edited(path: Path, model: type[Part], *, hint: str) -> Part:
    """What a file holds.

    Args:
        hint: what to do when it does not hold what ``model`` asks for.

    Raises:
        OSError: it cannot be read.
        ExcerptaError: ``LIBRARY_INCOMPATIBLE``, with the fields that are wrong.
    """
    try:
        return model.model_validate_json(_json_of(path))
    except ValidationError as exc:
        raise ExcerptaError(
            ErrorCode.LIBRARY_INCOMPATIBLE,
            f"{path.name} cannot be read: {_problems(exc)}.",
            hint=hint,
        ) from None


def _json_of(path: Path) -> bytes:
    """What stands in a file that people edit: some editors put a byte order mark before it.

    Raises OSError; ExcerptaError ``LIBRARY_INCOMPATIBLE`` where it is the mark of UTF-16.
    """
    written = path.read_bytes()
    if written.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ExcerptaError(
            ErrorCode.LIBRARY_INCOMPATIBLE,
            f"{path.name} is saved in UTF-16.",
            hint="Save it in UTF-8.",
        )
    return written.removeprefix(codecs.BOM_UTF8)


def _problems(exc: ValidationError) -> str:
    """Which fields are wrong and why, without what they hold: that may be a path."""
    errors = exc.errors(include_input=False, include_url=False, include_context=False)
    said = [
        f"`{'.'.join(map(str, error['loc']))}`: {error['msg']}" if error["loc"] else error["msg"]
        for error in errors[:3]
    ]
    more = len(errors) - len(said)
    return "; ".join(said + ([f"and {more} more"] if more else []))
