"""Identifiers and fingerprints (DEV_SPEC 3.1.5 strategy 4, 3.1.6.2).

All are pure functions of what they name, so that any process on any machine gives the same
ones. Ids are readable: a three-letter kind, an underscore, the first 24 hex digits of a sha256.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

DOC_PREFIX = "doc_"
VERSION_PREFIX = "ver_"
CHUNK_PREFIX = "chk_"
TRACE_PREFIX = "trc_"
ID_DIGITS = 24
#: Matches the id of a trace.
TRACE_ID = TRACE_PREFIX + "[0-9a-f]{32}"


def sha256_text(text: str) -> str:
    """sha256 of the UTF-8 bytes as 64 lower-case hex digits (lone surrogates kept)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no blanks: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def profile_id(parameters: Any) -> str:
    """sha256 of the canonical JSON of a stage's parameters."""
    return sha256_text(canonical_json(parameters))


def doc_id(source_uri: str) -> str:
    """A document is its source: the same URI is the same document in every version."""
    return DOC_PREFIX + sha256_text(source_uri)[:ID_DIGITS]


def version_id(doc: str, file_sha256: str, repetition: int = 0) -> str:
    """A version is a document with one content; ``repetition`` counts the further versions that
    were made of the same content."""
    again = f"\x1f{repetition}" if repetition else ""
    return VERSION_PREFIX + sha256_text(f"{doc}\x1f{file_sha256}{again}")[:ID_DIGITS]


def section_id(doc: str, section_path: str, ordinal: int) -> str:
    """Stable across versions while the structure is: no version enters.

    ``ordinal`` counts the sections of one document that share ``section_path`` (0 for the
    first), so a section inserted elsewhere renames none.
    """
    return "sec_" + sha256_text(f"{doc}\x1f{section_path}\x1f{ordinal}")[:ID_DIGITS]


def chunk_id(section: str, chunk_fingerprint: str) -> str:
    """``(section_id, sha256(canonical(chunk_text)))``: same content in the same place, same id."""
    return CHUNK_PREFIX + sha256_text(f"{section}\x1f{chunk_fingerprint}")[:ID_DIGITS]


def run_trace_id(run_id: str) -> str:
    """The trace of an ingestion run is found by the run's id, an UUID."""
    return TRACE_PREFIX + run_id.replace("-", "")


def shard_of(source_uri: str, shards: int) -> str:
    """The shard a document lives in for ever: ``s00`` .. by sha256 of its URI (DESIGN 2)."""
    return f"s{int(sha256_text(source_uri)[:8], 16) % shards:02d}"
