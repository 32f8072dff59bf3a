"""Which rows an index lacks, holds in an older form, or holds beyond what it should."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc


@dataclass(frozen=True, slots=True)
class RowDiff:
    """Difference between wanted and held rows.

    Attributes:
        added: wanted rows whose chunk_id is not held.
        changed: wanted rows held with another row_hash.
        vanished: chunk_ids held and not wanted.
        unchanged: number of rows that stand.
    """

    added: pa.Table
    changed: pa.Table
    vanished: list[str]
    unchanged: int

    @property
    def empty(self) -> bool:
        return not (self.added.num_rows or self.changed.num_rows or self.vanished)

    @property
    def written(self) -> int:
        return int(self.added.num_rows + self.changed.num_rows)


def diff_rows(wanted: pa.Table, held: pa.Table) -> RowDiff:
    """Compare two tables with unique ``chunk_id`` and ``row_hash``; columns of ``wanted`` stay."""
    held_ids = held["chunk_id"].combine_chunks().cast(pa.string())
    held_hashes = held["row_hash"].combine_chunks().cast(pa.string())
    place = pc.index_in(wanted["chunk_id"], value_set=held_ids)
    is_held = pc.is_valid(place)
    same = pc.fill_null(pc.equal(wanted["row_hash"], pc.take(held_hashes, place)), False)
    gone = pc.invert(pc.is_in(held_ids, value_set=wanted["chunk_id"].combine_chunks()))
    return RowDiff(
        added=wanted.filter(pc.invert(is_held)),
        changed=wanted.filter(pc.and_(is_held, pc.invert(same))),
        vanished=held_ids.filter(gone).to_pylist(),
        unchanged=int(pc.sum(same).as_py() or 0),
    )
