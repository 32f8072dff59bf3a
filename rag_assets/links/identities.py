"""Which document stands at an address, where its id is not made from that address.

A renamed document keeps the id of its first name, and the same content under another name is an
alias, so a link to either leads elsewhere than ``doc_id(target_uri)`` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_query.contracts.tables import ALL
from rag_query.text.ids import doc_id, profile_id

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


def identities_digest(found: Mapping[str, str]) -> tuple[str, ...]:
    """What links depend on beside their document: nothing while every id is its address's."""
    return (profile_id(dict(found)),) if found else ()


def lead_to(rows: Iterable[dict[str, Any]], found: Mapping[str, str]) -> None:
    """Have ``links`` rows lead to the documents that stand at their targets."""
    for row in rows:
        row["target_doc_id"] = found.get(row["target_doc_id"], row["target_doc_id"])
