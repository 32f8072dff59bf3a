"""What a library calls its things: titles, tags and collections of one snapshot."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import pyarrow.compute as pc

from rag_query.library.snapshot import Snapshot
from rag_query.text.analysis import analyzer

_COLUMNS = ("doc_id", "title", "source_uri", "collection", "tags")


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A document as a question may name it; ``tokens`` are those of its title."""

    doc_id: str
    title: str
    file_name: str
    tokens: frozenset[str]


@dataclass(frozen=True, slots=True)
class Names:
    """Names of the newest versions.

    Attributes:
        documents: in the order of their ids.
        tags: folded tag -> tag.
        collections: folded name -> name.
    """

    documents: tuple[NamedDocument, ...]
    tags: dict[str, str]
    collections: dict[str, str]


_LOCK = threading.Lock()
_KNOWN: WeakKeyDictionary[Snapshot, Names] = WeakKeyDictionary()


def names_of(snapshot: Snapshot) -> Names:
    """The snapshot's names; read once for each snapshot. Raises ExcerptaError
    ``SNAPSHOT_DAMAGED``."""
    with _LOCK:
        if snapshot not in _KNOWN:
            _KNOWN[snapshot] = _read(snapshot)
        return _KNOWN[snapshot]


def folded(name: str) -> str:
    """A name without case and surrounding blanks."""
    return name.strip().casefold()


def _read(snapshot: Snapshot) -> Names:
    rows = snapshot.served.newest(_COLUMNS)
    documents = rows.select(["doc_id", "title", "source_uri"]).group_by(
        ["doc_id", "title", "source_uri"]
    )
    named = sorted(documents.aggregate([]).to_pylist(), key=lambda row: row["doc_id"])
    tags = pc.unique(pc.list_flatten(rows["tags"].combine_chunks())).to_pylist()
    collections = pc.unique(rows["collection"]).to_pylist()
    return Names(
        tuple(
            NamedDocument(
                row["doc_id"],
                row["title"],
                row["source_uri"].rpartition("/")[2],
                frozenset(analyzer().tokens(row["title"])),
            )
            for row in named
        ),
        {folded(tag): tag for tag in tags},
        {folded(name): name for name in collections},
    )
