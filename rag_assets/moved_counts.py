"""How the counts of an inventory change by what later steps make of its documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, MutableMapping

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_query.contracts.tables import ALL

#: Decision of an inventory -> the count that such a document is in.
_COUNTED = {"continue": "added", "new_version": "new_version", "skip": "unchanged"}


def moved_counts(
    ctx: StageContext,
    *,
    failed: Collection[str],
    had_failed: Collection[str],
    mended: MutableMapping[str, str],
) -> dict[str, int]:
    """How an inventory's counts change by what a later step made of the documents.

    Args:
        failed: source URIs of those that cannot be read; they are taken out of their count.
        had_failed: of those that could not be read before and can now. Such a document is not
            unchanged: it is new in the library, or a new version where an older one was served.
        mended: source URI -> the count such documents were moved to; kept for the steps that
            follow, one of which may fail on the same document.

    Returns:
        Name of a count -> by how much it grows.
    """
    if not failed and not had_failed:
        return {}
    rows = ctx.store.read("inventory", ALL, ["source_uri", "decision", "doc_id", "shard"])
    moved: Counter[str] = Counter()
    broken = _rows_of(rows, failed)
    for uri, decision in zip(*_columns(broken, "source_uri", "decision"), strict=True):
        counted = mended.pop(uri, None) or _COUNTED.get(decision)
        if counted:
            moved[counted] -= 1
    read_now = _rows_of(rows, had_failed)
    read_now = read_now.filter(pc.equal(read_now["decision"], "skip"))
    older = {
        doc_id
        for shard in read_now["shard"].unique().to_pylist()
        for doc_id in _with_older(ctx, shard, read_now["doc_id"])
    }
    for uri, doc_id in zip(*_columns(read_now, "source_uri", "doc_id"), strict=True):
        mended[uri] = "new_version" if doc_id in older else "added"
        moved["unchanged"] -= 1
        moved[mended[uri]] += 1
    return {name: number for name, number in moved.items() if number}


def _rows_of(inventory: pa.Table, source_uris: Collection[str]) -> pa.Table:
    wanted = pa.array(source_uris, pa.string())
    return inventory.filter(pc.is_in(inventory["source_uri"], value_set=wanted))


def _columns(rows: pa.Table, *names: str) -> list[list[str]]:
    return [rows[name].to_pylist() for name in names]


def _with_older(ctx: StageContext, shard: str, doc_ids: pa.ChunkedArray) -> list[str]:
    """Those of which an earlier version could be read and was not taken out."""
    parsed = ctx.store.read("parsed", shard, ["version_id", "status"])
    ready = parsed.filter(pc.equal(parsed["status"], "ready"))["version_id"]
    rows = ctx.store.read("documents", shard, ["doc_id", "version_id", "is_latest", "status"])
    earlier = pc.and_(pc.invert(rows["is_latest"]), pc.not_equal(rows["status"], "removed"))
    read = pc.is_in(rows["version_id"], value_set=ready, skip_nulls=True)
    wanted = pc.and_(pc.and_(earlier, read), pc.is_in(rows["doc_id"], value_set=doc_ids))
    found: list[str] = rows.filter(wanted)["doc_id"].to_pylist()
    return found
