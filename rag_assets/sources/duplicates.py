"""The same content under several names is one document with aliases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from rag_assets.sources.rows import PRESENT, InventoryRow


def mark_duplicates(
    rows: Iterable[InventoryRow], holders: Collection[str], known: Collection[str] = ()
) -> None:
    """Set ``duplicate_of`` (and decision ``skip``) on all but one row of equal content.

    Content is compared within one collection: a filter by collection must find it. Records of a
    corpus may repeat each other and are left alone.

    Args:
        rows: of this inventory; changed in place.
        holders: source URIs that held their present content as a document of their own
            before; such a one stays the holder.
        known: source URIs that held another content as a document of their own: among names
            without a holder one of these goes on with its history, and a copy of it made since
            is its alias. Otherwise the smallest URI becomes the holder.
    """
    groups: dict[tuple[str, str], list[InventoryRow]] = defaultdict(list)
    for row in rows:
        if row.decision in PRESENT:
            row.duplicate_of = None
            if row.fragment is None and row.file_sha256 is not None:
                groups[row.collection, row.file_sha256].append(row)
    for same in groups.values():
        if len(same) == 1:
            continue
        holder = min(
            same,
            key=lambda row: (
                row.source_uri not in holders,
                row.source_uri not in known,
                row.source_uri,
            ),
        )
        for row in same:
            if row is not holder:
                row.duplicate_of = holder.doc_id
                row.decision = "skip"
