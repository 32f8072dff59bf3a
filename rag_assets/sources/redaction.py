"""Blanking the records of a corpus that are to leave every store.

The raw file of a corpus is shared by its records, so it cannot go while one of them stays. Blank
bytes keep the places of the others, and a blank line is no record.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Collection

import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_query.library.deletions import marked
from rag_query.library.files import sync_file, temporary_beside

_BLOCK = 1 << 20
_COLUMNS = [
    "source_uri",
    "version_id",
    "external_id",
    "raw_sha256",
    "raw_offset",
    "raw_length",
]


def redact_records(ctx: StageContext, names: Collection[str]) -> int:
    """Overwrite what ``raw/`` holds of these records with blanks; how many places that were.

    To be called before their rows leave ``documents``, which says where they lie. A file is
    replaced as a whole, so a process killed here leaves the old bytes or the new ones.

    Args:
        names: source URIs, of records or of whole corpora, and version ids.

    Raises:
        OSError: the disk refused.
    """
    if not names:
        return 0
    places: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for shard in ctx.settings.shard_names:
        rows = ctx.store.read("documents", shard, _COLUMNS)
        # Only a record shares its raw file with others.
        for row in rows.filter(pc.is_valid(rows["external_id"])).to_pylist():
            doomed = row["version_id"] in names or marked(names, row["source_uri"])
            if doomed and "#" in row["source_uri"] and row["raw_sha256"]:
                places[row["raw_sha256"]].add((row["raw_offset"], row["raw_length"]))
    for raw_sha256, spans in places.items():
        _blank(ctx, raw_sha256, spans)
    return sum(map(len, places.values()))


def _blank(ctx: StageContext, raw_sha256: str, spans: Collection[tuple[int, int]]) -> None:
    path = ctx.home.raw_file(raw_sha256)
    if not path.exists():
        return
    temporary = temporary_beside(path)
    try:
        shutil.copyfile(path, temporary)
        with temporary.open("r+b") as file:
            for offset, length in spans:
                file.seek(offset)
                for start in range(0, length, _BLOCK):
                    file.write(b" " * min(_BLOCK, length - start))
        sync_file(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
