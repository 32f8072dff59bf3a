"""Rows of the ``inventory`` table while they are being decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from rag_query.library.sources import SourceRoot, source_uri
from rag_query.text.ids import doc_id, shard_of

#: Decisions of a document that is there now and whose bytes are held.
PRESENT = ("continue", "new_version", "skip")
#: Message of a removed document that a person took out.
DELETED = "Deleted from the library."


@dataclass(slots=True)
class InventoryRow:
    """One document of one source file; the fields are the columns of ``INVENTORY``."""

    source_uri: str
    root: str
    rel_path: str
    fragment: str | None
    collection: str
    tags: list[str]
    format: str | None
    mime: str | None
    source_type: str
    file_bytes: int | None
    mtime_ns: int | None
    raw_sha256: str | None
    raw_offset: int | None
    raw_length: int | None
    file_sha256: str | None
    shard: str
    doc_id: str
    version_id: str | None
    decision: str
    duplicate_of: str | None
    code: str | None
    message: str | None
    first_seen_at: datetime
    version_seen_at: datetime | None
    renamed_from: str | None = None

    @property
    def present(self) -> bool:
        """Whether a document, and not an alias of one, stands here now."""
        return self.decision in PRESENT and self.duplicate_of is None

    @property
    def erased(self) -> bool:
        """Whether this is all that is known of a document: that it is not to be held."""
        return self.message == DELETED and self.version_id is None

    def without_source(self, decision: str, code: str | None, message: str | None) -> InventoryRow:
        """The row of a document whose file could not be read, or is gone. What was last held stays
        known; the size and time of the file do not."""
        return replace(
            self,
            decision=decision,
            code=code,
            message=message,
            duplicate_of=None,
            file_bytes=None,
            mtime_ns=None,
        )

    def without_content(
        self, file_bytes: int | None = None, mtime_ns: int | None = None
    ) -> InventoryRow:
        """The row of a document of which nothing but its name may stay.

        Args:
            file_bytes, mtime_ns: of the corpus' file where it is a record, which tell that the
                file is as it was and need not be read again.
        """
        return replace(
            self.without_source("removed", None, DELETED),
            file_bytes=file_bytes,
            mtime_ns=mtime_ns,
            raw_sha256=None,
            raw_offset=None,
            raw_length=None,
            file_sha256=None,
            version_id=None,
            version_seen_at=None,
        )


def blank_row(
    root: SourceRoot, rel_path: str, fragment: str | None, shards: int, now: datetime
) -> InventoryRow:
    """A row that knows only where its document stands."""
    uri = source_uri(root.name, rel_path, fragment)
    return InventoryRow(
        source_uri=uri,
        root=root.name,
        rel_path=storable(rel_path),
        fragment=fragment,
        collection=root.collection,
        tags=root.tags_of(rel_path),
        format=None,
        mime=None,
        source_type="file",
        file_bytes=None,
        mtime_ns=None,
        raw_sha256=None,
        raw_offset=None,
        raw_length=None,
        file_sha256=None,
        shard=shard_of(uri, shards),
        doc_id=doc_id(uri),
        version_id=None,
        decision="failed",
        duplicate_of=None,
        code=None,
        message=None,
        first_seen_at=now,
        version_seen_at=None,
    )


def folders_of(rows: Sequence[InventoryRow]) -> set[tuple[str, str]]:
    """(root, relative path; "" for the root itself) of the folders in which, or below which,
    documents stand."""
    found: set[tuple[str, str]] = set()
    for row in rows:
        folder = row.rel_path if row.version_id and row.decision != "removed" else ""
        while folder:
            folder = folder.rpartition("/")[0]
            if (row.root, folder) in found:
                break
            found.add((row.root, folder))
    return found


def storable(rel_path: str) -> str:
    """A path as text that every table can hold: bytes that are no UTF-8 become ``\\xff``."""
    return rel_path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
