"""The data version of rows: one hash over schema and values, however the rows are cut in pieces.

Each leaf column (validity, lengths and values of each level of nesting) has a hash of its own, fed
with the values alone, so neither slices, nor chunks, nor what lies under a null matter.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


class RowDigest:
    """sha256 over the rows of a table that come piece by piece, in order."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema.remove_metadata()
        self._leaves: dict[str, hashlib._Hash] = {}

    def update(self, rows: pa.Table) -> None:
        """Add rows of the schema."""
        for field in self._schema:
            for chunk in rows.column(field.name).chunks:
                self._add(field.name, chunk)

    def hexdigest(self) -> str:
        """Of all rows so far: 64 hex digits."""
        whole = hashlib.sha256(self._schema.to_string().encode())
        for path in sorted(self._leaves):
            whole.update(f"\n{path}\n".encode())
            whole.update(self._leaves[path].digest())
        return whole.hexdigest()

    def _add(self, path: str, array: pa.Array) -> None:
        kind = array.type
        self._feed(f"{path}?", array.is_valid().cast(pa.uint8()))
        held = array.drop_null() if array.null_count else array
        if pa.types.is_string(kind) or pa.types.is_binary(kind):
            self._feed(f"{path}#", pc.binary_length(held))
            self._feed_text(path, held)
        elif pa.types.is_list(kind):
            self._feed(f"{path}#", pc.list_value_length(held))
            self._add(f"{path}[]", held.flatten())
        elif pa.types.is_fixed_size_list(kind):
            self._add(f"{path}[]", held.flatten())
        elif pa.types.is_struct(kind):
            for field, values in zip(kind, held.flatten(), strict=True):
                self._add(f"{path}.{field.name}", values)
        elif pa.types.is_boolean(kind):
            self._feed(path, held.cast(pa.uint8()))
        elif pa.types.is_timestamp(kind):
            self._feed(path, held.cast(pa.int64()))
        else:
            self._feed(path, held)

    def _feed(self, path: str, numbers: pa.Array) -> None:
        if len(numbers):
            self._leaf(path).update(np.ascontiguousarray(numbers.to_numpy()).data)

    def _feed_text(self, path: str, texts: pa.Array) -> None:
        if not len(texts):
            return
        _, offsets, data = texts.buffers()
        bounds = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
        if data is not None and bounds[-1] > bounds[0]:
            self._leaf(path).update(memoryview(data)[int(bounds[0]) : int(bounds[-1])])

    def _leaf(self, path: str) -> Any:
        return self._leaves.setdefault(path, hashlib.sha256())


def data_version(table: pa.Table) -> str:
    """sha256 over schema and values, the same for the same rows in the same order."""
    digest = RowDigest(table.schema)
    digest.update(table)
    return digest.hexdigest()
