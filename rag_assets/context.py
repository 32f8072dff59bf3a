"""What a stage works with: the library's folders, its settings, the strategy, the tables."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from rag_query.contracts.errors import ExcerptaError
from rag_query.library.home import Home
from rag_query.library.settings import LibrarySettings
from rag_query.library.tables import TableStore
from rag_query.providers.embedding.base import Embedder, checked
from rag_query.strategies.strategy import Strategy

#: Document statuses whose versions are processed and indexed; ``removed`` ones are not.
LIVE = ("active", "superseded")
#: Most of a PDF is fonts and pictures.
_RAW_OVER_TEXT = {"pdf": 10}
_BUILDING = threading.Lock()


@dataclass(frozen=True)
class StageContext:
    """Passed to every stage function; holds no open files and no connection.

    Attributes:
        retry_failed: what failed before is tried again though nothing has changed.
    """

    home: Home
    settings: LibrarySettings
    strategy: Strategy
    run_id: str | None = None
    retry_failed: bool = False

    @cached_property
    def store(self) -> TableStore:
        return TableStore(self.home)

    @property
    def embedder(self) -> Embedder:
        """Built on first use, once a run; safe to ask for from several threads."""
        with _BUILDING:
            return self._embedder

    @cached_property
    def _embedder(self) -> Embedder:
        return checked(self.strategy.build("embedder", home=self.home))

    def load_embedder(self) -> None:
        """Begin to load the embedder's model in the background; returns at once."""
        # Waited for at exit: a process that ends while the model is being loaded is aborted.
        threading.Thread(target=self._load_embedder, name="model-load").start()

    def _load_embedder(self) -> None:
        # The stage that embeds meets the same fault, and reports it.
        with contextlib.suppress(ExcerptaError):
            self.embedder.load()

    def live_versions(self, shard: str, columns: Sequence[str]) -> pa.Table:
        """Columns of the ``documents`` rows of a shard whose versions are to be processed, in table
        order."""
        read = list(dict.fromkeys([*columns, "version_id", "status"]))
        documents = self.store.read("documents", shard, read)
        live = pc.is_in(documents["status"], value_set=pa.array(LIVE))
        rows = documents.filter(pc.and_(live, pc.is_valid(documents["version_id"])))
        return rows.select(list(columns))

    def live_ids(self, shard: str) -> list[str]:
        """The version ids of :meth:`live_versions`."""
        ids: list[str] = self.live_versions(shard, ["version_id"])["version_id"].to_pylist()
        return ids

    def to_retry(self, table: str, shard: str) -> set[str]:
        """Versions with a row of status ``failed`` in a stage's own table, when the run was asked
        to try them again."""
        if not self.retry_failed:
            return set()
        rows = self.store.read(table, shard, ["version_id", "status"], own=True)
        return set(rows.filter(pc.equal(rows["status"], "failed"))["version_id"].to_pylist())

    def text_bytes(self, shard: str) -> dict[str, int]:
        """version_id -> about how many bytes of text each live version has."""
        rows = self.live_versions(shard, ["version_id", "format", "raw_length"])
        return {
            row["version_id"]: (row["raw_length"] or 0) // _RAW_OVER_TEXT.get(row["format"], 1)
            for row in rows.to_pylist()
        }
