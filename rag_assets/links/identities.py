"""Which document stands at an address, where its id is not made from that address.

A renamed document keeps the id of its first name, and the same content under another name is an
alias, so a link to either leads elsewhere than ``doc_id(target_uri)`` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_query.contracts.tables import ALL
from rag_query.text.ids import doc_id

_COLUMNS = ["source_uri", "doc_id", "duplicate_of", "renamed_from"]


def identities(ctx: StageContext) -> dict[str, str]:
    """doc_id made from an address -> doc_id of what stands there, where they differ."""
    rows = ctx.store.read("inventory", ALL)
    if "renamed_from" not in rows.column_names:
        return {}  # of a library that was made before documents could be renamed
    former = rows["renamed_from"].combine_chunks().drop_null()
    special = pc.or_(
        pc.or_(pc.is_valid(rows["renamed_from"]), pc.is_valid(rows["duplicate_of"])),
        pc.is_in(rows["source_uri"], value_set=former),
    )
    found = {}
    for row in rows.select(_COLUMNS).filter(special).to_pylist():
        by_address, stands = doc_id(row["source_uri"]), row["duplicate_of"] or row["doc_id"]
        if by_address != stands:
            found[by_address] = stands
    return found


def led_astray(links: pa.Table, found: Mapping[str, str]) -> set[str]:
    """Versions with a stored link that would lead to another document now.

    Args:
        links: version_id, target_uri and target_doc_id of stored ``links``.
    """
    inside = links.filter(pc.is_valid(links["target_doc_id"]))
    addresses = inside["target_uri"].unique()
    targets = [found.get(doc_id(uri), doc_id(uri)) for uri in addresses.to_pylist()]
    places = pc.index_in(inside["target_uri"], value_set=addresses)
    now = pa.array(targets, pa.string()).take(places.combine_chunks())
    moved = inside.filter(pc.not_equal(inside["target_doc_id"], now))
    return set(moved["version_id"].to_pylist())


def lead_to(rows: Iterable[dict[str, Any]], found: Mapping[str, str]) -> None:
    """Have ``links`` rows lead to the documents that stand at their targets."""
    for row in rows:
        row["target_doc_id"] = found.get(row["target_doc_id"], row["target_doc_id"])
