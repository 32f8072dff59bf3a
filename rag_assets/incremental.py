"""Recompute only what changed inside a shard (DESIGN 2).

A stage's head records, for each version, the fingerprint of what its rows were made from. A
version whose fingerprint is unchanged keeps its rows; the others are computed anew; versions no
longer wanted are dropped. A fingerprint covers the stage's profile, so a change of strategy
recomputes everything and nothing else does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.run_status import FailedDocument
from rag_query.contracts.errors import ExcerptaError
from rag_query.library.tables import TableStore, Written
from rag_query.text.ids import sha256_text

#: Bytes of text of the versions computed at once; a stage needs about ten times as much memory.
GROUP_BYTES = 16 * 1024**2
#: Bytes a version counts for besides its text.
_VERSION_BYTES = 2048


def input_fingerprint(profile_id: str, *inputs: str | None) -> str:
    """Fingerprint of one version's input to a stage: 64 hex digits."""
    return sha256_text("\x1f".join((profile_id, *(value or "" for value in inputs))))


def leave_unsettled(wanted: dict[str, str], failed: Iterable[tuple[str, str]]) -> None:
    """Have the next run compute some versions again: record another fingerprint than it will want.

    Args:
        wanted: version_id -> input fingerprint; changed in place.
        failed: version_id and part of what failed there in a way that may pass. What is made from
            the stage's rows sees another input once other parts fail, and none while the same do.
    """
    parts: dict[str, list[str]] = {}
    for version, part in failed:
        parts.setdefault(version, []).append(part)
    for version, names in parts.items():
        wanted[version] = input_fingerprint("failed", wanted[version], *sorted(names))


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
        failed: documents that were set aside here.
    """

    rows: int
    computed: int
    unchanged: int
    dropped: int
    data_version: str
    written: bool
    details: dict[str, object] = field(default_factory=dict)
    failed: Sequence[FailedDocument] = ()


def run_incremental(
    store: TableStore,
    table: str,
    shard: str,
    wanted: Mapping[str, str],
    compute: Callable[[Sequence[str]], pa.Table],
    *,
    again: Collection[str] = (),
    sizes: Mapping[str, int] | None = None,
    details: Callable[[], dict[str, object]] = dict,
    schema: pa.Schema | None = None,
    set_aside: Callable[[Mapping[str, Exception]], Sequence[FailedDocument]] | None = None,
) -> StageResult:
    """Bring one shard of ``table`` up to date and make it the head.

    Args:
        wanted: version_id -> input fingerprint of every version that should have rows now.
            ``compute`` may change it, see :func:`leave_unsettled`; it is recorded afterwards.
        compute: called with the version ids to compute (never empty); returns their rows in any
            columns order, rows of one version together and in their final order.
        again: versions to compute whatever their fingerprint.
        sizes: version_id -> bytes of text, as far as is known. ``compute`` is called once for
            each group of neighbours of about :data:`GROUP_BYTES`, so that memory does not grow
            with the shard; without sizes all versions are one group.
        details: asked for the stage's own counts after the work.
        schema: of a table that has no fixed one.
        set_aside: given the new versions on which ``compute``, called for one alone, raised an
            unforeseen exception; names their documents. They have no rows, and later stages do
            not see them. Without it, and for a version that had rows before, the exception ends
            the run: nothing that readers have is lost to a fault of the stage.

    Returns:
        A :class:`StageResult`. When nothing changed, nothing is read or written beyond the head.
    """
    head = store.head(table, shard, own=True)
    before = head.inputs if head else {}
    changed = {version for version, fp in wanted.items() if before.get(version) != fp}
    changed.update(wanted.keys() & set(again))
    dropped = len(before.keys() - wanted.keys())
    unchanged = len(wanted) - len(changed)
    if head is not None and not changed and not dropped:
        file = head.file
        return StageResult(file.rows, 0, unchanged, 0, file.data_version, False, details())
    stored = store.versions(table, shard, own=True)
    faults: dict[str, Exception] = {}
    # Also where the rows themselves can no longer be read.
    had_rows = recorded.inputs.keys() if (recorded := store.recorded(table, shard)) else set()
    may_fail = wanted.keys() - had_rows if set_aside else frozenset()
    with store.writer(table, shard, schema) as writer:
        for group in _groups(list(wanted), sizes):
            stands = [version for version in group if version not in changed]
            todo = [version for version in group if version in changed]
            parts = [stored.of(stands)] if stands else []
            for rows in _computed(compute, todo, may_fail, faults) if todo else ():
                parts.append(rows.select(writer.schema.names).cast(writer.schema))
            if any(part.num_rows for part in parts):
                writer.add(_in_order(parts, group))
        made = {version: fp for version, fp in wanted.items() if version not in faults}
        written: Written = writer.finish(made)
    failed = set_aside(faults) if set_aside and faults else ()
    return StageResult(
        written.file.rows,
        len(changed) - len(faults),
        unchanged,
        dropped,
        written.file.data_version,
        written.changed,
        details(),
        failed,
    )


def _computed(
    compute: Callable[[Sequence[str]], pa.Table],
    todo: Sequence[str],
    may_fail: Collection[str],
    faults: dict[str, Exception],
) -> Iterator[pa.Table]:
    """Rows of ``todo`` in its order; what was raised on one of ``may_fail`` by itself is noted."""
    try:
        rows = compute(todo)
    except (ExcerptaError, OSError, MemoryError):
        raise  # a known error is never the fault of one document
    except Exception as exc:
        if not may_fail:
            raise
        if len(todo) == 1:
            if todo[0] not in may_fail:
                raise
            faults[todo[0]] = exc
            return
        middle = len(todo) // 2
        yield from _computed(compute, todo[:middle], may_fail, faults)
        yield from _computed(compute, todo[middle:], may_fail, faults)
        return
    yield rows


def _groups(versions: list[str], sizes: Mapping[str, int] | None) -> Iterator[list[str]]:
    """Neighbours of about :data:`GROUP_BYTES` together; a larger one is alone."""
    if sizes is None:
        if versions:
            yield versions
        return
    group: list[str] = []
    held = 0
    for version in versions:
        size = sizes.get(version, 0) + _VERSION_BYTES
        if group and held + size > GROUP_BYTES:
            yield group
            group, held = [], 0
        group.append(version)
        held += size
    if group:
        yield group


def _in_order(parts: list[pa.Table], wanted: Sequence[str]) -> pa.Table:
    """All rows, versions in the order of ``wanted``, each version's rows in their own order."""
    rows = pa.concat_tables([part for part in parts if part.num_rows])
    place = pc.index_in(rows["version_id"], value_set=pa.array(wanted, pa.string()))
    if _ascending(place):
        return rows
    order = pc.sort_indices(
        pa.table({"place": place, "row": pa.array(range(rows.num_rows), pa.int64())}),
        sort_keys=[("place", "ascending"), ("row", "ascending")],
    )
    return rows.take(order)


def _ascending(places: pa.ChunkedArray) -> bool:
    numbers = places.to_numpy()
    return bool((numbers[1:] >= numbers[:-1]).all())
