"""Exact-as-can-be nearest vectors in memory: a coarse look at every row, a fine one at the best.

LanceDB keeps the vectors; its own flat search reads all of them for every question, which at
100,000 rows of 384 dimensions took 150 to 215 ms on two cores, and its IVF and HNSW indexes 5 to
11 ms at a recall of 0.97 to 0.99. Measured there instead, for the same rows in memory: a pass in
float32 6 ms, one over codes of one byte 1.7 ms.

* Up to ``EXACT_ROWS`` rows every question is compared with every vector in float32: exact.
* Above, every dimension of every row is also kept as one byte. A question is compared with these
  codes, and with the float16 vectors (an error of about 0.0001) of the best ``LOOKED_AT`` rows.
  Whether that finds what comparing all float16 vectors finds is *measured* when the table is
  opened, on a sample of questions made of its rows; where it does not (``MIN_RECALL``), all are
  compared.
* A table that would take more than ``MOST_BYTES`` in memory is not read at all: LanceDB searches
  it on disk (:class:`OnDisk`), with its index where there is one.

Grouping the rows so that a question looks at few groups is not worth it: with groups of 1000 rows
of e5 vectors, real questions need half of the groups for a recall of 0.99, though questions made
of rows need a third. Nor is looking at the principal axes first: 192 of 384 were needed.

A condition is executed before the search, once for each snapshot: a snapshot never changes, so
the rows that satisfy it are remembered.

``numpy.vecdot`` and ``numkong.cdist`` do the passes: unlike a matrix product they start no
threads, which on a busy machine wait for each other longer (8 to 12 ms) than the work takes. The
codes alone are looked at in two halves, one of them by a second thread.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rag_query.library.freed_memory import give_back

#: Tables of at most so many rows are searched exactly; 2.4 ms at 384 dimensions.
EXACT_ROWS = 30_000
#: Rows that are looked at again, at least; three times what is asked, if that is more. Of 100,000
#: rows of e5 vectors the best 150 codes held all of the 100 nearest, for 60 real questions.
LOOKED_AT = 300
MIN_RECALL = 0.995
#: A matrix takes no more than this; 1,000,000 rows of 384 dimensions take 1.2 GB.
MOST_BYTES = 2_500_000_000
#: Of LanceDB's index: clusters looked at, and rows read in full for each one asked.
_PROBES, _REFINE = 64, 10
_RECALL_AT = 10
_SAMPLES = 64
_SAMPLE_HARDNESS = 4
_SCALED_ON = 5_000
#: The int8 codes span this quantile of all components; what lies beyond is cut off.
_WIDEST = 0.9999
_BLOCK = 8192
_REMEMBERED = 32
_MANY = 0.2
#: With so many scores for each one wanted, a sample (every 16th) is looked at first.
_SAMPLED_FROM, _SAMPLED_STEP = 20, 16
#: Queries that come at once find both cores at work anyway.
_SECOND_HALVES = ThreadPoolExecutor(1, thread_name_prefix="codes")
#: Differences of a score below this are rounding of float16.
_SCORE_NOISE = 2e-4


class VectorSearch(Protocol):
    """Nearest rows of one version of a table."""

    def search(
        self, vector: NDArray[np.float32], k: int, where: str | None = None
    ) -> tuple[list[str], NDArray[np.float32]]:
        """The ``k`` nearest rows, fewer where there are not so many.

        Args:
            vector: of shape (dimensions,).
            where: SQL predicate that the rows satisfy.

        Returns:
            Their chunk ids, best first, and their cosines, float32 of the same length.

        Raises:
            RuntimeError, ValueError, OSError: the condition could not be executed.
        """
        ...


def open_vectors(table: Any, dimensions: int) -> VectorSearch:
    """In memory when it fits (``MOST_BYTES``), else on disk; see :class:`VectorMatrix`."""
    rows = int(table.count_rows())
    # Every component in float16, and its code.
    if rows * dimensions * (2 + 1) > MOST_BYTES:
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
        """See :class:`VectorSearch`."""
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

    Takes ``rows * dimensions`` times 4 bytes up to ``EXACT_ROWS`` rows, 3 bytes above.

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
        self._codes: NDArray[np.int8] | None = None
        if not exact:
            self._encode()
        give_back()

    def __len__(self) -> int:
        return len(self._vectors)

    @property
    def coded(self) -> bool:
        """Whether a question is compared with codes first."""
        return self._codes is not None

    def search(
        self, vector: NDArray[np.float32], k: int, where: str | None = None
    ) -> tuple[list[str], NDArray[np.float32]]:
        """See :class:`VectorSearch`."""
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
        if self._codes is not None:
            looked_at = max(LOOKED_AT // hardness, 3 * k)
            best = _top(self._products(self._codes, _code(question), rows), looked_at)
            rows = best if rows is None else rows[best]
        scores = self._products(self._vectors, question, rows)
        best = _top(scores, k)
        places = best if rows is None else rows[best]
        scores = np.vecdot(self._vectors[places].astype(np.float32), question)
        order = np.argsort(-scores, kind="stable")
        return places[order], scores[order]

    def _products(
        self, held: NDArray[Any], question: NDArray[Any], rows: NDArray[np.int64] | None
    ) -> NDArray[np.float32]:
        """The product of the question with these rows, or with all."""
        if rows is None or len(rows) > len(self) * _MANY:
            # Copying most rows costs more than scoring the few others.
            scores = _dot_in_halves(held, question) if held is self._codes else _dot(held, question)
            return scores if rows is None else scores[rows]
        return _dot(held[rows], question)

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

    def _encode(self) -> None:
        """Give every row its code, unless that loses neighbours."""
        step = max(1, len(self) // _SCALED_ON)
        sample = self._vectors[::step].astype(np.float32)
        # What all rows share adds the same to each score, and would only make the codes coarser.
        mean = sample.mean(axis=0)
        widest = float(np.quantile(np.abs(sample - mean), _WIDEST)) or 1.0
        codes = np.empty(self._vectors.shape, np.int8)
        for start in range(0, len(self), _BLOCK):
            block = self._vectors[start : start + _BLOCK].astype(np.float32) - mean
            codes[start : start + _BLOCK] = _levels(block, widest)
        self._codes = codes
        pairs = self._vectors[:: max(1, len(self) // (2 * _SAMPLES))].astype(np.float32)
        asked = _unit(pairs[:_SAMPLES] + pairs[_SAMPLES : 2 * _SAMPLES])
        if self._recall(asked, self._tenth_best(asked)) < MIN_RECALL:
            self._codes = None

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


def _dot(rows: NDArray[Any], question: NDArray[Any]) -> NDArray[np.float32]:
    """Products of a question with rows of float32, float16 or codes."""
    if rows.dtype == np.float32:
        exact: NDArray[np.float32] = np.vecdot(rows, question)
        return exact
    scores = np.empty(len(rows), np.float32)
    _dot_into(scores, rows, question)
    return scores


def _dot_in_halves(rows: NDArray[np.int8], question: NDArray[np.int8]) -> NDArray[np.float32]:
    """:func:`_dot` on two cores."""
    half = len(rows) // 2
    scores = np.empty(len(rows), np.float32)
    second = _SECOND_HALVES.submit(_dot_into, scores[half:], rows[half:], question)
    _dot_into(scores[:half], rows[:half], question)
    second.result()
    return scores


def _dot_into(scores: NDArray[np.float32], rows: NDArray[Any], question: NDArray[Any]) -> None:
    """Fill ``scores``: rows of float16 or codes."""
    if len(rows):
        import numkong

        asked = question.astype(rows.dtype)[None]
        numkong.cdist(asked, rows, metric="dot", out=scores[None])


def _code(question: NDArray[np.float32]) -> NDArray[np.int8]:
    return _levels(question, float(np.abs(question).max()) or 1.0)


def _levels(values: NDArray[np.float32], widest: float) -> NDArray[np.int8]:
    """Values of -widest to widest as -127 to 127; what lies beyond is cut off."""
    levels: NDArray[np.float32] = np.clip(np.rint(values * (127 / widest)), -127, 127)
    return levels.astype(np.int8)


def _top(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Places of the ``k`` highest scores, in no order."""
    if k >= len(scores):
        return np.arange(len(scores))
    if len(scores) >= _SAMPLED_FROM * k:
        # A sample tells a bound that the best lie above, and that most of the scores lie below.
        part = scores[::_SAMPLED_STEP]
        place = len(part) - min(len(part), 2 * k // _SAMPLED_STEP + 8)
        likely = np.flatnonzero(scores >= np.partition(part, place)[place])
        if len(likely) >= k:
            best = np.argpartition(scores[likely], len(likely) - k)[len(likely) - k :]
            found: NDArray[np.int64] = likely[best]
            return found
    return np.argpartition(scores, len(scores) - k)[len(scores) - k :]


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of length 1; a vector of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, np.where(lengths > 0, lengths, 1), dtype=np.float32)
