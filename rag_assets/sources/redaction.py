"""Raw files without the records of a corpus that are to leave every store.

The raw file of a corpus is shared by its records, so it cannot go while one of them stays. Those
that stay move to a raw file in which the others are blank: their places are the same there, and a
blank line is no record. Nothing names the whole file then, and it goes with what no snapshot needs.
A record lies in many of them: in each that was made while the corpus held it, though its own row
names only the last. An older version of a neighbour may name any of the others.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_assets.sources.records import read_records
from rag_assets.sources.rows import InventoryRow
from rag_query.contracts.tables import DOCUMENTS
from rag_query.library.deletions import marked
from rag_query.library.files import renew, sync_file, sync_folder, temporary_beside

_BLOCK = 1 << 20
_COLUMNS = ["source_uri", "version_id", "external_id", "raw_sha256", "file_sha256"]


class Redacted:
    """Where the records that stay lie from now on."""

    def __init__(self, names: Collection[str], files: dict[tuple[str, str], str]) -> None:
        self._names = names
        self._files = files

    def raw_of(self, source_uri: str, version_id: str | None, raw_sha256: str | None) -> str | None:
        """The name in ``raw/`` of the file that holds a document."""
        if raw_sha256 is None or _doomed(self._names, source_uri, version_id):
            return raw_sha256
        return self._files.get((raw_sha256, _corpus(source_uri)), raw_sha256)


@dataclass(slots=True)
class _ToErase:
    """What no raw file of a corpus may hold: records by id, versions of records by their bytes."""

    fragments: set[str] = field(default_factory=set)
    contents: set[str] = field(default_factory=set)


def redact_records(
    ctx: StageContext, names: Collection[str], inventory: Iterable[InventoryRow]
) -> Redacted:
    """Have every row of ``documents`` that stays name a raw file without these records.

    To be called before their own rows leave ``documents``, which say what they are. A process
    killed here leaves rows that name the one file or the other, and both hold what they name.

    Args:
        names: source URIs, of records or of whole corpora, and version ids.
        inventory: its rows as they are, which may name raw files that no document does.

    Returns:
        What the rows of other tables are to name.

    Raises:
        OSError: the disk refused.
    """
    doomed: dict[str, _ToErase] = defaultdict(_ToErase)
    held: dict[str, set[str]] = defaultdict(set)
    staying: dict[str, set[str | None]] = defaultdict(set)
    for uri, version, fragment, raw_sha256, file_sha256 in _records(ctx, inventory):
        corpus = _corpus(uri)
        if raw_sha256 is not None:
            held[corpus].add(raw_sha256)
        if corpus in names:
            continue  # none of its rows stays
        if uri in names:
            doomed[corpus].fragments.add(fragment)
        elif version in names and file_sha256 is not None:
            doomed[corpus].contents.add(file_sha256)
        else:
            staying[corpus].add(file_sha256)
    for corpus, records in doomed.items():
        # Of a record that was read again unchanged, another version has the same bytes.
        records.contents -= staying[corpus]
    files = {
        (raw_sha256, corpus): _without(ctx, raw_sha256, doomed[corpus])
        for corpus in doomed
        for raw_sha256 in sorted(held[corpus])
        if ctx.home.raw_file(raw_sha256).exists()
    }
    redacted = Redacted(names, files)
    for shard in ctx.settings.shard_names if files else ():
        # Libraries of earlier versions lack the last columns.
        rows = pa.concat_tables(
            [ctx.store.read("documents", shard), DOCUMENTS.empty_table()], promote_options="default"
        )
        named = rows.select(["source_uri", "version_id", "raw_sha256"]).to_pylist()
        raw = pa.array([redacted.raw_of(**row) for row in named], pa.string())
        column = rows.schema.get_field_index("raw_sha256")
        ctx.store.write("documents", shard, rows.set_column(column, "raw_sha256", raw))
    return redacted


def blank_records(
    corpus: BinaryIO, fragments: Collection[str], contents: Collection[str] = ()
) -> None:
    """Overwrite lines of an open corpus with blanks.

    Args:
        fragments: ids of records; each line with one of them goes, also one that is no document.
        contents: sha256 of the bytes of further lines.

    Raises:
        OSError: the disk refused.
    """
    spans = [
        (record.offset, record.length)
        for record in read_records(corpus)
        if record.identifier in fragments or record.sha256 in contents
    ]
    _blank(corpus, spans)


def _records(
    ctx: StageContext, inventory: Iterable[InventoryRow]
) -> Iterator[tuple[str, str | None, str, str | None, str | None]]:
    """(source_uri, version_id, id, raw_sha256, file_sha256) of each row that is of a record."""
    for row in inventory:
        if row.fragment is not None:
            yield row.source_uri, row.version_id, row.fragment, row.raw_sha256, row.file_sha256
    for shard in ctx.settings.shard_names:
        rows = ctx.store.read("documents", shard, _COLUMNS)
        records = rows.filter(pc.is_valid(rows["external_id"]))
        yield from zip(*(records[name].to_pylist() for name in _COLUMNS), strict=True)


def _corpus(source_uri: str) -> str:
    return source_uri.partition("#")[0]


def _doomed(names: Collection[str], source_uri: str, version_id: str | None) -> bool:
    return version_id in names or marked(names, source_uri)


def _without(ctx: StageContext, raw_sha256: str, doomed: _ToErase) -> str:
    """A copy of a raw file with blanks for what is doomed; its name in ``raw/``."""
    temporary = temporary_beside(ctx.home.raw_file(raw_sha256))
    try:
        shutil.copyfile(ctx.home.raw_file(raw_sha256), temporary)
        with temporary.open("r+b") as file:
            blank_records(file, doomed.fragments, doomed.contents)
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest == raw_sha256:
            return digest  # it held nothing of that
        sync_file(temporary)
        final = ctx.home.raw_file(digest)
        if not renew(final):
            final.parent.mkdir(parents=True, exist_ok=True)
            temporary.replace(final)
            sync_folder(final.parent)
    finally:
        temporary.unlink(missing_ok=True)
    return digest


def _blank(file: BinaryIO, spans: Iterable[tuple[int, int]]) -> None:
    for offset, length in spans:
        file.seek(offset)
        for start in range(0, length, _BLOCK):
            file.write(b" " * min(_BLOCK, length - start))
