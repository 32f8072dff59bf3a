"""Documents inside a ``.jsonl`` corpus: one JSON object ``{_id, title?, text}`` a line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Record:
    """One line that is not blank.

    Attributes:
        line: 1-based.
        fragment: the ``_id``; ``line <n>`` for a line that has none that can be used.
        offset: of the line's first byte in the file.
        length: in bytes, without the line's end.
        sha256: of those bytes.
        identifier: the ``_id`` as the line has it, of a faulty line too; None where none was read.
        fault: what is wrong with the line; None when it is a document.
    """

    line: int
    fragment: str
    offset: int
    length: int
    sha256: str
    identifier: str | None
    fault: str | None = None


def read_records(corpus: BinaryIO) -> Iterator[Record]:
    """The lines of a corpus in order; a bad one is a record with a ``fault``, never an error.

    Of two lines with one ``_id`` the first is the document. The file is read from its beginning.
    Raises OSError.
    """
    seen: set[str] = set()
    offset = 0
    corpus.seek(0)
    for number, raw in enumerate(corpus, start=1):
        start = offset + (len(_BOM) if number == 1 and raw.startswith(_BOM) else 0)
        content = raw[start - offset :].rstrip(b"\r\n")
        offset += len(raw)
        if not content.strip():
            continue
        identifier, fault = _identifier(content)
        if identifier is not None and fault is None and identifier in seen:
            fault = f"the _id {identifier[:80]!r} stands on an earlier line already"
        fragment = identifier
        if fragment is None or fault:
            fragment = f"line {number}"
            while fragment in seen:
                fragment += " "
        seen.add(fragment)
        digest = hashlib.sha256(content).hexdigest()
        message = f"Line {number}: {fault}." if fault else None
        yield Record(number, fragment, start, len(content), digest, identifier, message)


def _identifier(content: bytes) -> tuple[str | None, str | None]:
    """(_id, what is wrong)."""
    try:
        value = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        return None, "it is not UTF-8"
    except (ValueError, RecursionError) as exc:
        return None, f"it is not JSON ({exc})"
    if not isinstance(value, dict):
        return None, "it is not a JSON object"
    identifier = value.get("_id")
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        identifier = str(identifier)
    if not isinstance(identifier, str) or not identifier:
        return None, "it has no _id"
    if not isinstance(value.get("text"), str):
        return identifier, "it has no text"
    if any("\ud800" <= letter <= "\udfff" for letter in identifier):
        return identifier, "its _id is not valid Unicode"
    return identifier, None
