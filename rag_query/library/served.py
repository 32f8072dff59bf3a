"""Chunks by id from the served table, mapped into memory.

Opening builds one sorted array of 64-bit keys (12 bytes a row); the rows themselves stay on disk
until they are asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rag_query.contracts.tables import SERVING
from rag_query.text.ids import CHUNK_PREFIX, ID_DIGITS
from rag_query.text.pictures import only_pictures

_ID_BYTES = len(CHUNK_PREFIX) + ID_DIGITS
_KEY = slice(len(CHUNK_PREFIX), len(CHUNK_PREFIX) + 16)  # 16 of the digits are the key
_DIGITS = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a range of the chunk's text stands on a page; see ``contracts.columns.ANCHOR``."""

    char_start: int
    char_end: int
    page: int
    x0: float | None
    y0: float | None
    x1: float | None
    y1: float | None


@dataclass(frozen=True, slots=True)
class ServedChunk:
    """A row of ``contracts.tables.SERVING``: one chunk in one version of its document."""

    chunk_id: str
    version_id: str
    doc_id: str
    section_id: str
    is_latest: bool
    version_no: int
    title: str
    source_uri: str
    source_type: str
    format: str | None
    collection: str
    tags: list[str]
    topics: list[str]
    external_id: str | None
    created_at: datetime
    language: str
    section_path: str
    section_title: str | None
    chunk_index: int
    block_type: str
    chunk_text: str
    content_hash: str
    char_start: int
    char_end: int
    line_start: int | None
    line_end: int | None
    page_start: int | None
    page_end: int | None
    page_label: str | None
    anchors: list[Anchor]
    asset_ids: list[str]
    keywords: list[str]
    header_row: str | None
    ocr_text: str | None = None
    ocr_anchors: list[Anchor] | None = None

    @property
    def places(self) -> list[Anchor]:
        """Where its words stand: those read by OCR, of a chunk that is nothing but pictures."""
        if self.ocr_anchors and only_pictures(self.chunk_text):
            return self.ocr_anchors
        return self.anchors


_NAMES = [field.name for field in fields(ServedChunk)]
_CHUNK, _VERSION, _CREATED, _ANCHORS, _OCR = map(
    _NAMES.index, ("chunk_id", "version_id", "created_at", "anchors", "ocr_anchors")
)
#: Columns that snapshots published by earlier versions do not have.
_LATER = ("ocr_text", "ocr_anchors")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ServedChunks:
    """The served tables of one snapshot. Safe to use from several threads.

    Raises:
        OSError, pyarrow.ArrowInvalid: a file is missing or damaged.
        ValueError: a chunk id has not the form of one.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._batches = [batch for path in files for batch in _map(path) if batch.num_rows]
        #: Columns of each batch in the order of :class:`ServedChunk`.
        self._columns = [[batch.column(name) for name in _NAMES] for batch in self._batches]
        for columns in self._columns:
            # A number becomes a datetime ten times faster than a timestamp of Arrow does.
            columns[_CREATED] = columns[_CREATED].view(pa.int64())
        counts = (batch.num_rows for batch in self._batches)
        self._starts = list(accumulate(counts, initial=0))
        keys = np.concatenate([np.empty(0, np.uint64), *map(_keys, self._batches)])
        # Stable, so that the versions of a chunk stay newest first.
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._places = order.astype(np.uint32)

    def __len__(self) -> int:
        """Rows, one for each chunk in each version."""
        return len(self._keys)

    def rows(
        self,
        chunk_ids: Sequence[str],
        version_id: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:
        """One row for each id that is known, in the order asked; ``columns`` as in SERVING.

        Args:
            version_id: the version wanted; a chunk that is not in it is left out. By default the
                newest version that holds the chunk. An id may name its own, as that of a passage
                of an older version does: ``chk_…@ver_…``.
        """
        places = self._find(chunk_ids, version_id)
        names = list(columns or _NAMES)
        if not places:
            schema = self._batches[0].schema if self._batches else None
            return pa.table(
                {n: pa.array([], schema.field(n).type if schema else None) for n in names}
            )
        return self._take(np.array(places, np.int64), names)

    def get(self, chunk_ids: Sequence[str], version_id: str | None = None) -> list[ServedChunk]:
        """:meth:`rows` as objects; quicker for the some fifty chunks of an answer, because a cell
        costs less than setting up the columns of every file."""
        return [self._chunk(place) for place in self._find(chunk_ids, version_id)]

    def cells(self, chunk_ids: Sequence[str], columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """These columns of the newest version of each chunk that is known, in the order asked;
        as :meth:`get`, quicker than :meth:`rows` for the chunks of an answer."""
        numbers = [_NAMES.index(name) for name in columns]
        created = numbers.index(_CREATED) if _CREATED in numbers else None
        found = []
        for place in self._find(chunk_ids, None):
            held, row = self._columns_at(place)
            values = [held[number][row].as_py() for number in numbers]
            if created is not None:
                values[created] = _moment(values[created])
            found.append(tuple(values))
        return found

    def newest(self, columns: Sequence[str]) -> pa.Table:
        """These columns of every chunk of a newest version, in no promised order."""
        parts = [batch.select(list(columns)).filter(batch["is_latest"]) for batch in self._batches]
        empty = SERVING.empty_table().select(list(columns))
        return pa.Table.from_batches(parts) if parts else empty

    def newest_of(self, doc_ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
        """The chunks of these documents' newest versions, in no promised order; reads all keys."""
        wanted = pa.array(doc_ids, pa.string())
        parts = [
            batch.select(list(columns)).filter(
                pc.and_(batch["is_latest"], pc.is_in(batch["doc_id"], value_set=wanted))
            )
            for batch in self._batches
        ]
        empty = {name: pa.array([], pa.string()) for name in columns}
        return pa.Table.from_batches(parts) if parts else pa.table(empty)

    def of_version(self, version_id: str, columns: Sequence[str]) -> pa.Table:
        """The chunks of one version, in no promised order; reads all keys."""
        parts = [
            batch.select(list(columns)).filter(pc.equal(batch["version_id"], version_id))
            for batch in self._batches
        ]
        empty = SERVING.empty_table().select(list(columns))
        return pa.Table.from_batches(parts) if parts else empty

    def versions(self, chunk_id: str) -> list[str]:
        """Ids of the versions that hold a chunk, newest first."""
        (places,) = self._candidates([chunk_id])
        return [self._cell(place, _VERSION) for place in places]

    def _find(self, chunk_ids: Sequence[str], version_id: str | None) -> list[int]:
        """The place of each id that is known."""
        found = []
        named = [chunk_id.partition("@") for chunk_id in chunk_ids]
        places_of = self._candidates([chunk_id for chunk_id, _, _ in named])
        for (_, _, version), places in zip(named, places_of, strict=True):
            wanted = version or version_id
            for place in places:
                if wanted is None or self._cell(place, _VERSION) == wanted:
                    found.append(place)
                    break
        return found

    def _candidates(self, chunk_ids: Sequence[str]) -> Iterator[list[int]]:
        """For each id the places of its versions, newest first."""
        keys = np.array([_key(chunk_id) for chunk_id in chunk_ids], np.uint64)
        first = np.searchsorted(self._keys, keys, "left").tolist()
        last = np.searchsorted(self._keys, keys, "right").tolist()
        for chunk_id, low, high in zip(chunk_ids, first, last, strict=True):
            places = self._places[low:high].tolist()
            # Two ids may share a key, and an id of no proper form has the key 0.
            yield [place for place in places if self._cell(place, _CHUNK) == chunk_id]

    def _columns_at(self, place: int) -> tuple[list[Any], int]:
        """The columns that hold a row, and where in them it is."""
        number = bisect_right(self._starts, place) - 1
        return self._columns[number], place - self._starts[number]

    def _cell(self, place: int, column: int) -> Any:
        held, row = self._columns_at(place)
        return held[column][row].as_py()

    def _chunk(self, place: int) -> ServedChunk:
        held, row = self._columns_at(place)
        values = [column[row].as_py() for column in held]
        values[_CREATED] = _moment(values[_CREATED])
        for column in (_ANCHORS, _OCR):
            values[column] = [Anchor(**anchor) for anchor in values[column] or ()]
        return ServedChunk(*values)

    def _take(self, places: NDArray[np.int64], names: list[str]) -> pa.Table:
        starts = np.array(self._starts)
        numbers = np.searchsorted(starts, places, "right") - 1
        order = np.argsort(numbers, kind="stable")
        parts = []
        for number in np.unique(numbers):
            inside = places[order][numbers[order] == number] - starts[number]
            parts.append(self._batches[number].select(names).take(pa.array(inside)))
        asked = np.empty_like(order)
        asked[order] = np.arange(len(order))
        return pa.Table.from_batches(parts).take(pa.array(asked))


def _moment(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def _map(path: Path) -> list[pa.RecordBatch]:
    reader = pa.ipc.open_file(pa.memory_map(str(path)))
    return [_complete(reader.get_batch(number)) for number in range(reader.num_record_batches)]


def _complete(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with every column of :class:`ServedChunk`, null where it is of an earlier form."""
    for name in _LATER:
        if name not in batch.schema.names:
            field = SERVING.field(name)
            batch = batch.append_column(field, pa.nulls(batch.num_rows, field.type))
    return batch


def _key(chunk_id: str) -> int:
    digits = chunk_id[_KEY]
    return int(digits, 16) if _DIGITS.fullmatch(digits) else 0


def _keys(batch: pa.RecordBatch) -> NDArray[np.uint64]:
    """The first 16 hex digits of each chunk id as a number."""
    column = batch.column("chunk_id")
    offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset :][: len(column) + 1]
    if np.any(np.diff(offsets) != _ID_BYTES):
        raise ValueError("a chunk id of another length")
    text = np.frombuffer(column.buffers()[2], np.uint8)[offsets[0] : offsets[-1]]
    digits = text.reshape(-1, _ID_BYTES)[:, _KEY]
    values = (digits & 15) + 9 * (digits >> 6)
    packed = (values[:, 0::2] << 4) | values[:, 1::2]
    keys: NDArray[np.uint64] = np.ascontiguousarray(packed).view(">u8").ravel().astype(np.uint64)
    return keys
