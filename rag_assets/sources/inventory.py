"""The inventory: what the sources hold now, and what became of each document (DEV_SPEC 3.1.1).

A file whose size and modification time are those of the last inventory is not read again. New
and changed files are copied into ``raw/`` while they are hashed, and here, before anything is
parsed, each document is decided on: ``continue`` (new), ``new_version`` (changed, or unchanged and
wanted anew), ``skip`` (unchanged, or held under another name), ``removed``, ``failed`` or
``ignored``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pyarrow as pa

from rag_assets.advice import advised
from rag_assets.context import StageContext
from rag_assets.incremental import StageResult
from rag_assets.sources.deleted import keep_out_moved
from rag_assets.sources.duplicates import mark_duplicates
from rag_assets.sources.formats import FileFormat, format_of, unsupported_message
from rag_assets.sources.named_files import NamedFiles
from rag_assets.sources.records import read_records
from rag_assets.sources.redaction import blank_records, redact_records
from rag_assets.sources.renames import follow_renames
from rag_assets.sources.report import InventoryReport
from rag_assets.sources.returning_versions import settle_versions
from rag_assets.sources.row_tables import from_table, to_table
from rag_assets.sources.rows import (
    DELETED,
    PRESENT,
    InventoryRow,
    blank_row,
    folders_of,
    storable,
)
from rag_assets.sources.spool import Spooled, Spooler
from rag_assets.sources.walk import FoundFile, Problem, Walk, walk_roots
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.ingestion import VersionPolicy
from rag_query.contracts.tables import ALL, INVENTORY
from rag_query.library.deletions import marked
from rag_query.library.files import renew
from rag_query.library.row_digest import RowDigest
from rag_query.library.sources import (
    SourceRoot,
    Sources,
    allowed_roots,
    load_sources,
    registered_paths,
    source_uri,
)
from rag_query.text.ids import doc_id, version_id

#: Columns that say how a document came to be known, not what stands in the library.
_OF_THIS_RUN = ("decision", "file_bytes", "mtime_ns")
_ROWS_AT_ONCE = 10_000


def take_inventory(
    ctx: StageContext, *, policy: VersionPolicy = "skip", paths: Sequence[str] = ()
) -> StageResult:
    """Write the table ``inventory``.

    Args:
        policy: what becomes of files whose bytes the library holds.
        paths: of files and folders that ``new_version`` is for; without any it is for every file.

    The result counts documents: ``computed`` new and changed ones, ``unchanged``, ``dropped``
    removed ones; ``details`` are those of :class:`InventoryReport`. ``data_version`` covers what
    stands in the library, so it is equal when nothing changed.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT``; see :class:`NamedFiles`.
        OSError: the library's disk is full or cannot be written.
    """
    sources = load_sources(ctx.home)
    allowed = allowed_roots(ctx.settings, sources)
    before = from_table(ctx.store.read("inventory", ALL), InventoryRow)
    head = ctx.store.head("inventory", ALL)
    taken_ns = ctx.store.path(head.file).stat().st_mtime_ns if head else 0
    walk = walk_roots(sources.roots, allowed, ctx.home.root, folders_of(before), taken_ns)
    named = NamedFiles(
        policy,
        paths,
        files=(file.path for file in walk.files if not _is_deleted(file, sources)),
        registered=registered_paths(sources),
    )
    if sources.purge:
        redacted = redact_records(ctx, sources.purge, before)
        for row in before:
            row.raw_sha256 = redacted.raw_of(row.source_uri, row.version_id, row.raw_sha256)
    taking = _Taking(ctx, before, sources, named, datetime.now(UTC))
    rows = taking.rows(walk)
    taking.make_durable()
    report = InventoryReport.of(rows, before, taking.renamed, walk.warnings)
    report.emit()
    version = RowDigest(pa.schema([field for field in INVENTORY if field.name not in _OF_THIS_RUN]))
    with ctx.store.writer("inventory", ALL) as writer:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = to_table(rows[start : start + _ROWS_AT_ONCE], INVENTORY)
            version.update(part)
            writer.add(part)
        written = writer.finish()
    return StageResult(
        rows=len(rows),
        computed=report.added + report.new_version,
        unchanged=report.unchanged,
        dropped=report.removed,
        data_version=version.hexdigest(),
        written=written.changed,
        details=report.details(),
    )


def _is_deleted(file: FoundFile, sources: Sources) -> bool:
    return source_uri(file.root.name, file.rel_path) in sources.deleted


class _Taking:
    """One inventory being taken."""

    def __init__(
        self,
        ctx: StageContext,
        before: list[InventoryRow],
        sources: Sources,
        named: NamedFiles,
        now: datetime,
    ) -> None:
        self._home, self._store = ctx.home, ctx.store
        self._shards = ctx.settings.shards
        self._spooler = Spooler(ctx.home, ctx.settings.limits.max_file_bytes)
        self._before = {row.source_uri: row for row in before if not row.erased}
        self._erased = [row for row in before if row.erased]
        self._of_file: dict[tuple[str, str], list[InventoryRow]] = defaultdict(list)
        for row in before:
            self._of_file[row.root, row.rel_path].append(row)
        self._ids = {row.doc_id for row in self._before.values()}
        self._aliases = {row.source_uri for row in before if row.duplicate_of}
        self._deleted = sources.deleted
        self._purge = sources.purge
        self._kept = sources.kept
        self._named = named
        self._now = now
        self.renamed: set[str] = set()
        #: Files of deleted documents that are still there, and files ingested by name.
        self._met_deleted: set[str] = set()
        self._explicit: set[str] = set()
        self._kept_files: set[tuple[str, str]] = set()

    def rows(self, walk: Walk) -> list[InventoryRow]:
        """Every row of the new inventory, sorted by source URI."""
        now: dict[str, InventoryRow] = {}
        repeated: set[str] = set()
        # Each is freed once its rows are made: there may be many.
        walk.files.reverse()
        while walk.files:
            file = walk.files.pop()
            named = file.path in self._named
            found = {row.source_uri: row for row in self._file(file, again=named)}
            now.update(found)
            if named:
                repeated.update(found)
        for problem in walk.problems:
            failed = self._problem(problem)
            if failed is not None:
                now.setdefault(failed.source_uri, failed)
        unseen = [(root, storable(folder)) for root, folder in walk.unseen]
        emptied = [(root, storable(folder)) for root, folder in walk.emptied]
        new = {row.file_sha256 for row in now.values() if row.decision == "continue"}
        for row in self._before.values():
            # What stands elsewhere now was moved: nobody unmounted its folder.
            hidden = unseen if row.file_sha256 in new else unseen + emptied
            if row.source_uri not in now and (gone := self._gone(row, hidden)):
                now[row.source_uri] = gone
        for row in self._erased:
            if row.source_uri in self._deleted:
                # Its file is gone or could not be read, and is read when it is there again.
                now.setdefault(row.source_uri, row.without_content())
        self.renamed = follow_renames(now, self._before)
        keep_out_moved(now, self._before, wanted=self._met_deleted | self._explicit)
        rows = sorted(now.values(), key=lambda row: row.source_uri)
        known = {
            uri for uri, row in self._before.items() if row.version_id and row.duplicate_of is None
        }
        mark_duplicates(rows, self._holders(rows) | self.renamed, known)
        for row in rows:
            if row.present and row.source_uri in self._aliases - self.renamed:
                row.decision = "continue"  # what it was an alias of is gone
        settle_versions(self._store, rows, repeated=repeated, deleted=self._deleted, now=self._now)
        return rows

    def make_durable(self) -> None:
        """Have the bytes this inventory names on disk before it is written."""
        self._spooler.make_durable()

    def _holders(self, rows: list[InventoryRow]) -> set[str]:
        """Documents that hold the content they held before."""
        return {
            row.source_uri
            for row in rows
            if (old := self._before.get(row.source_uri)) is not None
            and old.present
            and old.file_sha256 == row.file_sha256
        }

    def _file(self, file: FoundFile, *, again: bool) -> Iterator[InventoryRow]:
        """The rows of a file; ``again``: it is read although it looks untouched."""
        uri = source_uri(file.root.name, file.rel_path)
        if uri in self._deleted:
            self._met_deleted.add(uri)
            return
        if file.explicit:
            self._explicit.add(uri)
        form = format_of(file.rel_path)
        if form is None:
            decision = "failed" if file.explicit else "ignored"
            row = self._blank(file.root, file.rel_path)
            row.decision, row.code = decision, ErrorCode.UNSUPPORTED_TYPE
            row.message = unsupported_message(file.rel_path)
            yield row
            return
        known = self._of_file.get((file.root.name, storable(file.rel_path)), [])
        if not again and self._untouched(file, known):
            yield from self._rows_of_untouched(known, file)
            return
        try:
            if file.size == 0:
                raise ExcerptaError(ErrorCode.EMPTY_FILE, "The file is empty.")
            self._spooler.check_size(file.size)
            erased = self._erased_records(known)
            redact = partial(blank_records, fragments=erased.keys()) if erased else None
            spooled = self._spooler.spool(file.path, redact)
            yield from self._documents(file, form, spooled, may_be_empty=bool(erased))
            for row in erased.values():
                yield row.without_content(spooled.size, spooled.mtime_ns)
        except ExcerptaError as exc:
            if exc.code is ErrorCode.FILE_MISSING and not file.explicit:
                return  # it went since the walk, as if it had gone before
            failed = self._problem(
                Problem(file.root, file.rel_path, exc.code, exc.message, exc.hint)
            )
            if failed is not None:
                yield failed

    def _untouched(self, file: FoundFile, known: list[InventoryRow]) -> bool:
        """Whether the last inventory holds the file as it is now."""
        if any(row.message == DELETED and row.source_uri not in self._deleted for row in known):
            return False  # wanted again
        timed = [row for row in known if row.mtime_ns is not None]
        # Rows of erased records come last: no bytes of them are held.
        held = min(timed, key=lambda row: row.erased, default=None)
        if held is None or (held.mtime_ns, held.file_bytes) != (file.mtime_ns, file.size):
            return False
        if held.raw_sha256 is None:
            return held.erased
        return self._home.raw_file(held.raw_sha256).exists()

    def _erased_records(self, known: list[InventoryRow]) -> dict[str, InventoryRow]:
        """id -> row of the records that no store may hold, though the corpus' file may."""
        return {
            row.fragment: row
            for row in known
            if row.fragment is not None
            and row.source_uri in self._deleted
            and (row.erased or row.source_uri in self._purge)
        }

    def _rows_of_untouched(
        self, known: list[InventoryRow], file: FoundFile
    ) -> Iterator[InventoryRow]:
        """The rows of a file that was not touched."""
        tags = file.root.tags_of(file.rel_path)
        for old in known:
            # A row without a time is of a document that is gone or could not be read.
            if old.mtime_ns is not None and old.source_uri not in self._deleted:
                decision = "skip" if old.decision in PRESENT else old.decision
                yield replace(
                    old, decision=decision, collection=file.root.collection, tags=list(tags)
                )
        for old in self._erased_records(known).values():
            yield old.without_content(file.size, file.mtime_ns)

    def _documents(
        self, file: FoundFile, form: FileFormat, spooled: Spooled, *, may_be_empty: bool
    ) -> Iterator[InventoryRow]:
        if not form.holds_records:
            row = self._row_of_spooled(file, form, spooled, None)
            self._decide(row, spooled.sha256, 0, spooled.size)
            yield row
            return
        found = may_be_empty
        with self._home.raw_file(spooled.sha256).open("rb") as corpus:
            for record in read_records(corpus):
                found = True
                row = self._row_of_spooled(file, form, spooled, record.fragment)
                if row.source_uri in self._deleted:
                    continue
                if record.fault is None:
                    self._decide(row, record.sha256, record.offset, record.length)
                else:
                    row.decision, row.code = "failed", ErrorCode.BAD_RECORD
                    row.message = advised(row.code, record.fault)
                yield row
        if not found:
            raise ExcerptaError(ErrorCode.EMPTY_FILE, "The file has no records.")

    def _row_of_spooled(
        self, file: FoundFile, form: FileFormat, spooled: Spooled, fragment: str | None
    ) -> InventoryRow:
        row = self._blank(file.root, file.rel_path, fragment)
        row.format, row.mime = form.name, form.mime
        row.file_bytes, row.mtime_ns = spooled.size, spooled.mtime_ns
        row.raw_sha256 = spooled.sha256
        return row

    def _decide(self, row: InventoryRow, sha256: str, offset: int, length: int) -> None:
        """Decide a document whose bytes are held, against what was held before."""
        row.raw_offset, row.raw_length, row.file_sha256 = offset, length, sha256
        row.version_id = version_id(row.doc_id, sha256)
        row.version_seen_at = self._now
        old = self._before.get(row.source_uri)
        if old is None or old.version_id is None:
            row.decision = "continue"
        elif old.file_sha256 != sha256:
            row.decision = "new_version"
        else:
            # A document that was removed comes back as it was.
            row.decision = "continue" if old.decision == "removed" else "skip"
            row.version_id, row.version_seen_at = old.version_id, old.version_seen_at

    def _problem(self, problem: Problem) -> InventoryRow | None:
        """The row of a file that could not be read; None when it is simply gone, or not wanted."""
        key = (problem.root.name, storable(problem.rel_path))
        known = [row for row in self._of_file.get(key, []) if row.version_id]
        # Where a file stood, a pipe or device says that it is gone; a link that leads to nothing
        # does not, as the disk it leads to may come back.
        gone = problem.code is (
            ErrorCode.UNSUPPORTED_TYPE if problem.no_file else ErrorCode.FILE_MISSING
        )
        if source_uri(problem.root.name, problem.rel_path) in self._deleted or (gone and known):
            return None
        message = advised(problem.code, problem.message, problem.hint)
        row = self._blank(problem.root, problem.rel_path)
        old = self._before.get(row.source_uri)
        if old is not None and old.version_id is not None:
            return old.without_source("failed", problem.code, message)
        if known:
            # A corpus that cannot be read now: its records stay, beside the row that says so.
            self._kept_files.add(key)
        form = format_of(problem.rel_path)
        row.decision = "ignored" if problem.no_file or (gone and form is None) else "failed"
        row.format, row.mime = (form.name, form.mime) if form else (None, None)
        row.code, row.message = problem.code, message
        return row

    def _gone(self, row: InventoryRow, unseen: list[tuple[str, str]]) -> InventoryRow | None:
        """The row of a document that was not met; None when nothing needs to be remembered."""
        if marked(self._purge, row.source_uri) or row.version_id in self._purge:
            # The name of a record stays: its corpus is read for others and may still hold it.
            single = row.fragment is not None and row.source_uri in self._purge
            return row.without_content() if single else None
        deleted = marked(self._deleted, row.source_uri)
        if not deleted and self._can_be_kept(row):
            decision = "continue" if row.decision == "removed" else "skip"
            return replace(row, decision=decision, code=None, message=None)
        if not deleted and row.decision != "removed" and self._out_of_sight(row, unseen):
            return replace(row, decision="skip") if row.decision in PRESENT else row
        if row.version_id is None:
            return None
        return row.without_source("removed", None, DELETED if deleted else None)

    def _can_be_kept(self, row: InventoryRow) -> bool:
        """Whether somebody wants a document without its file, and its bytes are held."""
        if not marked(self._kept, row.source_uri) or row.raw_sha256 is None:
            return False
        return row.version_id is not None and renew(self._home.raw_file(row.raw_sha256))

    def _out_of_sight(self, row: InventoryRow, unseen: list[tuple[str, str]]) -> bool:
        if (row.root, row.rel_path) in self._kept_files:
            return True
        return any(
            row.root == root and (not folder or row.rel_path.startswith(f"{folder}/"))
            for root, folder in unseen
        )

    def _blank(self, root: SourceRoot, rel_path: str, fragment: str | None = None) -> InventoryRow:
        row = blank_row(root, rel_path, fragment, self._shards, self._now)
        old = self._before.get(row.source_uri)
        if old is not None:
            row.first_seen_at = old.first_seen_at
            # A renamed document has the id and the shard of its first name.
            row.doc_id, row.shard = old.doc_id, old.shard
            row.renamed_from = old.renamed_from
        elif row.doc_id in self._ids:
            # Another document had this name, and took its id along.
            row.doc_id = doc_id(f"{row.source_uri}\n{self._now.isoformat()}")
        return row
