"""What a publication changes for readers: the documents of two snapshots, side by side.

An inventory counts against the inventory before it. A run that is killed or held up by a check
leaves an inventory that nothing was published from, so what a run publishes is counted here.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import duckdb

from rag_assets.context import LIVE
from rag_assets.indexes.rows import VERSIONS, connect_shards
from rag_query.contracts.snapshot import SnapshotManifest, TableFile
from rag_query.library.tables import TableStore

log = logging.getLogger(__name__)

#: table -> shard -> file, as a manifest names them.
Tables = Mapping[str, Mapping[str, TableFile]]

#: One row for each document that can be read: its effective version.
_SHOWN = f"""
with {VERSIONS}
select doc_id, version_id, source_uri, is_latest and code is null as sound
from versions where effective
"""
_COMPARED = f"""
with shown as ({_SHOWN})
select
    count(*) filter (b.doc_id is null) as added,
    count(*) filter (b.version_id <> s.version_id) as new_version,
    count(*) filter (b.version_id = s.version_id and b.source_uri <> s.source_uri) as renamed,
    count(*) filter (
        b.version_id = s.version_id and b.source_uri = s.source_uri and s.sound
    ) as unchanged,
    (
        select count(*) from before anti join (
            select doc_id from documents where list_contains($live, status)
        ) using (doc_id)
    ) as removed
from shown s left join before b using (doc_id)
"""


@dataclass(frozen=True, slots=True)
class Changes:
    """Documents that can be read, by what became of them.

    Attributes:
        renamed: of the same content under another name.
        unchanged: without those whose newest content could not be read; they count as failed.
        removed: could be read before and are gone; not one that only fails now.
    """

    added: int
    new_version: int
    renamed: int
    unchanged: int
    removed: int

    def counts(self) -> dict[str, int]:
        """The counts by name."""
        return asdict(self)


def changes(store: TableStore, before: SnapshotManifest | None, now: Tables) -> Changes | None:
    """Compare what ``now`` names with a snapshot; without one, every document is added.

    None when the snapshot's own files are damaged: that is no reason to keep it current.
    """
    try:
        with _connect(store, before.tables if before else {}) as connection:
            shown = connection.sql(_SHOWN).to_arrow_table()
    except duckdb.Error as exc:
        log.warning("what changed is not counted, the published snapshot is damaged: %s", exc)
        return None
    with _connect(store, now) as connection:
        connection.register("before", shown)
        row = connection.execute(_COMPARED, {"live": list(LIVE)}).fetchone()
    return Changes(*row) if row else None


def _connect(store: TableStore, tables: Tables) -> duckdb.DuckDBPyConnection:
    names = ("documents", "parsed")
    return connect_shards(store, {name: tables.get(name, {}).values() for name in names})
