"""Which chunk leads to which: the ``links`` table of one snapshot, both ways.

Only links between newest versions are kept. A link without an anchor leads to the document's
first chunk, one with an anchor to the chunks that ``anchors`` tells of it; where the document has
no such anchor (any more), to the first chunk, as a browser does. What a link means that leads to no
document is looked for (:mod:`rag_query.library.link_targets`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rag_query.contracts.tables import ANCHORS
from rag_query.library.link_targets import may_be_found, with_found_targets
from rag_query.library.served import ServedChunks

#: Chunks below a heading that one link leads to.
MAX_TARGETS = 8
_COLUMNS = [
    "doc_id",
    "version_id",
    "chunk_id",
    "kind",
    "text",
    "target_uri",
    "target_doc_id",
    "target_anchor",
    "weight",
]
_PLACES = ["chunk_id", "doc_id", "version_id", "chunk_index"]


@dataclass(frozen=True, slots=True)
class Edge:
    """One way to go from a chunk.

    Attributes:
        chunk_id: where it leads.
        kind: of the link.
        direction: ``out`` along the link, ``in`` against it.
        text: the link's words.
        weight: how often the link stands there, or how many terms are shared.
    """

    chunk_id: str
    kind: str
    direction: Literal["out", "in"]
    text: str | None
    weight: float


class LinkGraph:
    """Edges by chunk. Never changes, so it is safe to use from several threads."""

    def __init__(self, edges: Mapping[str, Sequence[Edge]]) -> None:
        self._edges = edges

    @classmethod
    def read(
        cls, files: Iterable[Path], anchors: Iterable[Path], served: ServedChunks
    ) -> LinkGraph:
        """From the files of ``links`` and of ``anchors``.

        Raises OSError or pyarrow.ArrowException when a file is missing or damaged.
        """
        parts = [pq.read_table(path, columns=_COLUMNS) for path in files]
        if not parts:
            return cls({})
        links = pa.concat_tables(parts)
        links = links.filter(pc.and_(links["chunk_id"].is_valid(), may_be_found(links)))
        sources = links["doc_id"].unique().to_pylist()
        newest = served.newest_of(sources, ["version_id"])["version_id"].unique()
        links = links.filter(pc.is_in(links["version_id"], value_set=newest))
        links = with_found_targets(links, served)
        targets = links["target_doc_id"].unique().to_pylist()
        held = served.newest_of(targets, _PLACES)
        places = _places(held, _named(anchors, links, held))
        edges: dict[str, list[Edge]] = {}
        for link in links.to_pylist():
            source = link["chunk_id"]
            place = places.get(link["target_doc_id"])
            if place is None:
                continue
            kind, text, weight = link["kind"], link["text"], link["weight"]
            for target in place.chunks(link["target_anchor"]):
                if target != source:
                    edges.setdefault(source, []).append(Edge(target, kind, "out", text, weight))
                    edges.setdefault(target, []).append(Edge(source, kind, "in", text, weight))
        return cls({chunk: sorted(found, key=_strongest) for chunk, found in edges.items()})

    def edges(self, chunk_id: str) -> Sequence[Edge]:
        """Both ways, the heaviest first."""
        return self._edges.get(chunk_id, ())


class _Place:
    """What links into one document can name."""

    def __init__(self) -> None:
        #: In order.
        self.held: list[str] = []
        #: Anchor -> the chunk it leads to, and how many from there on.
        self.named: dict[str, tuple[str, int]] = {}

    @cached_property
    def _index(self) -> dict[str, int]:
        return {chunk: index for index, chunk in enumerate(self.held)}

    def chunks(self, anchor: str | None) -> list[str]:
        if anchor in self.named:
            chunk, count = self.named[anchor]
            first = self._index.get(chunk, 0)
            return self.held[first : first + min(count, MAX_TARGETS)]
        return [anchor] if anchor and anchor in self._index else self.held[:1]


def _places(held: pa.Table, named: pa.Table) -> dict[str, _Place]:
    """The documents of some chunks (:data:`_PLACES`) with their anchors (``ANCHORS``)."""
    places: dict[str, _Place] = defaultdict(_Place)
    order = [("doc_id", "ascending"), ("chunk_index", "ascending")]
    for doc, chunk in _rows(held.sort_by(order), ["doc_id", "chunk_id"]):
        places[doc].held.append(chunk)
    for doc, anchor, chunk, count in _rows(named, ["doc_id", "anchor", "chunk_id", "chunk_count"]):
        places[doc].named[anchor] = chunk, count
    return places


def _named(files: Iterable[Path], links: pa.Table, held: pa.Table) -> pa.Table:
    """The rows of ``anchors`` that ``links`` name, of the versions of the chunks in ``held``."""
    asked = links.select(["target_doc_id", "target_anchor"]).filter(
        links["target_anchor"].is_valid()
    )
    parts = [ANCHORS.empty_table()]
    if asked.num_rows:
        versions = held["version_id"].unique()
        where = pc.field("anchor").isin(asked["target_anchor"].unique())
        where &= pc.field("version_id").isin(versions)
        parts += [pq.read_table(path, schema=ANCHORS, filters=where) for path in files]
    return pa.concat_tables(parts).join(
        asked, ["doc_id", "anchor"], asked.column_names, "left semi"
    )


def _rows(table: pa.Table, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    return zip(*(table[name].to_pylist() for name in columns), strict=True)


def _strongest(edge: Edge) -> tuple[float, str, str, str]:
    return -edge.weight, edge.chunk_id, edge.direction, edge.kind
