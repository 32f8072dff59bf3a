"""A file that was renamed or moved is the same document under its new name (DEV_SPEC 3.1.1).

What is compared is content alone: a new name whose bytes are those of a document that vanished in
the same inventory. It keeps doc_id, shard and history, so its versions, its chunk ids and every
citation of them stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, MutableMapping

from rag_assets.sources.rows import PRESENT, InventoryRow


def follow_renames(
    now: MutableMapping[str, InventoryRow], before: Mapping[str, InventoryRow]
) -> set[str]:
    """Give each new name the identity of the document it continues, and drop the old name's row.

    Of several that fit, the one in the same collection and then the first by URI is taken.
    Records of a corpus are left alone: their identity is their ``_id``.

    Another name a document had already goes on with it in the same way.

    Args:
        now: source_uri -> row of this inventory; changed in place.
        before: the last inventory's.

    Returns:
        The new names.
    """
    vanished: dict[str, list[InventoryRow]] = defaultdict(list)
    for uri in sorted(now):
        row, old = now[uri], before.get(uri)
        gone = row.decision == "removed" and row.message is None and row.fragment is None
        if gone and row.file_sha256 and old is not None and old.present:
            vanished[row.file_sha256].append(row)
    renamed: set[str] = set()
    for uri, row in sorted(now.items()):
        held = vanished.get(row.file_sha256 or "")
        if not held or row.fragment is not None or row.decision not in PRESENT:
            continue
        source = min(held, key=lambda other: other.collection != row.collection)
        if _is_free(row, before.get(uri), source):
            held.remove(source)
            del now[source.source_uri]
            _continue(row, source)
            renamed.add(uri)
    return renamed


def _is_free(row: InventoryRow, old: InventoryRow | None, source: InventoryRow) -> bool:
    """Whether a name stands for no document of its own yet."""
    if old is None or old.version_id is None:
        return row.decision == "continue"
    return old.duplicate_of == source.doc_id


def _continue(row: InventoryRow, source: InventoryRow) -> None:
    row.doc_id, row.shard, row.version_id = source.doc_id, source.shard, source.version_id
    row.first_seen_at, row.version_seen_at = source.first_seen_at, source.version_seen_at
    row.renamed_from = source.source_uri
    row.decision, row.duplicate_of = "skip", None
