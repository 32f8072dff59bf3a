"""Which version of its document a file's bytes are, when the document had them before.

Bytes that return are the version the document had of them, and of several the newest. A run with
the policy ``new_version`` makes of them a version of their own, whose facts are read anew; the
runs that follow find it unchanged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.sources.rows import PRESENT, InventoryRow
from rag_query.library.tables import TableStore
from rag_query.text.ids import version_id

_COLUMNS = ["doc_id", "file_sha256", "version_no", "version_id"]


class _Held(NamedTuple):
    version_no: int
    version_id: str


def settle_versions(
    store: TableStore,
    rows: Sequence[InventoryRow],
    *,
    repeated: Collection[str],
    deleted: Mapping[str, str],
    now: datetime,
) -> None:
    """Set the version of each document whose bytes are those of a version it had.

    Args:
        rows: of this inventory; changed in place.
        repeated: source URIs of documents that are to be a version of their own even so. An
            alias stands for the document that holds its content.
        deleted: marks of what was deleted; such a version returns only where no other can.
    """
    anew = {
        row.duplicate_of or row.doc_id
        for row in rows
        if row.source_uri in repeated and row.decision in PRESENT
    }
    arriving: dict[str, list[InventoryRow]] = defaultdict(list)
    for row in rows:
        if row.present and (row.decision != "skip" or row.doc_id in anew):
            arriving[row.shard].append(row)
    for shard, documents in arriving.items():
        versions = _versions(store, shard, documents)
        for row in documents:
            held = versions.get((row.doc_id, row.file_sha256))
            if held and row.doc_id in anew:
                _repeat(row, held, now)
            elif held:
                newest = max(held, key=lambda item: (item.version_id not in deleted, item))
                row.version_id = newest.version_id


def _versions(
    store: TableStore, shard: str, documents: Iterable[InventoryRow]
) -> dict[tuple[str, str | None], list[_Held]]:
    """(doc_id, file_sha256) -> the versions of these bytes."""
    stored = store.read("documents", shard, _COLUMNS)
    wanted = pa.array({row.doc_id for row in documents}, pa.string())
    of_them = pc.and_(
        pc.is_in(stored["doc_id"], value_set=wanted), pc.is_valid(stored["version_id"])
    )
    versions: dict[tuple[str, str | None], list[_Held]] = defaultdict(list)
    rows = stored.filter(of_them)
    for doc, sha256, number, version in zip(*(rows[c].to_pylist() for c in _COLUMNS), strict=True):
        versions[doc, sha256].append(_Held(number, version))
    return versions


def _repeat(row: InventoryRow, held: Iterable[_Held], now: datetime) -> None:
    taken = {item.version_id for item in held}
    ids = (version_id(row.doc_id, row.file_sha256 or "", number) for number in count(1))
    row.version_id = next(version for version in ids if version not in taken)
    row.version_seen_at, row.decision = now, "new_version"
