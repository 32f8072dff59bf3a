"""Exact-as-can-be nearest vectors in memory: a short look at every row, a long look at the best.

LanceDB keeps the vectors; its own flat search reads all of them for every question, which at
100,000 rows of 384 dimensions took 150 to 215 ms on two cores. Measured there instead, for the
same rows in memory: a full float32 pass 8 ms, one over the first 192 of the rotated dimensions
2.5 ms. An IVF or HNSW index of LanceDB took 5 to 11 ms at a recall of 0.97 to 0.99, after up to
200 s of building.

* Up to ``EXACT_ROWS`` rows every question is compared with every vector in float32: exact.
* Above, the vectors are rotated to their principal axes. The leading dimensions are compared for
  all rows, and the best ``LOOKED_AT`` rows again with all dimensions (float16 vectors, an error
  of about 0.0001). How many dimensions lead is *measured* when the table is opened: the fewest
  with which a sample of rows find their ten nearest neighbours with ``MIN_RECALL``; all of them
  where none suffices, which is exact again.
* Above ``CLUSTERED_ROWS`` the leading dimensions lie cluster by cluster (``library/clusters.py``),
  and only those of the clusters nearest to a question are compared. How many clusters those are
  is measured like the dimensions.
* A table that would take more than ``MOST_BYTES`` in memory is not read at all: LanceDB searches
  it on disk (:class:`OnDisk`), with its index where there is one.

A condition is executed before the search, once for each snapshot: a snapshot never changes, so
the rows that satisfy it are remembered.

``numpy.vecdot`` does the pass: unlike a matrix product it starts no threads, which on a busy
machine wait for each other longer (8 to 12 ms) than the work takes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rag_query.library.clusters import Clusters, cluster

#: Tables of at most so many rows are searched exactly; 2.4 ms at 384 dimensions.
EXACT_ROWS = 30_000
#: Leading dimensions that are tried, fewest first.
HEAD_WIDTHS = (64, 128, 192, 256)
#: Rows that are looked at with all dimensions, at least; ten times what is asked, if that is more.
LOOKED_AT = 2000
MIN_RECALL = 0.995
#: More rows than this are grouped.
CLUSTERED_ROWS = 250_000
#: Clusters a question looks at, as shares of all, fewest first; then all.
PROBED_SHARES = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.5)
#: A matrix takes no more than this; 1,000,000 rows of 384 dimensions take 1.0 to 2.3 GB.
MOST_BYTES = 2_500_000_000
#: Of LanceDB's index: clusters looked at, and rows read in full for each one asked.
_PROBES, _REFINE = 64, 10
_RECALL_AT = 10
_SAMPLES = 64
_SAMPLE_HARDNESS = 4
_ROTATION_ROWS = 5_000
_BLOCK = 8192
_REMEMBERED = 32
_MANY = 0.2
#: Differences of a score below this are rounding of float16.
_SCORE_NOISE = 2e-4


class VectorSearch(Protocol):
    """Nearest rows of one version of a table."""

    def search(
        self, vector: NDArray[np.float32], k: int, where: str | None = None
    ) -> tuple[list[str], NDArray[np.float32]]: ...


def open_vectors(table: Any, dimensions: int) -> VectorSearch:
    """In memory when it fits (``MOST_BYTES``), else on disk; see :class:`VectorMatrix`."""
    rows = int(table.count_rows())
    # Every vector in float16, and at worst all its dimensions again in float32.
    if rows * dimensions * (2 + 4) > MOST_BYTES:
        return OnDisk(table)
    return VectorMatrix(table, dimensions)


class OnDisk:
    """Search by LanceDB itself; slower, but in little memory. Safe to use from several threads.

    Args:
        table: as of :class:`VectorMatrix`.
    """

    def __init__(self, table: Any) -> None:
        self._table = table

    def search(
        self, vector: NDArray[np.float32], k: int, where: str | None = None
    ) -> tuple[list[str], NDArray[np.float32]]:
        """As :meth:`VectorMatrix.search`."""
        asked = self._table.search(_unit(vector[None])[0]).distance_type("cosine")
        if where:
            asked = asked.where(where, prefilter=True)
        asked = asked.nprobes(_PROBES).refine_factor(_REFINE).limit(k)
        found = asked.select(["chunk_id", "_distance"]).to_arrow()
        cosines = 1 - found["_distance"].to_numpy().astype(np.float32)
        order = np.argsort(-cosines, kind="stable")
        return found["chunk_id"].take(pa.array(order)).to_pylist(), cosines[order]


class VectorMatrix:
    """The vectors of one version of a LanceDB table. Safe to use from several threads.

    Takes ``rows * dimensions * 4`` bytes up to ``EXACT_ROWS`` rows; above, about
    ``rows * (dimensions * 2 + 4 * leading dimensions)``.

    Args:
        table: checked out at the version to search; ``vector`` and ``chunk_id`` are its columns.
        dimensions: of every vector.

    Raises:
        RuntimeError, ValueError, OSError: the table could not be read.
    """

    def __init__(self, table: Any, dimensions: int) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._allowed: OrderedDict[str, NDArray[np.int64] | None] = OrderedDict()
        rows = int(table.count_rows())
        exact = rows <= EXACT_ROWS
        self._vectors: NDArray[Any] = np.empty(
            (rows, dimensions), np.float32 if exact else np.float16
        )
        self._row_ids = np.empty(rows, np.uint64)
        self._ids = self._read()
        # Row ids are where a condition's rows are looked up.
        self._by_row_id = np.argsort(self._row_ids)
        self._rotation: NDArray[np.float32] | None = None
        self._head: NDArray[Any] = self._vectors
        self._clusters: Clusters | None = None
        #: Place in the matrix -> place in the head, where they differ.
        self._at: NDArray[np.int64] | None = None
        self._probes = 0
        if not exact:
            self._lead()

    def __len__(self) -> int:
        return len(self._vectors)

    @property
    def leading(self) -> int:
        """Dimensions of the first look; all of them when the search is exact."""
        return int(self._head.shape[1])

    @property
    def probed(self) -> float:
        """Share of the rows that the first look sees, about; 1 when rows are not grouped."""
        return self._probes / len(self._clusters) if self._clusters else 1.0

    def search(
        self, vector: NDArray[np.float32], k: int, where: str | None = None
    ) -> tuple[list[str], NDArray[np.float32]]:
        """The ``k`` nearest rows that satisfy ``where``: chunk ids and cosines, best first.

        Raises:
            RuntimeError, ValueError, OSError: the condition could not be executed.
        """
        question = _unit(vector[None])[0]
        rows = self._satisfying(where) if where else None
        places, scores = self._nearest(question, k, rows)
        return self._ids.take(pa.array(places)).to_pylist(), scores

    def _nearest(
        self,
        question: NDArray[np.float32],
        k: int,
        rows: NDArray[np.int64] | None,
        hardness: int = 1,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Places in the matrix and their scores, best first; ``hardness`` divides LOOKED_AT."""
        if self._rotation is None:
            seen, looked_at = question, k
        else:
            seen, looked_at = self._rotation.T @ question, max(LOOKED_AT // hardness, 10 * k)
        places, scores = self._first_look(seen, looked_at, rows)
        best = _top(scores, looked_at)
        places, scores = places[best], scores[best]
        if self._rotation is not None:
            scores = np.vecdot(self._vectors[places].astype(np.float32), question)
            again = _top(scores, k)
            places, scores = places[again], scores[again]
        order = np.argsort(-scores, kind="stable")
        return places[order], scores[order]

    def _first_look(
        self, seen: NDArray[np.float32], wanted: int, rows: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Places and scores of at least ``wanted`` rows, where there are so many."""
        clusters = self._clusters
        if clusters is not None and rows is None:
            near = clusters.nearest(seen, self._probes)
            if sum(part.stop - part.start for part in near) >= min(wanted, len(self)):
                scores = [np.vecdot(self._head[part], seen) for part in near]
                places = [clusters.order[part] for part in near]
                return np.concatenate(places), np.concatenate(scores)
        if rows is not None and len(rows) <= len(self) * _MANY:
            at = rows if self._at is None else self._at[rows]
            return rows, np.vecdot(self._head[at], seen)
        # Copying most rows costs more than scoring the few others.
        scores_of_all = np.vecdot(self._head, seen)
        if self._at is not None:
            scores_of_all = scores_of_all[self._at]
        if rows is None:
            return np.arange(len(self)), scores_of_all
        return rows, scores_of_all[rows]

    def _satisfying(self, where: str) -> NDArray[np.int64] | None:
        """Places of the rows that satisfy a condition, ascending; None for all of them."""
        with self._lock:
            if where in self._allowed:
                self._allowed.move_to_end(where)
                return self._allowed[where]
        found = self._table.search().where(where).select(["chunk_id"]).with_row_id(True).to_arrow()
        ids = found["_rowid"].to_numpy()
        at = np.searchsorted(self._row_ids, ids, sorter=self._by_row_id)
        places = np.sort(self._by_row_id[at])
        allowed = None if len(places) == len(self) else places
        with self._lock:
            self._allowed[where] = allowed
            if len(self._allowed) > _REMEMBERED:
                self._allowed.popitem(last=False)
        return allowed

    def _read(self) -> pa.Array:
        """Fill the matrix block by block, so that the table is in memory only once."""
        columns = ["chunk_id", "vector"]
        reading = self._table.search().select(columns).with_row_id(True)
        names: list[pa.Array] = []
        start = 0
        for batch in reading.to_batches(_BLOCK):
            end = start + batch.num_rows
            block = batch["vector"].flatten().to_numpy().reshape(batch.num_rows, -1)
            self._vectors[start:end] = _unit(block)
            self._row_ids[start:end] = batch["_rowid"].to_numpy()
            names.append(batch["chunk_id"])
            start = end
        if start != len(self._vectors):
            raise ValueError(f"the table gave {start} rows of {len(self._vectors)}")
        return pa.concat_arrays(names) if names else pa.array([], pa.string())

    def _lead(self) -> None:
        """Choose the leading dimensions: the fewest that find what all of them find."""
        step = max(1, len(self) // _ROTATION_ROWS)
        sample = self._vectors[::step].astype(np.float32)
        _, axes = np.linalg.eigh(sample.T @ sample)
        axes = np.ascontiguousarray(axes[:, ::-1])
        pairs = self._vectors[:: max(1, len(self) // (2 * _SAMPLES))].astype(np.float32)
        asked = _unit(pairs[:_SAMPLES] + pairs[_SAMPLES : 2 * _SAMPLES])
        truth = self._tenth_best(asked)
        dimensions = self._vectors.shape[1]
        for width in (*(w for w in HEAD_WIDTHS if w < dimensions), dimensions):
            # The head tried before goes first: two at once would be the peak of memory.
            self._head = self._vectors
            self._rotation = np.ascontiguousarray(axes[:, :width])
            self._head = self._rotated(self._rotation)
            if width == dimensions or self._recall(asked, truth) >= MIN_RECALL:
                break
        if len(self) > CLUSTERED_ROWS:
            self._group(asked, truth)

    def _group(self, asked: NDArray[np.float32], truth: NDArray[np.float32]) -> None:
        """Put the head in the order of clusters, and choose how many a question looks at: the
        fewest that find what all of them find."""
        clusters = cluster(self._head)
        self._head = self._head[clusters.order]
        self._at = np.empty_like(clusters.order)
        self._at[clusters.order] = np.arange(len(self))
        self._clusters = clusters
        for share in PROBED_SHARES:
            self._probes = max(1, round(share * len(clusters)))
            if self._recall(asked, truth) >= MIN_RECALL:
                return
        self._clusters = None

    def _rotated(self, rotation: NDArray[np.float32]) -> NDArray[np.float32]:
        head = np.empty((len(self), rotation.shape[1]), np.float32)
        for start in range(0, len(self), _BLOCK):
            block = self._vectors[start : start + _BLOCK].astype(np.float32)
            np.matmul(block, rotation, out=head[start : start + _BLOCK])
        return head

    def _tenth_best(self, asked: NDArray[np.float32]) -> NDArray[np.float32]:
        """For each sample the score of its tenth neighbour."""
        best = np.empty((len(asked), 0), np.float32)
        for start in range(0, len(self), _BLOCK):
            block = self._vectors[start : start + _BLOCK].astype(np.float32)
            best = np.concatenate([best, asked @ block.T], axis=1)
            best = -np.partition(-best, _RECALL_AT - 1, axis=1)[:, :_RECALL_AT]
        tenth: NDArray[np.float32] = best.min(axis=1)
        return tenth

    def _recall(self, asked: NDArray[np.float32], truth: NDArray[np.float32]) -> float:
        found = 0
        for question, tenth in zip(asked, truth, strict=True):
            _, scores = self._nearest(question, _RECALL_AT, None, _SAMPLE_HARDNESS)
            # Counted by score: copies of one text are equally good neighbours.
            found += int(np.count_nonzero(scores >= tenth - _SCORE_NOISE))
        return found / (_RECALL_AT * len(asked))


def _top(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Places of the ``k`` highest scores, in no order."""
    if k >= len(scores):
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - k)[len(scores) - k :]


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of length 1; a vector of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, np.where(lengths > 0, lengths, 1), dtype=np.float32)
