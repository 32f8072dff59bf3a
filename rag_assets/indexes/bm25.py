"""The BM25 index: tantivy generations, each a folder no writer touches again (DESIGN 4).

The next generation starts as hard links to the immutable segment files of the last, is written and
committed, and only then named in ``head.json``. A run killed before that leaves a folder that
nothing names, which the garbage collector removes. Beside the segments a generation holds, for
each shard, which (chunk_id, row_hash) it was made of.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from rag_assets.context import StageContext
from rag_assets.incremental import StageResult
from rag_assets.indexes.base import Bm25Index
from rag_assets.indexes.diff import RowComparison
from rag_assets.indexes.heads import Bm25Head, ShardState, bm25_head, save_bm25_head, shard_state
from rag_assets.indexes.rows import KEYS, index_rows_with_text, input_digest, input_files
from rag_query.contracts.trace import EventKind
from rag_query.library import bm25_schema
from rag_query.library.files import exclusive, sync_file, sync_folder
from rag_query.library.home import Home
from rag_query.providers.registry import Params
from rag_query.text.analysis import DEFAULT_PROFILE, Analyzer
from rag_query.text.section_paths import PREAMBLE
from rag_query.tracing.context import count, event

if TYPE_CHECKING:
    import tantivy

_GENERATION = re.compile(r"g(\d{6,})")
#: Written anew by every generation; all other files of tantivy are immutable.
_COPIED = ("meta.json", ".managed.json")
_ROWS_READ = 2_000
_FEW = 1_000


class TantivyParams(Params):
    """``bm25_index.tantivy``.

    Attributes:
        heap_bytes: memory of the writer before it flushes a segment.
        max_deleted: share of deleted rows above which the next generation is built afresh, so
            that their terms leave the statistics.
    """

    heap_bytes: int = Field(256 * 1024**2, ge=16 * 1024**2)
    max_deleted: float = Field(0.3, gt=0, le=1)


def run(ctx: StageContext, shards: Sequence[str]) -> dict[str, StageResult]:
    """The stage: bring these shards of the strategy's BM25 index up to date, in one commit."""
    index: Bm25Index = ctx.strategy.build("bm25_index")
    return index.update(ctx, shards)


def lock(home: Home) -> Any:
    """One writer of the BM25 index at a time."""
    return exclusive(home.locks / "bm25_index.lock", what="the BM25 index")


def generations(home: Home) -> list[str]:
    """Folders of generations, complete or not, oldest first."""
    found = (p.name for p in home.bm25.glob("g*") if p.is_dir() and _GENERATION.fullmatch(p.name))
    return sorted(found, key=lambda name: int(name[1:]))


class TantivyBm25Index:
    """See :class:`rag_assets.indexes.base.Bm25Index`."""

    def __init__(self, params: TantivyParams) -> None:
        self._params = params

    def update(self, ctx: StageContext, shards: Sequence[str]) -> dict[str, StageResult]:
        head = bm25_head(ctx.home)
        if head is not None and _deleted_share(ctx.home, head) is not None:
            standing = _unchanged(ctx, head, shards)
            if len(standing) == len(set(shards)):
                return {shard: state.unchanged() for shard, state in standing.items()}
        with lock(ctx.home):
            return self._update(ctx, shards)

    def rewrite(self, ctx: StageContext) -> None:
        """See :class:`rag_assets.indexes.base.Bm25Index`; the segments of a generation that goes
        on from another keep the terms of deleted rows until they are merged."""
        with lock(ctx.home):
            self._update(ctx, ctx.settings.shard_names, afresh=True)

    def _update(
        self, ctx: StageContext, shards: Sequence[str], *, afresh: bool = False
    ) -> dict[str, StageResult]:
        head = None if afresh else bm25_head(ctx.home)
        base = head if head and self._continues(ctx.home, head) else None
        states = dict(base.shards) if base else {}
        results: dict[str, StageResult] = {}
        # A generation from nothing must hold every shard, whichever were asked for.
        todo = list(shards) if base else sorted({*shards, *ctx.settings.shard_names})
        with _Generation(ctx.home, base.generation if base else None, self._params) as generation:
            for shard in todo:
                files = input_files(ctx.store, shard)
                state = states.get(shard)
                if state is not None and state.inputs == input_digest(files):
                    results[shard] = state.unchanged()
                    continue
                compared = RowComparison(generation.held(shard))
                keys = []
                for rows in index_rows_with_text(ctx.store, shard, files):
                    keys.append(rows.select(KEYS))
                    generation.put(*compared.piece(rows))
                vanished = compared.vanished()
                generation.remove(vanished)
                held = pa.concat_tables(keys)
                states[shard] = shard_state(ctx.store, files, held)
                results[shard] = _result(states[shard], compared, len(vanished))
                if results[shard].written or base is None:
                    generation.record(shard, held)
            name = generation.commit()
        new = Bm25Head(
            generation=name,
            schema_version=bm25_schema.SCHEMA_VERSION,
            analysis_profile_id=DEFAULT_PROFILE.id,
            shards=states,
        )
        save_bm25_head(ctx.home, new)
        _report(name, results)
        return {shard: results[shard] for shard in shards}

    def _continues(self, home: Home, head: Bm25Head) -> bool:
        """Whether the next generation is to start from the head's."""
        deleted = _deleted_share(home, head)
        return deleted is not None and deleted <= self._params.max_deleted


class _Generation:
    """The next generation; its folder is made at the first write and removed after a failure."""

    def __init__(self, home: Home, base: str | None, params: TantivyParams) -> None:
        self._home = home
        self._base = base
        self._params = params
        self._folder: Path | None = None
        self._writer: tantivy.IndexWriter | None = None
        self._schema: tantivy.Schema | None = None
        self._documents = _Documents()

    def __enter__(self) -> _Generation:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._folder is not None:
            self._writer = None
            shutil.rmtree(self._folder, ignore_errors=True)

    def held(self, shard: str) -> pa.Table:
        """(chunk_id, row_hash) of a shard in the generation this one starts from."""
        path = self._home.bm25 / self._base / _rows_file(shard) if self._base else None
        if path is None or not path.exists():
            empty = pa.array([], pa.string())
            return pa.table({"chunk_id": empty, "row_hash": empty})
        return pq.read_table(path)

    def put(self, added: pa.Table, changed: pa.Table) -> None:
        """Add rows, and replace those that are held in another form."""
        if not added.num_rows + changed.num_rows:
            return
        self.remove(changed["chunk_id"].to_pylist())
        _, writer, schema = self._begun()
        import tantivy

        for table in (added, changed):
            for fields in self._documents.of(table):
                writer.add_document(tantivy.Document.from_dict(fields, schema))

    def remove(self, chunk_ids: Sequence[str]) -> None:
        """Delete rows."""
        if not chunk_ids:
            return
        _, writer, _ = self._begun()
        for chunk_id in chunk_ids:
            writer.delete_documents_by_term(bm25_schema.CHUNK_ID, chunk_id)

    def record(self, shard: str, keys: pa.Table) -> None:
        """Note which (chunk_id, row_hash) a shard is made of."""
        folder, _, _ = self._begun()
        temporary = folder / f".tmp-{_rows_file(shard)}"
        pq.write_table(keys, temporary, compression="zstd")
        temporary.replace(folder / _rows_file(shard))

    def _begun(self) -> tuple[Path, tantivy.IndexWriter, tantivy.Schema]:
        if self._folder is None:
            self._begin()
        folder, writer, schema = self._folder, self._writer, self._schema
        assert folder is not None and writer is not None and schema is not None
        return folder, writer, schema

    def commit(self) -> str:
        """Name of the generation that is complete now: this one, or its base when it is empty."""
        if self._writer is None or self._folder is None:
            if self._base is None:
                self._begin()
                return self.commit()
            return self._base
        self._writer.commit()
        self._writer.wait_merging_threads()
        for path in self._folder.iterdir():
            sync_file(path)
        sync_folder(self._folder)
        sync_folder(self._home.bm25)
        return self._folder.name

    def _begin(self) -> None:
        numbers = [int(name[1:]) for name in generations(self._home)]
        folder = self._home.bm25 / f"g{max(numbers, default=0) + 1:06d}"
        folder.mkdir(parents=True)
        if self._base is None:
            index = bm25_schema.create_index(folder)
        else:
            _link(self._home.bm25 / self._base, folder)
            index = bm25_schema.open_index(folder)
        self._folder, self._schema = folder, index.schema
        # One thread: one segment a flush, in the order of the rows.
        self._writer = index.writer(self._params.heap_bytes, 1)


class _Documents:
    """Turns index rows into the fields of ``bm25_schema``."""

    def __init__(self) -> None:
        self._analyzer = Analyzer(DEFAULT_PROFILE)
        self._short: dict[str, str] = {}

    def of(self, rows: pa.Table) -> Iterator[dict[str, Any]]:
        for batch in rows.to_batches(max_chunksize=_ROWS_READ):
            for row in batch.to_pylist():
                yield self._fields(row)

    def _fields(self, row: dict[str, Any]) -> dict[str, Any]:
        fields: dict[str, Any] = {bm25_schema.CHUNK_ID: [row["chunk_id"]]}
        for name in bm25_schema.TERM_FIELDS:
            value = row[name]
            fields[name] = value if isinstance(value, list) else [value]
        for name in bm25_schema.BOOLEAN_FIELDS:
            fields[name] = [row[name]]
        fields["created_at"] = [bm25_schema.to_micros(row["created_at"])]
        for name in ("page_start", "page_end"):
            if row[name] is not None:
                fields[name] = [row[name]]
        path = "" if row["section_path"] == PREAMBLE else row["section_path"]
        fields[bm25_schema.TITLE] = [self._repeated(row["title"])]
        fields[bm25_schema.HEADINGS] = [self._repeated(path)]
        fields[bm25_schema.BODY] = [" ".join(self._analyzer.tokens(row["retrieval_text"]))]
        return fields

    def _repeated(self, text: str) -> str:
        """Tokens of a text that many chunks share."""
        known = self._short.get(text)
        if known is None:
            if len(self._short) > _ROWS_READ:
                self._short.clear()
            known = self._short[text] = " ".join(self._analyzer.tokens(text))
        return known


def _deleted_share(home: Home, head: Bm25Head) -> float | None:
    """Share of deleted rows in the head's generation; None when it is lost or of another form."""
    if head.schema_version != bm25_schema.SCHEMA_VERSION:
        return None
    if head.analysis_profile_id != DEFAULT_PROFILE.id:
        return None
    try:
        meta = json.loads((home.bm25 / head.generation / "meta.json").read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    total = sum(segment["max_doc"] for segment in meta["segments"])
    deleted = sum((s["deletes"] or {}).get("num_deleted_docs", 0) for s in meta["segments"])
    # A handful of rows is not worth a new start.
    return 0.0 if deleted < _FEW else deleted / total


def _unchanged(ctx: StageContext, head: Bm25Head, shards: Sequence[str]) -> dict[str, ShardState]:
    """Those shards whose inputs are still the ones the index was made from."""
    states = {shard: head.shards[shard] for shard in shards if shard in head.shards}
    return {
        shard: state
        for shard, state in states.items()
        if state.inputs == input_digest(input_files(ctx.store, shard))
    }


def _report(generation: str, results: dict[str, StageResult]) -> None:
    for shard, result in results.items():
        if result.written:
            counts = result.details | {"generation": generation}
            event(EventKind.UPSERT_RESULT, index="bm25", shard=shard, **counts)
    count(
        bm25_rows_written=sum(result.computed for result in results.values()),
        bm25_rows_deleted=sum(result.dropped for result in results.values()),
    )


def _result(state: ShardState, compared: RowComparison, vanished: int) -> StageResult:
    written = compared.rows_added + compared.rows_changed
    return StageResult(
        rows=state.rows,
        computed=written,
        unchanged=compared.rows_unchanged,
        dropped=vanished,
        data_version=state.digest,
        written=bool(written or vanished),
        details={
            "inserted": compared.rows_added,
            "updated": compared.rows_changed,
            "deleted": vanished,
            "failed": state.failed,
        },
    )


def _rows_file(shard: str) -> str:
    return f"rows-{shard}.parquet"


def _link(source: Path, target: Path) -> None:
    """Fill a new generation with the files of another; lock files stay behind."""
    for path in sorted(source.iterdir()):
        if path.name in _COPIED:
            shutil.copyfile(path, target / path.name)
        elif not path.name.startswith("."):
            try:
                os.link(path, target / path.name)
            except OSError:
                # Some file systems know no hard links; a copy is as good, only slower.
                shutil.copyfile(path, target / path.name)
