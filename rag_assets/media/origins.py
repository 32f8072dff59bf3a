"""Bytes of a reference: beside the document, inside it, or in the reference itself."""

from __future__ import annotations

import base64
import binascii
import errno
import os
import re
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from rag_query.contracts.errors import ErrorCode, ExcerptaError

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):")
_DATA = re.compile(r"^data:([^,;]*)((?:;[^,;]*)*),", re.IGNORECASE)


def is_local(origin: str) -> bool:
    """Whether a reference names a file of the document's source."""
    return not (_SCHEME.match(origin) or origin.startswith("//"))


def local_file(root: str | None, folder: str, origin: str) -> Path:
    """The file a relative reference names; a leading slash means the source's root.

    Raises:
        ExcerptaError: ``ASSET_NOT_FOUND`` when there is no such file, ``PATH_NOT_ALLOWED`` when it
            lies outside the source's root, links followed.
    """
    name = re.split(r"[?#]", origin, maxsplit=1)[0]
    if root is None or not name or "\x00" in unquote(name):
        raise _not_found(origin)
    top = os.path.realpath(root)
    # A file may really be called "a%20b.png"; its name as written is tried first.
    for spelling in dict.fromkeys((name, unquote(name), unquote(name).replace("\\", "/"))):
        start = "" if spelling.startswith("/") else folder
        path = Path(os.path.realpath(Path(top, start, spelling.lstrip("/"))))
        if not path.is_relative_to(top):
            raise ExcerptaError(
                ErrorCode.PATH_NOT_ALLOWED, "The image lies outside the document's source folder."
            )
        if _is_file(path):
            return path
    raise _not_found(origin)


def _is_file(path: Path) -> bool:
    """Raises OSError; no file has a name longer than the system allows."""
    try:
        return path.is_file()
    except OSError as exc:
        if exc.errno == errno.ENAMETOOLONG:
            return False
        raise


def data_uri(origin: str) -> tuple[bytes, str]:
    """Bytes and media type of a ``data:`` URI (RFC 2397). Raises ExcerptaError ``PARSE_FAILED``."""
    head = _DATA.match(origin)
    if head is None:
        raise ExcerptaError(ErrorCode.PARSE_FAILED, "The data URI has no data.")
    body = unquote_to_bytes(origin[head.end() :])
    if ";base64" in head[2].lower():
        try:
            body = base64.b64decode(b"".join(body.split()) + b"==")
        except binascii.Error as exc:
            raise ExcerptaError(ErrorCode.PARSE_FAILED, "The data URI is not base64.") from exc
    return body, head[1].lower() or "text/plain"


def refuse(origin: str) -> ExcerptaError:
    """The error of a reference whose scheme is not read."""
    if re.match(r"^(https?:)?//", origin, re.IGNORECASE):
        return ExcerptaError(
            ErrorCode.REMOTE_NOT_FETCHED,
            "Remote images are not fetched by this strategy.",
            hint="Set remote_images of its stage asset_normalize.",
        )
    return ExcerptaError(
        ErrorCode.ASSET_NOT_FOUND, "The image's address is of no kind that is read."
    )


def _not_found(origin: str) -> ExcerptaError:
    name = Path(re.split(r"[?#]", origin, maxsplit=1)[0]).name
    return ExcerptaError(ErrorCode.ASSET_NOT_FOUND, f"There is no image file {name!r}.")
