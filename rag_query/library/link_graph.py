"""Which chunk leads to which: the ``links`` table of one snapshot, both ways.

Only links between newest versions are kept. A link without an anchor leads to the document's
first chunk, one with an anchor to the chunks of the section whose heading has that slug; where no
heading has it (any more), to the first chunk, as a browser does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rag_query.library.served import ServedChunks
from rag_query.text.slugs import heading_slug

#: Chunks of a section that one link leads to.
MAX_TARGETS = 8
_COLUMNS = [
    "doc_id",
    "version_id",
    "chunk_id",
    "kind",
    "text",
    "target_doc_id",
    "target_anchor",
    "weight",
]
_PLACES = ["chunk_id", "doc_id", "section_id", "section_path", "chunk_index"]


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
    def read(cls, files: Iterable[Path], served: ServedChunks) -> LinkGraph:
        """Raises OSError or pyarrow.ArrowException when a file is missing or damaged."""
        parts = [pq.read_table(path, columns=_COLUMNS) for path in files]
        if not parts:
            return cls({})
        links = pa.concat_tables(parts)
        links = links.filter(
            pc.and_(links["chunk_id"].is_valid(), links["target_doc_id"].is_valid())
        )
        targets = links["target_doc_id"].unique().to_pylist()
        places = _places(served.newest_of(targets, _PLACES).to_pylist())
        sources = links["doc_id"].unique().to_pylist()
        newest = served.newest_of(sources, ["version_id"])["version_id"].unique()
        links = links.filter(pc.is_in(links["version_id"], value_set=newest))
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

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        """``rows``: the document's chunks in order."""
        self._first = [rows[0]["chunk_id"]]
        self._ids = {row["chunk_id"] for row in rows}
        self._own: dict[str, list[str]] = {}
        self._above: dict[str, list[str]] = {}
        sections: dict[str, str] = {}
        for row in rows:
            *above, own = map(heading_slug, row["section_path"].split(" / "))
            # Of two headings with one slug, the anchor names the first.
            if sections.setdefault(own, row["section_id"]) == row["section_id"]:
                self._own.setdefault(own, []).append(row["chunk_id"])
            for slug in above:
                # A heading without text of its own leads to what stands below it.
                self._above.setdefault(slug, [row["chunk_id"]])

    def chunks(self, anchor: str | None) -> list[str]:
        if anchor is None:
            return self._first
        if anchor in self._ids:
            return [anchor]
        return (self._own.get(anchor) or self._above.get(anchor) or self._first)[:MAX_TARGETS]


def _places(rows: Sequence[dict[str, Any]]) -> dict[str, _Place]:
    documents: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: (row["doc_id"], row["chunk_index"])):
        documents.setdefault(row["doc_id"], []).append(row)
    return {doc: _Place(held) for doc, held in documents.items()}


def _strongest(edge: Edge) -> tuple[float, str, str, str]:
    return -edge.weight, edge.chunk_id, edge.direction, edge.kind
