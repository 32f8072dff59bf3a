"""From bytes to text, with the checks every text format shares."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from rag_query.contracts.errors import ErrorCode, ExcerptaError

#: Control characters that text files do hold: tab, line feed, form feed, carriage return, escape.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
#: Above this share of such characters a file is not text, whatever its encoding says.
_BINARY_SHARE = 0.02
_SAMPLE_CHARS = 65_536
_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def read_bytes(data: Path | bytes) -> bytes:
    """The bytes of a document. Raises OSError."""
    return data if isinstance(data, bytes) else data.read_bytes()


def decode_text(data: bytes) -> str:
    """UTF-8 (or UTF-16 with a byte order mark) to text with ``\\n`` line ends and no mark.

    Raises:
        ExcerptaError: ``EMPTY_FILE`` when nothing but blanks is left, ``BINARY_CONTENT`` for NUL
            bytes or many control characters, ``NOT_UTF8`` for any other encoding.
    """
    text = _decode(data)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text or text.isspace():
        raise ExcerptaError(ErrorCode.EMPTY_FILE, "The file is empty.")
    sample = text[:_SAMPLE_CHARS]
    if "\x00" in text or len(_CONTROL.findall(sample)) > _BINARY_SHARE * len(sample):
        raise ExcerptaError(ErrorCode.BINARY_CONTENT, "The file is binary, not text.")
    return text


def _decode(data: bytes) -> str:
    for mark, encoding in _UTF16:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as exc:
                raise _not_utf8(exc) from exc
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        if b"\x00" in data[:8192]:
            raise ExcerptaError(ErrorCode.BINARY_CONTENT, "The file is binary, not text.") from exc
        raise _not_utf8(exc) from exc


def _not_utf8(exc: UnicodeDecodeError) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.NOT_UTF8,
        f"The text is not UTF-8 (first bad byte at {exc.start}).",
        hint="Save the file as UTF-8 and ingest it again.",
    )
