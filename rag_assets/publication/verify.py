"""The blocking checks before a snapshot is published (DESIGN 4).

Each looks at what the indexes and files really hold, not at what a head says, and returns a named
result with counts and a few examples. None of them writes anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rag_assets.context import LIVE
from rag_assets.publication.candidate import Candidate
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library import bm25_schema
from rag_query.library.home import Home
from rag_query.library.lance import connect, sql_text
from rag_query.library.tables import TableStore
from rag_query.text.ids import CHUNK_PREFIX, DOC_PREFIX

if TYPE_CHECKING:
    import tantivy

MIN_RECALL = 0.99
RECALL_AT = 10
#: Searches compared with exact search. Without an index every search is exact, so few will do.
_SAMPLE_INDEXED, _SAMPLE_FLAT = 32, 4
_EXAMPLES = 5
_BATCH_ROWS = 20_000
#: Tables whose rows must belong to a live version.
_OF_VERSIONS = (
    "parsed", "normalized", "sections", "chunks", "enriched", "embeddings", "links", "anchors",
)  # fmt: skip
_NORM_TOLERANCE = 1e-3
_TERMS = pa.schema([("term", pa.string()), ("count", pa.int64())])
_TIE = 1e-5


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one check; ``details`` is JSON-serialisable."""

    name: str
    passed: bool
    details: dict[str, Any] = field(default_factory=dict)


class Contents:
    """What indexes and files of a candidate really hold; each part is read once, when asked."""

    def __init__(self, home: Home, store: TableStore, candidate: Candidate) -> None:
        self._home = home
        self._store = store
        self.candidate = candidate

    @cached_property
    def vector_rows(self) -> pa.Table:
        """chunk_id and doc_id of the LanceDB table at the candidate's version."""
        if self.vectors is None:
            return _no_rows()
        return self.vectors.search().select(["chunk_id", "doc_id"]).to_arrow()

    @cached_property
    def vectors(self) -> Any:
        """The LanceDB table at the candidate's version, or None."""
        name = self.candidate.vector_table
        if name is None:
            return None
        try:
            table = connect(self._home.lance).open_table(name)
            table.checkout(self.candidate.vector.tables[name].version)
        except (RuntimeError, ValueError, OSError) as exc:
            raise _unreadable("vector index") from exc
        return table

    @cached_property
    def bm25_terms(self) -> dict[str, pa.Table]:
        """``chunk_id`` and ``doc_id`` terms of the tantivy generation with their counts of live
        rows."""
        head = self.candidate.bm25
        if head is None:
            return {name: _TERMS.empty_table() for name in ("chunk_id", "doc_id")}
        try:
            searcher = bm25_schema.open_searcher(self._home.bm25 / head.generation)
            return {
                "chunk_id": _terms(searcher, "chunk_id", CHUNK_PREFIX),
                "doc_id": _terms(searcher, "doc_id", DOC_PREFIX),
            }
        except (RuntimeError, ValueError, OSError) as exc:
            raise _unreadable("BM25 index") from exc

    @cached_property
    def served(self) -> pa.Table:
        """chunk_id, doc_id and version_id of every served row."""
        columns = ["chunk_id", "doc_id", "version_id"]
        parts = []
        for file in self.candidate.tables["serving"].values():
            with pa.memory_map(str(self._store.path(file))) as source:
                parts.append(pa.ipc.open_file(source).read_all().select(columns))
        empty = pa.schema([(name, pa.string()) for name in columns]).empty_table()
        return pa.concat_tables([empty, *(part.cast(empty.schema) for part in parts)])

    @cached_property
    def documents(self) -> pa.Table:
        """doc_id, version_id and status of every known version."""
        return self.table("documents", ["doc_id", "version_id", "status"])

    @cached_property
    def live(self) -> pa.Table:
        """Those of :attr:`documents` that are indexed when they parse."""
        return self.documents.filter(_among(self.documents["status"], pa.array(LIVE)))

    def table(self, name: str, columns: list[str]) -> pa.Table:
        """Columns of a table over all shards."""
        parts = [
            self._store.read_file(file, columns)
            for file in self.candidate.tables.get(name, {}).values()
            if file.rows
        ]
        empty = pa.schema([(column, pa.string()) for column in columns]).empty_table()
        return pa.concat_tables([empty, *(part.cast(empty.schema) for part in parts)])


def verify(home: Home, store: TableStore, candidate: Candidate) -> list[Check]:
    """Run every check. Raises ExcerptaError ``SNAPSHOT_DAMAGED`` when an index cannot be read."""
    first = [one_embedding_space(candidate), indexes_up_to_date(candidate)]
    first.append(every_chunk_was_embedded(candidate))
    if not all(check.passed for check in first):
        return first
    contents = Contents(home, store, candidate)
    return [
        *first,
        chunk_ids_equal(contents),
        nothing_of_removed_documents(contents),
        every_chunk_has_its_document(contents),
        vector_shape(contents),
        vector_recall(contents),
    ]


def one_embedding_space(candidate: Candidate) -> Check:
    """All shards have their vectors in one table; while an embedder changes they have not, and
    the published snapshot goes on serving."""
    holder = candidate.vector.holder
    shards = {name: [s for s, n in holder.items() if n == name] for name in candidate.vector_tables}
    return Check("one_embedding_space", len(shards) <= 1, {"tables": shards})


def indexes_up_to_date(candidate: Candidate) -> Check:
    """Both indexes were made from the tables that are about to be published."""
    outdated = candidate.outdated()
    return Check("indexes_up_to_date", not any(outdated.values()), {"outdated": outdated})


def every_chunk_was_embedded(candidate: Candidate) -> Check:
    """Every chunk has a vector, or a failure with a code."""
    states = {shard: candidate.states(shard)[0] for shard in candidate.shards}
    missing = {shard: s.missing for shard, s in states.items() if s and s.missing}
    failed = sum(s.failed for s in states.values() if s)
    return Check("every_chunk_was_embedded", not missing, {"missing": missing, "failed": failed})


def chunk_ids_equal(contents: Contents) -> Check:
    """LanceDB, tantivy and the served table hold the same chunk ids, each index once."""
    vector = contents.vector_rows["chunk_id"]
    terms = contents.bm25_terms["chunk_id"]
    sets = {
        "vector": pc.unique(vector).cast(pa.string()),
        "bm25": terms["term"].combine_chunks(),
        "served": pc.unique(contents.served["chunk_id"]),
    }
    details: dict[str, Any] = {"counts": {name: len(ids) for name, ids in sets.items()}}
    for index in ("vector", "bm25"):
        lacking = sets["served"].filter(pc.invert(_among(sets["served"], sets[index])))
        beyond = sets[index].filter(pc.invert(_among(sets[index], sets["served"])))
        _note(details, f"{index}_lacks", lacking)
        _note(details, f"{index}_has_beyond", beyond)
    doubled = terms.filter(pc.greater(terms["count"], 1))["term"]
    _note(details, "bm25_twice", doubled)
    if len(vector) != len(sets["vector"]):
        details["vector_twice"] = {"count": len(vector) - len(sets["vector"])}
    return Check("chunk_ids_equal", len(details) == 1, details)


def nothing_of_removed_documents(contents: Contents) -> Check:
    """Neither indexes nor tables hold a row of a document or version that is not live."""
    docs, versions = (pc.unique(contents.live[name]) for name in ("doc_id", "version_id"))
    details: dict[str, Any] = {}
    _note(details, "vector", _beyond(contents.vector_rows["doc_id"], docs))
    _note(details, "bm25", _beyond(contents.bm25_terms["doc_id"]["term"], docs))
    _note(details, "served", _beyond(contents.served["version_id"], versions))
    for name in _OF_VERSIONS:
        rows = contents.table(name, ["version_id"])
        _note(details, name, _beyond(rows["version_id"], versions))
    return Check("nothing_of_removed_documents", not details, details)


def every_chunk_has_its_document(contents: Contents) -> Check:
    """Every served (doc_id, version_id) is a live version of that document."""
    join = pc.binary_join_element_wise
    live = join(contents.live["doc_id"], contents.live["version_id"], "/")
    served = join(contents.served["doc_id"], contents.served["version_id"], "/")
    details: dict[str, Any] = {}
    _note(details, "orphans", _beyond(served, pc.unique(live)))
    return Check("every_chunk_has_its_document", not details, details)


def vector_shape(contents: Contents) -> Check:
    """Every vector has the space's width, only finite values, and length 1."""
    table, name = contents.vectors, contents.candidate.vector_table
    if table is None or name is None:
        return Check("vector_shape", True, {"rows": 0})
    wanted = contents.candidate.vector.tables[name].space.dimensions
    rows, bad = 0, 0
    for vectors in _vectors(table):
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        good = np.abs(lengths - 1) <= _NORM_TOLERANCE  # false for NaN and infinity
        rows, bad = rows + len(good), bad + int(np.count_nonzero(~good))
    width = table.schema.field("vector").type.list_size
    details = {"rows": rows, "dimensions": width, "not_unit_length": bad}
    return Check("vector_shape", bad == 0 and width == wanted, details)


def vector_recall(contents: Contents) -> Check:
    """Vector search finds what exact search finds, on a sample of the stored vectors.

    recall@10 counts a found row as right when it is as near as the tenth of exact search.
    """
    table = contents.vectors
    rows = len(contents.vector_rows)
    if table is None or rows == 0:
        return Check("vector_recall", True, {"rows": rows})
    size = min(rows, _SAMPLE_INDEXED if table.list_indices() else _SAMPLE_FLAT)
    places = np.linspace(0, rows - 1, size).astype(int)
    ids = contents.vector_rows["chunk_id"].take(pa.array(places)).to_pylist()
    names = ", ".join(map(sql_text, ids))
    chosen = table.search().where(f"chunk_id in ({names})").select(["vector"]).to_arrow()
    queries = _matrix(chosen["vector"].combine_chunks())
    best = np.full((len(queries), 0), -np.inf, np.float32)
    for vectors in _vectors(table):
        near = np.concatenate([best, queries @ vectors.T], axis=1)
        kept = min(RECALL_AT, near.shape[1])
        best = -np.partition(-near, kept - 1, axis=1)[:, :kept]
    right = 0
    for query, exact in zip(queries, best, strict=True):
        found = table.search(query).distance_type("cosine").limit(RECALL_AT)
        scores = 1 - found.select(["_distance"]).to_arrow()["_distance"].to_numpy()
        right += int(np.count_nonzero(scores >= exact.min() - _TIE))
    recall = right / best.size
    return Check("vector_recall", recall >= MIN_RECALL, {"recall": recall, "sample": len(queries)})


def _vectors(table: Any) -> Any:
    """All vectors in batches of float32 (rows, dimensions)."""
    batches = table.search().select(["vector"]).to_batches(batch_size=_BATCH_ROWS)
    return (_matrix(batch.column("vector")) for batch in batches if batch.num_rows)


def _matrix(column: Any) -> NDArray[np.float32]:
    values: NDArray[np.float32] = column.flatten().to_numpy(zero_copy_only=False)
    return values.reshape(len(column), -1)


def _terms(searcher: tantivy.Searcher, field_name: str, prefix: str) -> pa.Table:
    """The terms of a field that each row has one of, asked for a part at a time: as Python
    objects they need many times the memory.

    Args:
        prefix: of ids, before their hexadecimal digits.
    """
    import tantivy

    # Without a filter the terms of deleted rows would come too.
    every = tantivy.Query.all_query()

    def starting(with_: str) -> pa.Table:
        found = searcher.terms_with_prefix(field_name, with_, every)
        return pa.table([[term for term, _ in found], [count for _, count in found]], schema=_TERMS)

    terms = pa.concat_tables([starting(f"{prefix}{digit}") for digit in "0123456789abcdef"])
    if (pc.sum(terms["count"]).as_py() or 0) != searcher.num_docs:
        return starting("")  # with ids of another form
    return terms


def _no_rows() -> pa.Table:
    return pa.schema([("chunk_id", pa.string()), ("doc_id", pa.string())]).empty_table()


def _among(values: Any, known: Any) -> Any:
    if isinstance(known, pa.ChunkedArray):
        known = known.combine_chunks()
    return pc.is_in(values, value_set=known)


def _beyond(values: pa.ChunkedArray, known: Any) -> Any:
    """Distinct values that are not known."""
    distinct = pc.unique(values).cast(pa.string())
    return distinct.filter(pc.invert(_among(distinct, known)))


def _note(details: dict[str, Any], name: str, ids: Any) -> None:
    """Record a difference under ``name``, when there is one."""
    if len(ids):
        details[name] = {"count": len(ids), "examples": ids.slice(0, _EXAMPLES).to_pylist()}


def _unreadable(part: str) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.SNAPSHOT_DAMAGED,
        f"The {part} about to be published cannot be read.",
        hint="Run the index stages again; they rebuild what is missing.",
    )
