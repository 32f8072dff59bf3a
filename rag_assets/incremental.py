"""Recompute only what changed inside a shard (DESIGN 2).

A stage's head records, for each version, the fingerprint of what its rows were made from. A
version whose fingerprint is unchanged keeps its rows; the others are computed anew; versions no
longer wanted are dropped. A fingerprint covers the stage's profile, so a change of strategy
recomputes everything and nothing else does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from rag_query.contracts.tables import TABLES
from rag_query.library.tables import TableStore, Written
from rag_query.text.ids import sha256_text


def input_fingerprint(profile_id: str, *inputs: str | None) -> str:
    """Fingerprint of one version's input to a stage: 64 hex digits."""
    return sha256_text("\x1f".join((profile_id, *(value or "" for value in inputs))))


@dataclass(frozen=True, slots=True)
class StageResult:
    """What a stage did in one shard; shown as metadata of the materialisation.

    Attributes:
        rows: rows of the shard now.
        computed: versions computed in this run.
        unchanged: versions whose rows stood.
        dropped: versions that had rows and are no longer wanted.
        data_version: of the shard's file.
        written: false when the file was already there.
        details: further counts of the stage.
    """

    rows: int
    computed: int
    unchanged: int
    dropped: int
    data_version: str
    written: bool
    details: dict[str, object] = field(default_factory=dict)


def run_incremental(
    store: TableStore,
    table: str,
    shard: str,
    wanted: Mapping[str, str],
    compute: Callable[[Sequence[str]], pa.Table],
    *,
    details: Callable[[], dict[str, object]] = dict,
    schema: pa.Schema | None = None,
) -> StageResult:
    """Bring one shard of ``table`` up to date and make it the head.

    Args:
        wanted: version_id -> input fingerprint of every version that should have rows now.
        compute: called once with the version ids to compute (never empty); returns their rows
            in any columns order, rows of one version together and in their final order.
        details: asked for the stage's own counts after the work.
        schema: of a table that has no fixed one.

    Returns:
        A :class:`StageResult`. When nothing changed, nothing is read or written beyond the head.
    """
    head = store.head(table, shard)
    before = head.inputs if head else {}
    todo = [version for version, fp in wanted.items() if before.get(version) != fp]
    dropped = len(before.keys() - wanted.keys())
    unchanged = len(wanted) - len(todo)
    if head is not None and not todo and not dropped:
        file = head.file
        return StageResult(file.rows, 0, unchanged, 0, file.data_version, False, details())
    stands = wanted.keys() - set(todo)
    previous = store.read(table, shard)
    kept = previous
    if previous.num_rows:
        mask = pc.is_in(previous["version_id"], value_set=pa.array(sorted(stands), pa.string()))
        kept = previous.filter(mask)
    parts = [kept] if kept.num_rows else []
    if todo:
        parts.append(_fit(table, compute(todo), schema))
    rows = _in_order(parts, wanted) if parts else _empty(table, previous, schema)
    written: Written = store.write(table, shard, rows, wanted)
    return StageResult(
        rows.num_rows,
        len(todo),
        unchanged,
        dropped,
        written.file.data_version,
        written.changed,
        details(),
    )


def _fit(table: str, rows: pa.Table, given: pa.Schema | None) -> pa.Table:
    schema = TABLES[table].schema or given
    return rows if schema is None else rows.select(schema.names).cast(schema)


def _empty(table: str, previous: pa.Table, given: pa.Schema | None) -> pa.Table:
    schema = TABLES[table].schema or given
    return previous.slice(0, 0) if schema is None else schema.empty_table()


def _in_order(parts: list[pa.Table], wanted: Mapping[str, str]) -> pa.Table:
    """All rows, versions in the order of ``wanted``, each version's rows in their own order."""
    rows = pa.concat_tables([part for part in parts if part.num_rows] or parts[:1])
    versions = pa.array(list(wanted), pa.string())
    place = pc.index_in(rows["version_id"], value_set=versions)
    order = pc.sort_indices(
        pa.table({"place": place, "row": pa.array(range(rows.num_rows), pa.int64())}),
        sort_keys=[("place", "ascending"), ("row", "ascending")],
    )
    return rows.take(order)
