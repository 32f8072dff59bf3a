"""Vectors by content, shared by all shards and versions of a library (DEV_SPEC 3.1.6.2).

The key is (content_hash, embedder_id, embedder_version, text_norm_profile_id): one folder for
each space, in it immutable Parquet parts that appear whole. Losing the cache loses only time.
"""

from __future__ import annotations

import hashlib
import logging
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from rag_query.contracts.snapshot import EmbeddingSpace
from rag_query.library.files import exclusive, temporary_beside
from rag_query.library.home import Home
from rag_query.text.ids import ID_DIGITS

log = logging.getLogger(__name__)

#: Vectors of a row group: what is read at least to have one (3 MB at 384 dimensions).
ROW_GROUP = 2048
#: Parts of fewer vectors are merged once there are more than ``MAX_SMALL_PARTS``.
SMALL_PART = 65_536
MAX_SMALL_PARTS = 32
_LOCK = ".compact.lock"
#: A vector with a wrong bit is still a vector, hence the checksums.
_CHECKED: dict[str, Any] = {"page_checksum_verification": True}


def embedding_id(space: EmbeddingSpace, content_hash: str) -> str:
    """``emb_`` + sha256 of the cache key: equal content in one space is one embedding."""
    key = "\x1f".join(
        (content_hash, space.embedder_id, space.embedder_version, space.text_norm_profile_id)
    )
    return "emb_" + hashlib.sha256(key.encode()).hexdigest()[:ID_DIGITS]


class EmbeddingCache:
    """The parts of one space. Any number of processes may read and append at once."""

    def __init__(self, home: Home, space: EmbeddingSpace) -> None:
        self._folder = home.embedding_cache / space.space_id[:16]
        self._schema = pa.schema(
            [
                pa.field("content_hash", pa.string(), nullable=False),
                pa.field("vector", pa.list_(pa.float32(), space.dimensions), nullable=False),
            ]
        )
        self._dimensions = space.dimensions

    def get(self, hashes: pa.Array) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Look up unique content hashes.

        Returns:
            ``found`` of shape (n,), and vectors of shape (n, dimensions) in the order of
            ``hashes``; rows that were not found are zero.

        Raises:
            OSError: the disk, or the system, refused.
        """
        found = np.zeros(len(hashes), np.bool_)
        vectors = np.zeros((len(hashes), self._dimensions), np.float32)
        # A part can vanish between listing and reading, when another process merges parts.
        while not found.all():
            parts = self._parts()
            if all(self._get_from(part, hashes, found, vectors) for part in parts):
                break
        return found, vectors

    def put(self, hashes: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Append vectors of shape (len(hashes), dimensions). Raises OSError."""
        if not len(hashes):
            return
        flat = pa.array(np.ascontiguousarray(vectors, np.float32).reshape(-1))
        column = pa.FixedSizeListArray.from_arrays(flat, self._dimensions)
        rows = pa.Table.from_arrays([pa.array(hashes, pa.string()), column], schema=self._schema)
        self._write([rows])

    def compact(self) -> bool:
        """Merge small parts when there are many. Returns whether it did. Raises OSError."""
        if len(self._parts()) <= MAX_SMALL_PARTS:
            return False
        with exclusive(self._folder / _LOCK):
            small = [p for p in self._parts() if _size(p) < SMALL_PART]
            if len(small) <= MAX_SMALL_PARTS:
                return False
            seen: set[str] = set()
            tables = []
            for part in small:
                rows = _read_part(part)
                if rows is None:
                    continue
                names = rows["content_hash"].to_pylist()
                tables.append(rows.filter(pa.array([name not in seen for name in names])))
                seen.update(names)
            self._write(tables)
            for part in small:
                part.unlink(missing_ok=True)
        return True

    def _get_from(
        self,
        part: Path,
        hashes: pa.Array,
        found: NDArray[np.bool_],
        vectors: NDArray[np.float32],
    ) -> bool:
        """Fill in what ``part`` holds; False when it is gone."""
        try:
            with pq.ParquetFile(part, memory_map=True, **_CHECKED) as file:
                names = file.read(columns=["content_hash"])["content_hash"]
                here = np.flatnonzero(pc.is_in(names, value_set=hashes))
                for group, rows, places in _by_group(file, here):
                    block = file.read_row_group(group, columns=["vector"])["vector"].take(places)
                    flat = block.combine_chunks().flatten().to_numpy()
                    at = pc.index_in(names.take(rows), value_set=hashes).to_numpy()
                    vectors[at] = flat.reshape(-1, self._dimensions)
                    found[at] = True
        except FileNotFoundError:
            return False
        except (pa.ArrowInvalid, OSError) as exc:
            _drop(part, exc)
        return True

    def _write(self, tables: list[pa.Table]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        _write_part(self._folder, self._schema, tables)

    def _parts(self) -> list[Path]:
        return _parts_of(self._folder)


def keep_only(home: Home, hashes: pa.Array) -> int:
    """Drop every vector, of whatever space, whose content hash is not among ``hashes``.

    Returns how many went. Raises OSError.
    """
    dropped = 0
    for folder in sorted(home.embedding_cache.glob("*")):
        with exclusive(folder / _LOCK):
            for part in _parts_of(folder):
                rows = _read_part(part)
                if rows is None:
                    continue
                kept = rows.filter(pc.is_in(rows["content_hash"], value_set=hashes))
                if kept.num_rows == rows.num_rows:
                    continue
                dropped += rows.num_rows - kept.num_rows
                if kept.num_rows:
                    _write_part(folder, rows.schema, [kept])
                part.unlink()
    return dropped


def _read_part(part: Path) -> pa.Table | None:
    """None when it is damaged, and then it is gone. Raises OSError."""
    try:
        return pq.read_table(part, **_CHECKED)
    except (pa.ArrowInvalid, OSError) as exc:
        _drop(part, exc)
        return None


def _size(part: Path) -> int:
    """Vectors of a part; 0 when it is damaged. Raises OSError."""
    try:
        return int(pq.read_metadata(part).num_rows)
    except (pa.ArrowInvalid, OSError) as exc:
        if not _is_damage(exc):
            raise
        return 0


def _is_damage(exc: pa.ArrowInvalid | OSError) -> bool:
    """Whether a part's own bytes are at fault, or it is gone. What the system refuses has a
    number: too many open files say nothing of the part, which may hold vectors paid for."""
    if isinstance(exc, pa.ArrowInvalid | FileNotFoundError):
        return True
    return exc.errno is None


def _drop(part: Path, why: pa.ArrowInvalid | OSError) -> None:
    """Remove a damaged part; raises ``why`` when it is not."""
    if not _is_damage(why):
        raise why
    log.warning("embedding cache part %s cannot be read and is dropped: %s", part.name, why)
    part.unlink(missing_ok=True)


def _parts_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.parquet"))


def _write_part(folder: Path, schema: pa.Schema, tables: list[pa.Table]) -> None:
    path = folder / f"part-{uuid.uuid4().hex}.parquet"
    temporary = temporary_beside(path)
    try:
        # Vectors are noise to a compressor and to a dictionary.
        with pq.ParquetWriter(
            temporary,
            schema,
            compression={"content_hash": "zstd", "vector.list.element": "none"},
            use_dictionary=False,
            write_statistics=False,
            write_page_checksum=True,
        ) as writer:
            for table in tables:
                writer.write_table(table, row_group_size=ROW_GROUP)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _by_group(
    file: pq.ParquetFile, rows: NDArray[np.intp]
) -> Iterator[tuple[int, pa.Array, pa.Array]]:
    """Row groups that hold any of ``rows``, each with those rows and their places in it."""
    counts = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
    ends = np.cumsum(counts)
    groups = np.searchsorted(ends, rows, side="right")
    for group in np.unique(groups):
        inside = rows[groups == group]
        start = ends[group] - counts[group]
        yield int(group), pa.array(inside), pa.array(inside - start)
