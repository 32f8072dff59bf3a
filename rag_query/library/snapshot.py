"""Readers: follow ``CURRENT`` and open what its snapshot names, each part when it is needed.

Nothing here writes. A query takes one :class:`Snapshot` and keeps it, so it sees one moment of the
library however often ``CURRENT`` moves meanwhile. A part that is damaged fails alone: dense search
works without the BM25 index, and the other way round.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError, shortage_of
from rag_query.contracts.snapshot import SnapshotManifest
from rag_query.library import bm25_schema
from rag_query.library.home import Home
from rag_query.library.lance import connect
from rag_query.library.link_graph import LinkGraph
from rag_query.library.manifests import (
    current_number,
    damaged_part,
    load_manifest,
    nothing_published,
    published_manifest,
)
from rag_query.library.served import ServedChunk, ServedChunks
from rag_query.library.settings import LibrarySettings, load_settings
from rag_query.library.vectors import VectorSearch, open_vectors
from rag_query.text.analysis import DEFAULT_PROFILE

if TYPE_CHECKING:
    import tantivy

    from rag_query.library.catalog import Catalog

_T = TypeVar("_T")

#: What a call meets when parts of its snapshot, or its manifest, have been removed.
_PARTS_GONE = (ErrorCode.SNAPSHOT_DAMAGED, ErrorCode.SNAPSHOT_NOT_FOUND)


class Library:
    """A library as its readers see it. Safe to use from several threads."""

    def __init__(self, home: Home, settings: LibrarySettings) -> None:
        self.home = home
        self.settings = settings
        self._lock = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._snapshot: Snapshot | None = None

    @classmethod
    def open(cls, home: Home) -> Library:
        """Raises ExcerptaError ``LIBRARY_NOT_FOUND`` or ``LIBRARY_INCOMPATIBLE``."""
        return cls(home, load_settings(home))

    def snapshot(self) -> Snapshot:
        """The published snapshot; the same object until ``CURRENT`` moves.

        Raises:
            ExcerptaError: ``NOT_PUBLISHED``, or ``SNAPSHOT_DAMAGED`` when the manifest that
                ``CURRENT`` names is not there.
        """
        seen = self._stat()
        with self._lock:
            if self._snapshot is None or seen != self._seen:
                self._snapshot = self._open(self._snapshot)
                self._seen = seen
            return self._snapshot

    def read(
        self, work: Callable[[Snapshot], _T], *, repeatable: Callable[[], bool] = lambda: True
    ) -> _T:
        """What ``work`` makes of the published snapshot.

        Where parts of the snapshot are gone because a newer one was published meanwhile (a hard
        deletion, or a clean-up), ``work`` is done once more, on the newer one: what it made of the
        older is dropped whole, so that nothing is ever made of two.

        Args:
            repeatable: asked before the second time; false where something of the first has
                already been shown.

        Raises what :meth:`snapshot` and ``work`` raise.
        """
        seen = self.snapshot()
        failure: ExcerptaError | None = None
        try:
            made = work(seen)
            if not seen.damaged:
                return made
        except ExcerptaError as exc:
            if not seen.damaged and exc.code not in _PARTS_GONE:
                raise
            failure = exc
        newer = self.snapshot()
        if newer.number != seen.number and repeatable():
            return work(newer)
        if failure is not None:
            raise failure
        return made

    def at(self, number: int) -> Snapshot:
        """Another snapshot than the published one. Raises ``SNAPSHOT_NOT_FOUND``."""
        return Snapshot(self.home, load_manifest(self.home, number))

    def _stat(self) -> tuple[int, int, int]:
        try:
            found = self.home.current.stat()
        except FileNotFoundError:
            raise nothing_published(self.home) from None
        return found.st_mtime_ns, found.st_ino, found.st_size

    def _open(self, last: Snapshot | None) -> Snapshot:
        number = current_number(self.home)
        if last is not None and last.number == number:
            return last
        manifest = published_manifest(self.home)
        if manifest is None:
            raise nothing_published(self.home)
        return Snapshot(self.home, manifest)


class Snapshot:
    """One published moment. Parts open when first used and stay open."""

    def __init__(self, home: Home, manifest: SnapshotManifest) -> None:
        self.home = home
        self.manifest = manifest
        self._lock = threading.RLock()
        # Of its own: reading the vectors takes longer than opening anything else.
        self._matrix_lock = threading.Lock()
        self._links_lock = threading.Lock()
        self._links: LinkGraph | None = None
        #: Whether a part was missing or damaged; what was made of the others may be less than it
        #: should be.
        self.damaged = False

    @property
    def number(self) -> int:
        return self.manifest.number

    @property
    def searcher(self) -> tantivy.Searcher | None:
        """Searcher of the BM25 generation; None when nothing was indexed.

        Raises:
            ExcerptaError: ``SNAPSHOT_DAMAGED``; ``SPARSE_FAILED`` when the index was made with
                other rules of analysis than this program's.
        """
        with self._lock:
            return self._bm25

    @property
    def vectors(self) -> Any:
        """The LanceDB table at the snapshot's version; None when nothing was embedded.

        Raises ExcerptaError ``SNAPSHOT_DAMAGED``. The first use imports lancedb.
        """
        with self._lock:
            return self._lance

    @property
    def served(self) -> ServedChunks:
        """The chunks of every version. Raises ExcerptaError ``SNAPSHOT_DAMAGED``."""
        with self._lock:
            return self._served

    @property
    def catalog(self) -> Catalog:
        """Documents, sections and counts. Raises ExcerptaError ``SNAPSHOT_DAMAGED`` when used."""
        with self._lock:
            return self._catalog

    @property
    def links(self) -> LinkGraph:
        """How the newest versions link to each other. Raises ExcerptaError ``SNAPSHOT_DAMAGED``.

        The first use reads the links and the places of what they name.
        """
        served = self.served
        with self._links_lock:
            if self._links is None:
                links, anchors = self._files("links"), self._files("anchors")
                self._links = self._part(
                    "table of links", lambda: LinkGraph.read(links, anchors, served)
                )
            return self._links

    def chunks(self, chunk_ids: Sequence[str], version_id: str | None = None) -> list[ServedChunk]:
        """One chunk for each id that is known, in the order asked.

        Args:
            version_id: the version wanted; by default the newest that holds the chunk.
        """
        return self.served.get(chunk_ids, version_id)

    def search_dense(
        self, vector: NDArray[np.float32], k: int, where: str | None = None
    ) -> tuple[list[str], NDArray[np.float32]]:
        """The ``k`` nearest chunks by cosine similarity, best first; see ``library/vectors.py``.

        The first search reads the vectors into memory.

        Args:
            vector: shape (dimensions,).
            where: SQL over ``INDEX_ROW``, applied before the search.

        Returns:
            chunk ids and their similarities in [-1, 1]; fewer than ``k`` when fewer match.

        Raises:
            ExcerptaError: ``EMBEDDER_MISMATCH`` for another width, ``SNAPSHOT_DAMAGED``,
                ``DENSE_FAILED``.
        """
        table, part = self.vectors, self.manifest.vector
        if table is None or part is None:
            return [], np.empty(0, np.float32)
        if vector.shape != (part.space.dimensions,):
            raise ExcerptaError(
                ErrorCode.EMBEDDER_MISMATCH,
                f"The question's vector has shape {vector.shape}, the library's vectors have "
                f"{part.space.dimensions} dimensions.",
            )
        try:
            return self._opened_matrix().search(vector, k, where)
        except (RuntimeError, ValueError, OSError) as exc:
            if "not found" in str(exc).lower():
                raise self._damage("vector index") from exc
            raise ExcerptaError(ErrorCode.DENSE_FAILED, f"Vector search failed: {exc}") from exc

    @cached_property
    def _bm25(self) -> tantivy.Searcher | None:
        part = self.manifest.bm25
        if part is None:
            return None
        if part.analysis_profile_id != DEFAULT_PROFILE.id:
            raise ExcerptaError(
                ErrorCode.SPARSE_FAILED,
                "The BM25 index was made with another analysis of text.",
                hint="Ingest again with this version of the program.",
            )

        folder = self.home.root / part.path
        return self._part("BM25 index", lambda: bm25_schema.open_searcher(folder))

    @cached_property
    def _lance(self) -> Any:
        part = self.manifest.vector
        if part is None:
            return None

        def load() -> Any:
            table = connect(self.home.root / part.path).open_table(part.table)
            table.checkout(part.version)
            return table

        return self._part("vector index", load)

    def warm(self) -> None:
        """Open every part, so that the first queries need not; a failure is left to them."""
        parts: tuple[Callable[[], object], ...] = (
            lambda: self.searcher,
            lambda: self.served,
            self.warm_vectors,
            lambda: self.links,
        )
        for part in parts:
            with suppress(ExcerptaError):
                part()

    def warm_vectors(self) -> None:
        """Read the vectors into memory, so that the first dense search need not.

        A failure is left to the search that needs them, which reports it.
        """
        with suppress(ExcerptaError, RuntimeError, ValueError, OSError):
            if self.vectors is not None:
                self._opened_matrix()

    def _opened_matrix(self) -> VectorSearch:
        with self._matrix_lock:
            return self._matrix

    @cached_property
    def _matrix(self) -> VectorSearch:
        part = self.manifest.vector
        assert part is not None  # search_dense asks only then
        return open_vectors(self.vectors, part.space.dimensions)

    @cached_property
    def _served(self) -> ServedChunks:
        paths = self._files("serving")
        return self._part("served chunk table", lambda: ServedChunks(paths))

    @cached_property
    def _catalog(self) -> Catalog:
        from rag_query.library.catalog import Catalog

        return Catalog(self.home, self.manifest)

    def _files(self, table: str) -> list[Path]:
        """Of all shards; none of a table that the snapshot's program did not know yet."""
        files = self.manifest.tables.get(table, {})
        return [self.home.root / files[shard].path for shard in sorted(files)]

    def _part(self, name: str, load: Callable[[], _T]) -> _T:
        try:
            return load()
        except (OSError, RuntimeError, ValueError, MemoryError, pa.ArrowException) as exc:
            raise (shortage_of(exc) or self._damage(name)) from exc

    def _damage(self, part: str) -> ExcerptaError:
        self.damaged = True
        return damaged_part(part, self.number)
