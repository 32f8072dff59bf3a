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


class RowComparison:
    """Compares wanted rows, which come in pieces, with held ones.

    Args:
        held: with unique ``chunk_id``, and ``row_hash``.
    """

    def __init__(self, held: pa.Table) -> None:
        self._ids = held["chunk_id"].combine_chunks().cast(pa.string())
        self._hashes = held["row_hash"].combine_chunks().cast(pa.string())
        self._met: list[pa.Array] = []
        self.rows_added = self.rows_changed = self.rows_unchanged = 0

    def piece(self, wanted: pa.Table) -> tuple[pa.Table, pa.Table]:
        """Those of some wanted rows that are not held, and those held with another row_hash; of a
        chunk_id that no other piece has."""
        place = pc.index_in(wanted["chunk_id"], value_set=self._ids)
        is_held = pc.is_valid(place)
        same = pc.fill_null(pc.equal(wanted["row_hash"], pc.take(self._hashes, place)), False)
        added = wanted.filter(pc.invert(is_held))
        changed = wanted.filter(pc.and_(is_held, pc.invert(same)))
        self._met += wanted["chunk_id"].chunks
        self.rows_added += added.num_rows
        self.rows_changed += changed.num_rows
        self.rows_unchanged += int(pc.sum(same).as_py() or 0)
        return added, changed

    def vanished(self) -> list[str]:
        """chunk_ids that are held and in no piece."""
        met = pa.chunked_array(self._met, pa.string()).combine_chunks()
        gone: list[str] = self._ids.filter(
            pc.invert(pc.is_in(self._ids, value_set=met))
        ).to_pylist()
        return gone


def diff_rows(wanted: pa.Table, held: pa.Table) -> RowDiff:
    """Compare two tables with unique ``chunk_id`` and ``row_hash``; columns of ``wanted`` stay."""
    compared = RowComparison(held)
    added, changed = compared.piece(wanted)
    return RowDiff(added, changed, compared.vanished(), compared.rows_unchanged)
