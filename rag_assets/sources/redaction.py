"""Raw files without the records of a corpus that are to leave every store.

The raw file of a corpus is shared by its records, so it cannot go while one of them stays. Those
that stay move to a raw file in which the others are blank: their places are the same there, and a
blank line is no record. Nothing names the whole file then, and it goes with what no snapshot needs.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_assets.sources.records import read_records
from rag_query.contracts.tables import DOCUMENTS
from rag_query.library.deletions import marked
from rag_query.library.files import renew, sync_file, sync_folder, temporary_beside

_BLOCK = 1 << 20
_COLUMNS = ["source_uri", "version_id", "external_id", "raw_sha256", "raw_offset", "raw_length"]


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


def redact_records(ctx: StageContext, names: Collection[str]) -> Redacted:
    """Have every row of ``documents`` that stays name a raw file without these records.

    To be called before their own rows leave ``documents``, which say where they lie. A process
    killed here leaves rows that name the one file or the other, and both hold what they name.

    Args:
        names: source URIs, of records or of whole corpora, and version ids.

    Returns:
        What the rows of other tables are to name.

    Raises:
        OSError: the disk refused.
    """
    places: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    records: dict[tuple[str, str], set[str]] = defaultdict(set)
    for shard in ctx.settings.shard_names:
        rows = ctx.store.read("documents", shard, _COLUMNS)
        # Only a record shares its raw file with others.
        for row in rows.filter(pc.is_valid(rows["external_id"])).to_pylist():
            uri, raw_sha256 = row["source_uri"], row["raw_sha256"]
            if raw_sha256 and _corpus(uri) not in names and _doomed(names, uri, row["version_id"]):
                held = raw_sha256, _corpus(uri)
                places[held].add((row["raw_offset"], row["raw_length"]))
                if uri in names:
                    records[held].add(row["external_id"])
    files = {
        held: _without(ctx, held[0], spans, records[held])
        for held, spans in places.items()
        if ctx.home.raw_file(held[0]).exists()
    }
    redacted = Redacted(names, files)
    for shard in ctx.settings.shard_names if files else ():
        # Libraries of earlier versions lack the last columns.
        rows = pa.concat_tables(
            [ctx.store.read("documents", shard), DOCUMENTS.empty_table()], promote_options="default"
        )
        held = rows.select(["source_uri", "version_id", "raw_sha256"]).to_pylist()
        raw = pa.array([redacted.raw_of(**row) for row in held], pa.string())
        column = rows.schema.get_field_index("raw_sha256")
        ctx.store.write("documents", shard, rows.set_column(column, "raw_sha256", raw))
    return redacted


def blank_records(corpus: BinaryIO, fragments: Collection[str]) -> None:
    """Overwrite the records with these ids in an open corpus with blanks. Raises OSError."""
    # A further line with the same id becomes the record when the first one goes.
    while spans := [
        (record.offset, record.length)
        for record in read_records(corpus)
        if record.fault is None and record.fragment in fragments
    ]:
        _blank(corpus, spans)


def _corpus(source_uri: str) -> str:
    return source_uri.partition("#")[0]


def _doomed(names: Collection[str], source_uri: str, version_id: str | None) -> bool:
    return version_id in names or marked(names, source_uri)


def _without(
    ctx: StageContext, raw_sha256: str, spans: Iterable[tuple[int, int]], fragments: Collection[str]
) -> str:
    """A copy of a raw file with blanks at some places and for records; its name in ``raw/``."""
    temporary = temporary_beside(ctx.home.raw_file(raw_sha256))
    try:
        shutil.copyfile(ctx.home.raw_file(raw_sha256), temporary)
        with temporary.open("r+b") as file:
            _blank(file, spans)
            if fragments:
                blank_records(file, fragments)
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
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
