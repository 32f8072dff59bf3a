"""Cursors: where the rest of an answer begins, opaque to a client."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: Greatest number in a cursor. No list is longer, and SQL and JSON hold it.
MOST = 2**53


def encode(*parts: str | int) -> str:
    """A cursor that :func:`decode` takes apart."""
    packed = json.dumps(parts, separators=(",", ":"), ensure_ascii=False).encode()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def decode(cursor: str, *kinds: type[str] | type[int]) -> tuple[Any, ...]:
    """The parts of a cursor; numbers are never negative, nor greater than :data:`MOST`.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` when it has not exactly these kinds of parts.
    """
    try:
        parts = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if isinstance(parts, list) and len(parts) == len(kinds) and all(map(_fits, parts, kinds)):
            return tuple(parts)
    except (ValueError, binascii.Error, RecursionError):
        pass
    raise refused()


def _fits(part: object, kind: type[str] | type[int]) -> bool:
    # True is an int to isinstance.
    return type(part) is kind and (not isinstance(part, int) or 0 <= part <= MOST)


def digest(asked: dict[str, Any]) -> str:
    """What tells a call from one that asks otherwise, for a cursor to carry."""
    packed = json.dumps(asked, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(packed.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def refused() -> ExcerptaError:
    """For a cursor that another call or another tool gave."""
    return ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        "`cursor` is not one that this call gave.",
        hint="Pass the other arguments as they were then, or leave it out to begin at the start.",
    )
