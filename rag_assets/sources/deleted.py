"""A deleted document stays out when its file is moved: the bytes tell that it is the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rag_assets.sources.rows import DELETED, InventoryRow


def keep_out_moved(
    now: Mapping[str, InventoryRow], before: Mapping[str, InventoryRow], *, wanted: Collection[str]
) -> None:
    """Ignore new names whose bytes are those of a deleted document that has lost its file.

    Args:
        now: source_uri -> row of this inventory; changed in place.
        before: the last inventory's.
        wanted: names that change nothing: of deleted documents whose file is still where it was,
            and of files that were ingested by name, which brings them in.
    """
    lost = {
        (row.collection, row.file_sha256): row
        for uri, row in now.items()
        if row.decision == "removed" and row.message == DELETED and uri not in wanted
    }
    if not lost:
        return
    for uri, row in now.items():
        old = before.get(uri)
        is_new = row.decision == "continue" and (old is None or old.version_id is None)
        deleted = lost.get((row.collection, row.file_sha256))
        if not is_new or deleted is None or row.fragment is not None or uri in wanted:
            continue
        row.decision, row.version_id = "ignored", None
        row.message = (
            f"It was deleted from the library as {deleted.source_uri}; `excerpta undelete` brings "
            "it back."
        )
        # Without a time the next run reads the file again: the deletion may have been taken back.
        row.mtime_ns = None
