"""The stored vectors of a few chunks: for MMR and for the neighbours of a query's best hits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_query.library.snapshot import Snapshot


def vectors_of(snapshot: Snapshot, chunk_ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    """chunk_id -> vector of length 1, for those that have one.

    Raises:
        ExcerptaError: ``SNAPSHOT_DAMAGED``.
        RuntimeError, ValueError, OSError: the table could not be read.
    """
    table = snapshot.vectors
    if table is None or not chunk_ids:
        return {}
    # Chunk ids are digits and letters: there is nothing to escape.
    named = ", ".join(f"'{chunk}'" for chunk in chunk_ids)
    found = table.search().where(f"chunk_id IN ({named})").select(["chunk_id", "vector"]).to_arrow()
    if not found.num_rows:
        return {}
    flat = found["vector"].combine_chunks().flatten().to_numpy()
    rows = flat.reshape(found.num_rows, -1).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(lengths > 0, lengths, 1)
    return dict(zip(found["chunk_id"].to_pylist(), rows, strict=True))
