"""The rows of the ``chunks`` table: pieces with their ids and their places in the source."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa

from rag_assets.chunks.base import Chunker
from rag_assets.chunks.picture_pages import PicturePages
from rag_assets.sections.places import NO_ANCHORS, AnchorMap, Clipped, LineMap, offsets, pages
from rag_query.contracts.tables import CHUNKS
from rag_query.text.canonical import content_hash
from rag_query.text.ids import chunk_id

#: Raised when the same pieces become other rows.
ROWS_VERSION = "2"

_ASSET = re.compile(r"asset://([0-9a-f]{16,64})")
_NOTHING_SAID = re.compile(r"[\s!-/:-@\[-`{-~\u2010-\u2027\u3001\u3002\u00b7]*")
_COLUMNS = [name for name in CHUNKS.names if name not in ("anchors", "chunk_build_profile_id")]


def chunk_rows(
    sections: pa.Table, normalized: pa.Table, chunker: Chunker, profile_id: str
) -> pa.Table:
    """The ``chunks`` rows of some versions.

    Args:
        sections: their rows, the rows of one version together and in order.
        normalized: their rows.
    """
    columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
    clipped: list[Clipped] = []
    rows = sections.to_pylist()
    place = {version: row for row, version in enumerate(normalized["version_id"].to_pylist())}
    first = 0
    while first < len(rows):
        version = rows[first]["version_id"]
        last = first
        while last < len(rows) and rows[last]["version_id"] == version:
            last += 1
        source = place[version]
        md = normalized["md_norm"][source].as_py()
        anchors = AnchorMap(normalized["anchors"][source].values)
        document = _Document(columns, version, rows[first]["doc_id"])
        scans = PicturePages(md, anchors)
        own = rows[first:last]
        kinds = chunker.title_types.of_document(
            [row["title"] for row in own],
            [row["heading_level"] for row in own],
            [row["section_path"] for row in own],
        )
        for row, kind in zip(own, kinds, strict=True):
            document.add(row, chunker, scans, kind)
        lines = LineMap(md, normalized["line_map"][source].values)
        clipped.append(document.locate(lines, anchors))
        first = last
    arrays = {name: pa.array(columns[name], CHUNKS.field(name).type) for name in _COLUMNS}
    arrays["anchors"] = _anchor_lists(clipped)
    count = len(columns["chunk_id"])
    arrays["chunk_build_profile_id"] = pa.array([profile_id] * count, pa.string())
    return pa.table([arrays[name] for name in CHUNKS.names], schema=CHUNKS)


class _Document:
    """Adds the chunks of one version to the columns."""

    def __init__(self, columns: dict[str, list[Any]], version: str, doc: str) -> None:
        self._columns = columns
        self._version = version
        self._doc = doc
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._repeats: list[tuple[int, int, int]] = []  # index of the first, start, end

    def add(
        self, section: dict[str, Any], chunker: Chunker, scans: PicturePages, kind: str | None
    ) -> None:
        """Cut one section, and between its pages that are only pictures.

        ``kind`` is the domain type it has in its document.
        """
        text, offset = section["text"], section["char_start"]
        known: dict[str, int] = {}
        column = self._columns
        for piece in scans.part(text, offset, chunker.split(text, section["title"])):
            chunk = text[piece.start : piece.end]
            if _NOTHING_SAID.fullmatch(chunk):
                continue
            fingerprint = content_hash(chunk)
            start, end = offset + piece.start, offset + piece.end
            if fingerprint in known:
                self._repeats.append((known[fingerprint], start, end))
                continue
            known[fingerprint] = len(self._starts)
            self._starts.append(start)
            self._ends.append(end)
            column["chunk_id"].append(chunk_id(section["section_id"], fingerprint))
            column["block_type"].append(kind or piece.block_type)
            column["chunk_text"].append(chunk)
            column["chunk_fingerprint"].append(fingerprint)
            column["section_start"].append(piece.start)
            column["section_end"].append(piece.end)
            column["char_start"].append(start)
            column["char_end"].append(end)
            found = _ASSET.findall(chunk) if "asset://" in chunk else []
            column["asset_ids"].append(list(dict.fromkeys(found)))
            column["header_row"].append(piece.header_row)
        column["chunk_index"] += known.values()
        for name, value in (
            ("version_id", self._version),
            ("doc_id", self._doc),
            ("section_id", section["section_id"]),
            ("section_path", section["section_path"]),
            ("section_title", section["title"]),
        ):
            column[name] += [value] * len(known)

    def locate(self, lines: LineMap, anchors: AnchorMap) -> Clipped:
        """Add lines, pages and repetitions; return the boxes."""
        starts, ends = offsets(self._starts), offsets(self._ends)
        first_line, last_line = lines.lines(starts, ends)
        clipped = anchors.clip(starts, ends)
        first_page, last_page = pages(clipped)
        self._columns["line_start"] += first_line
        self._columns["line_end"] += last_line
        self._columns["page_start"] += first_page
        self._columns["page_end"] += last_page
        self._columns["also_at"] += self._occurrences(lines)
        return clipped

    def _occurrences(self, lines: LineMap) -> list[list[dict[str, int | None]]]:
        out: list[list[dict[str, int | None]]] = [[] for _ in self._starts]
        if not self._repeats:
            return out
        first, last = lines.lines(
            offsets([start for _, start, _ in self._repeats]),
            offsets([end for _, _, end in self._repeats]),
        )
        for (index, start, end), line, until in zip(self._repeats, first, last, strict=True):
            out[index].append(
                {"char_start": start, "char_end": end, "line_start": line, "line_end": until}
            )
        return out


def _anchor_lists(clipped: list[Clipped]) -> pa.ListArray:
    """One list of anchors for each chunk, of all documents."""
    bounds = [np.zeros(1, dtype=np.int64)]
    total = 0
    for part in clipped:
        bounds.append(part.first[1:] + total)
        total += len(part.anchors)
    values = [part.anchors for part in clipped if len(part.anchors)] or [NO_ANCHORS]
    return pa.ListArray.from_arrays(
        pa.array(np.concatenate(bounds).astype(np.int32)),
        pa.concat_arrays(values),
        type=CHUNKS.field("anchors").type,
    )
