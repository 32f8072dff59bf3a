"""Collecting what no snapshot and no head needs any more (DESIGN 4).

What is only to be unlinked goes first, so that a full disk has room for what writes: the index of
vectors is compacted last.

Everything a kept snapshot (``publication/kept.py``) or a head names stays, and so does any file
younger than :data:`GRACE`, because a run may be about to name it. The bytes of a removed document
are kept for ``undelete_hours``, so that it can be brought back.
"""

from __future__ import annotations

import contextlib
import errno
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rag_assets.indexes import bm25, vector
from rag_assets.indexes.heads import bm25_head, save_vector_head, vector_head
from rag_assets.publication.kept import kept_snapshots
from rag_assets.publication.publish import publication_lock
from rag_assets.publication.vector_versions import keep_only, prune
from rag_query.contracts.errors import ErrorCode, classify
from rag_query.contracts.snapshot import SnapshotManifest, TableFile
from rag_query.contracts.tables import TABLES
from rag_query.generation.conversation.conversations import release_idle
from rag_query.library.files import temporary_below
from rag_query.library.home import Home
from rag_query.library.lance import connect
from rag_query.library.manifests import (
    nothing_published,
    pins,
    published_manifest,
    snapshot_numbers,
    unpin,
)
from rag_query.library.settings import LibrarySettings
from rag_query.library.table_files import reading
from rag_query.library.tables import TableStore

GRACE = timedelta(hours=1)
#: Longer than any process needs for one of the small files it writes whole.
_MOMENT = timedelta(minutes=1)
_WRITTEN_BESIDE = ("conversations", "datasets", "evaluations", "jobs")


@dataclass(slots=True)
class Collected:
    """What was removed, or would be.

    Attributes:
        snapshots: numbers of removed snapshots.
        kept: numbers of those that stay.
        files: removed files of each kind: ``tables``, ``bm25``, ``raw``, ``media``,
            ``sidecars``, ``temporary``.
        damaged: of the removed snapshots those whose manifest could not be read, and which
            nothing kept any more. What other snapshots share with them stays.
        bytes: their size; a file with other hard links counts nothing.
        lance_tables: removed tables of former embedding spaces.
        lance_versions: pruned versions.
        warnings: what could not be done, for a person.
    """

    snapshots: list[int] = field(default_factory=list)
    damaged: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    files: dict[str, int] = field(default_factory=dict)
    bytes: int = 0
    lance_tables: list[str] = field(default_factory=list)
    lance_versions: int = 0
    warnings: list[str] = field(default_factory=list)


def collect(
    home: Home,
    settings: LibrarySettings,
    *,
    dry_run: bool = False,
    now: datetime | None = None,
) -> Collected:
    """Remove what is no longer needed; with ``dry_run`` only say what would go.

    Args:
        now: the moment ages are counted from; for tests.

    Raises:
        ExcerptaError: ``SNAPSHOT_DAMAGED`` as :func:`kept_snapshots`, which finds it before
            anything is removed, or when a table of a kept snapshot or of a head cannot be read:
            only what is needed by nothing was removed then.
        OSError: the disk refused.
    """
    with _locked(home, dry_run=dry_run):
        return _Collector(home, settings, now or datetime.now(UTC), dry_run=dry_run).run()


def collect_all_but_current(home: Home, settings: LibrarySettings) -> Collected:
    """Remove every snapshot but the published one, pinned ones too, and everything that neither
    it nor a head names, however young.

    Only to be called where no run is about to name anything (``publication/purge.py``). Raises as
    :func:`collect`, and ``DISK_FULL`` where the index of vectors cannot be compacted: what is to
    go may still be in it.
    """
    with _locked(home):
        now = datetime.now(UTC)
        return _Collector(home, settings, now, dry_run=False, only_current=True).run()


@contextlib.contextmanager
def _locked(home: Home, *, dry_run: bool = False) -> Iterator[None]:
    """Hold whatever names or writes files. Where nobody can write, a dry run holds nothing."""
    with contextlib.ExitStack() as held:
        try:
            for lock in (publication_lock, vector.lock, bm25.lock):
                held.enter_context(lock(home))
        except OSError as exc:
            if not dry_run or exc.errno != errno.EROFS:
                raise
        yield


class _Collector:
    def __init__(
        self,
        home: Home,
        settings: LibrarySettings,
        now: datetime,
        *,
        dry_run: bool,
        only_current: bool = False,
    ) -> None:
        self._home = home
        self._settings = settings
        self._now = now
        self._dry = dry_run
        self._only_current = only_current
        self._result = Collected()

    def run(self) -> Collected:
        kept = self._kept_of_current() if self._only_current else self._kept()
        self._result.kept = [manifest.number for manifest in kept]
        gone = set(snapshot_numbers(self._home)) - set(self._result.kept)
        self._result.snapshots = sorted(gone)
        # First the manifest, so that nobody opens a snapshot whose parts are being removed.
        for number in self._result.snapshots:
            self._unlink(self._home.snapshot_file(number))
        self._generations(kept)
        self._tables(kept)
        self._contents(kept)
        self._temporary()
        try:
            self._lance(kept)
        except (OSError, RuntimeError) as exc:
            # What is to leave no trace must not stay in the index; anything else may wait.
            if self._only_current or classify(exc).code is not ErrorCode.DISK_FULL:
                raise
            self._result.warnings.append(
                "The disk is too full to compact the vector index, whose old versions stay until "
                "`excerpta gc` is run again."
            )
        return self._result

    def _kept_of_current(self) -> list[SnapshotManifest]:
        """Nothing but what is published, so what the other manifests say is of no interest."""
        current = published_manifest(self._home)
        if current is None:
            raise nothing_published(self._home)
        for name, number in pins(self._home).items():
            if number != current.number:
                unpin(self._home, name)
        return [current]

    def _kept(self) -> list[SnapshotManifest]:
        if not self._dry:
            unused_for = timedelta(days=self._settings.conversation_days)
            release_idle(self._home, unused_for, self._now)
        kept, self._result.damaged = kept_snapshots(self._home, self._settings, self._now)
        return kept

    def _lance(self, kept: list[SnapshotManifest]) -> None:
        head = vector_head(self._home)
        needed = {m.vector.table for m in kept if m.vector} | set(head.holder.values())
        folders = {path.stem: path for path in self._home.lance.glob("*.lance")}
        doomed = sorted(folders.keys() - needed)
        self._result.lance_tables = doomed
        if not folders:
            return
        tables = {name: table for name, table in head.tables.items() if name in needed}
        if tables != head.tables and not self._dry:
            # First the head, so that no run relies on a table that is being removed.
            save_vector_head(self._home, head.model_copy(update={"tables": tables}))
        database = connect(self._home.lance)
        for name in doomed:
            self._count_folder(folders[name])
            if not self._dry:
                database.drop_table(name)
        for name in sorted(folders.keys() & needed):
            tags = {m.vector.tag for m in kept if m.vector and m.vector.table == name}
            keep = {m.vector.version for m in kept if m.vector and m.vector.table == name}
            if name in head.tables:
                keep.add(head.tables[name].version)
            table = database.open_table(name)
            if self._only_current:
                dropped = keep_only(self._home, table, tags, keep)
            else:
                dropped = prune(table, tags, keep, dry_run=self._dry)
            self._result.lance_versions += dropped

    def _generations(self, kept: list[SnapshotManifest]) -> None:
        head = bm25_head(self._home)
        needed = {m.bm25.path.rsplit("/", 1)[-1] for m in kept if m.bm25}
        if head is not None:
            needed.add(head.generation)
        for name in bm25.generations(self._home):
            # With the writer's lock held, a generation nothing names is a killed run's.
            if name not in needed:
                folder = self._home.bm25 / name
                self._count_folder(folder, "bm25")
                if not self._dry:
                    shutil.rmtree(folder)

    def _tables(self, kept: list[SnapshotManifest]) -> None:
        store = TableStore(self._home)
        needed = {file.path for files in self._needed(store, kept).values() for file in files}
        for path in self._home.tables.glob("*/*/*"):
            data = path.suffix in (".parquet", ".arrow") and not path.name.startswith(".")
            if data and self._home.relative(path) not in needed:
                self._remove(path, "tables")

    def _contents(self, kept: list[SnapshotManifest]) -> None:
        """Raw files and media that no row of a head or a kept snapshot names."""
        store = TableStore(self._home)
        needed = self._needed(store, kept)
        oldest = self._now - timedelta(hours=self._settings.undelete_hours)
        removed = pc.field("status") == "removed"
        raw = {
            *self._values(
                store,
                needed["documents"],
                "raw_sha256",
                ~removed | (pc.field("removed_at") > pa.scalar(oldest)),
            ),
            *self._values(
                store, needed["inventory"], "raw_sha256", pc.field("decision") != "removed"
            ),
        }
        for path in self._home.raw.glob("*/*"):
            if path.name not in raw and not path.name.startswith("."):
                self._remove(path, "raw")
        media = self._values(store, needed["media"], "asset_id")
        for path in self._home.media.glob("*/*"):
            if path.name.split(".", 1)[0] not in media and not path.name.startswith("."):
                self._remove(path, "media")
        sidecars = {
            *self._values(store, needed["ocr"], "image_sha256"),
            *self._values(store, needed["captions"], "cache_key"),
            *self._values(store, needed["summaries"], "cache_key"),
        }
        for path in self._home.sidecar_cache.glob("*/*/*/*.json"):
            if path.stem not in sidecars:
                self._remove(path, "sidecars")

    def _temporary(self) -> None:
        for folder in ("tables", "raw", "media", "snapshots", "bm25", "lance", "cache"):
            for path in temporary_below(self._home.root / folder):
                self._remove(path, "temporary")
        # Processes that answer or evaluate write here while a run goes on, so young files stay.
        for pattern in (".tmp-*", *(f"{name}/**/.tmp-*" for name in _WRITTEN_BESIDE)):
            for path in self._home.root.glob(pattern):
                self._remove(path, "temporary", _MOMENT)

    def _needed(
        self, store: TableStore, kept: list[SnapshotManifest]
    ) -> dict[str, list[TableFile]]:
        """table -> distinct files that a head or a kept snapshot names."""
        found: dict[str, dict[str, TableFile]] = {name: {} for name in TABLES}
        for name, files in found.items():
            for file in (*store.heads(name).values(), *_named(kept, name)):
                files[file.path] = file
        return {name: list(files.values()) for name, files in found.items()}

    def _values(
        self,
        store: TableStore,
        files: Iterable[TableFile],
        column: str,
        where: pc.Expression | None = None,
    ) -> set[str]:
        found: set[str] = set()
        for file in files:
            if file.rows:
                with reading(file.path):
                    rows = pq.read_table(store.path(file), columns=[column], filters=where)
                found.update(rows[column].unique().to_pylist())
        return found

    def _remove(self, path: Path, kind: str, least_age: timedelta = timedelta()) -> None:
        """Remove a file that is old enough for no run to be about to name it.

        Args:
            least_age: also where everything goes that nothing names.
        """
        try:
            stat = path.stat()
        except FileNotFoundError:
            return
        age = self._now - datetime.fromtimestamp(stat.st_mtime, UTC)
        if self._only_current:
            # Where the clock ran ahead, a file's time may lie in the future.
            young = abs(age) < least_age
        else:
            young = age < GRACE
        if young or not path.is_file():
            return
        self._note(path, kind)
        self._unlink(path)

    def _unlink(self, path: Path) -> None:
        if not self._dry:
            path.unlink(missing_ok=True)

    def _count_folder(self, folder: Path, kind: str = "lance") -> None:
        for path in folder.rglob("*"):
            if path.is_file():
                self._note(path, kind)

    def _note(self, path: Path, kind: str) -> None:
        stat = path.stat()
        self._result.files[kind] = self._result.files.get(kind, 0) + 1
        self._result.bytes += stat.st_size if stat.st_nlink == 1 else 0


def _named(manifests: list[SnapshotManifest], table: str) -> Iterator[TableFile]:
    for manifest in manifests:
        yield from manifest.tables.get(table, {}).values()
