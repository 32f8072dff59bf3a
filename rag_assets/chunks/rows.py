"""The rows of the ``chunks`` table: pieces with their ids and their places in the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa

from rag_assets.chunks.base import Chunker, Piece
from rag_assets.chunks.domain_types import INTRO
from rag_assets.chunks.labels import Part, labelled_parts
from rag_assets.chunks.picture_pages import PicturePages
from rag_assets.sections.places import NO_ANCHORS, AnchorMap, Clipped, LineMap, Places, pages
from rag_query.contracts.tables import CHUNKS
from rag_query.text.canonical import content_hash
from rag_query.text.ids import chunk_id
from rag_query.text.pictures import ASSET_ADDRESS, ASSET_SCHEME

#: Raised when the same pieces become other rows.
ROWS_VERSION = "4"

_NOTHING_SAID = re.compile(r"[\s!-/:-@\[-`{-~\u2010-\u2027\u3001\u3002\u00b7]*")
#: What a chunk has of its section, and what the column is called there.
_OF_SECTION = {
    "version_id": "version_id",
    "doc_id": "doc_id",
    "section_id": "section_id",
    "section_path": "section_path",
    "section_title": "title",
}
_OWN = [
    name for name in CHUNKS.names if name not in (*_OF_SECTION, "anchors", "chunk_build_profile_id")
]


def chunk_rows(
    sections: pa.Table, normalized: pa.Table, chunker: Chunker, profile_id: str
) -> pa.Table:
    """The ``chunks`` rows of some versions.

    Args:
        sections: their rows, the rows of one version together and in order.
        normalized: their rows.
    """
    columns: dict[str, list[Any]] = {name: [] for name in _OWN}
    owners: list[int] = []
    clipped: list[Clipped] = []
    sources = {}
    for batch in normalized.to_batches():
        held = batch["md_norm"], Places(batch)
        for row, version in enumerate(batch["version_id"].to_pylist()):
            sources[version] = (*held, row)
    fields = (sections[name].to_pylist() for name in _Section._fields)
    rows = enumerate(map(_Section._make, zip(*fields, strict=True)))
    for version, group in groupby(rows, key=lambda row: row[1].version_id):
        numbers, own = zip(*group, strict=True)
        texts, places, source = sources[version]
        md = texts[source].as_py()
        anchors = places.anchors(source)
        document = _Document(columns, owners)
        scans = PicturePages(md, anchors)
        kinds = chunker.title_types.of_document(
            [section.title for section in own],
            [section.heading_level for section in own],
            [section.section_path for section in own],
        )
        for number, section, kind in zip(numbers, own, kinds, strict=True):
            parts: Sequence[Part] = ()
            if len(own) == 1 and kind in (None, INTRO):
                parts = labelled_parts(section.text, chunker.title_types)
            if parts:
                pieces = _labelled_pieces(section, parts, kind, chunker)
            else:
                pieces = chunker.split(section.text, section.title)
            pieces = scans.part(section.text, section.char_start, pieces)
            document.add(number, section, pieces, None if parts else kind)
        clipped.append(document.locate(places.lines(source, md), anchors))
    taken = sections.select([*_OF_SECTION.values()]).take(pa.array(owners, pa.int64()))
    arrays = dict(zip(_OF_SECTION, taken.columns, strict=True))
    arrays |= {name: pa.array(columns[name], CHUNKS.field(name).type) for name in _OWN}
    arrays["anchors"] = _anchor_lists(clipped)
    arrays["chunk_build_profile_id"] = pa.array([profile_id] * len(owners), pa.string())
    return pa.table([arrays[name] for name in CHUNKS.names], schema=CHUNKS)


class _Section(NamedTuple):
    """What is read of a section's row."""

    version_id: str
    section_id: str
    section_path: str
    heading_level: int
    title: str | None
    text: str
    char_start: int


def _labelled_pieces(
    section: _Section, parts: Sequence[Part], kind: str | None, chunker: Chunker
) -> Sequence[Piece]:
    """The pieces of a section whose labels tell the types of its parts; ``kind`` is that of what
    stands above them."""
    return [
        msgspec.structs.replace(
            piece,
            start=part.start + piece.start,
            end=part.start + piece.end,
            block_type=part.kind or kind or piece.block_type,
        )
        for part in parts
        for piece in chunker.split(section.text[part.start : part.end], section.title)
    ]


class _Document:
    """Adds the chunks of one version to the columns.

    Args:
        owners: for each chunk, the row of its section.
    """

    def __init__(self, columns: dict[str, list[Any]], owners: list[int]) -> None:
        self._columns = columns
        self._owners = owners
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._repeats: list[tuple[int, int, int]] = []  # index of the first, start, end

    def add(self, row: int, section: _Section, pieces: Sequence[Piece], kind: str | None) -> None:
        """Add the pieces of the section in a row; ``kind`` is the domain type of them all."""
        text, offset = section.text, section.char_start
        known: dict[str, int] = {}
        column = self._columns
        for piece in pieces:
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
            column["chunk_id"].append(chunk_id(section.section_id, fingerprint))
            column["block_type"].append(kind or piece.block_type)
            column["chunk_text"].append(chunk)
            column["chunk_fingerprint"].append(fingerprint)
            column["section_start"].append(piece.start)
            column["section_end"].append(piece.end)
            column["asset_ids"].append(_assets_of(chunk))
            column["header_row"].append(piece.header_row)
        column["chunk_index"] += known.values()
        self._owners += [row] * len(known)

    def locate(self, lines: LineMap, anchors: AnchorMap) -> Clipped:
        """Add lines, pages and repetitions; return the boxes."""
        first_line, last_line = lines.lines(self._starts, self._ends)
        clipped = anchors.clip(self._starts, self._ends)
        first_page, last_page = pages(clipped)
        self._columns["char_start"] += self._starts
        self._columns["char_end"] += self._ends
        self._columns["line_start"] += first_line
        self._columns["line_end"] += last_line
        self._columns["page_start"] += first_page
        self._columns["page_end"] += last_page
        self._columns["also_at"] += self._occurrences(lines)
        return clipped

    def _occurrences(self, lines: LineMap) -> list[Sequence[dict[str, int | None]]]:
        out: list[Sequence[dict[str, int | None]]] = [()] * len(self._starts)
        if not self._repeats:
            return out
        first, last = lines.lines(
            [start for _, start, _ in self._repeats],
            [end for _, _, end in self._repeats],
        )
        for (index, start, end), line, until in zip(self._repeats, first, last, strict=True):
            place = {"char_start": start, "char_end": end, "line_start": line, "line_end": until}
            out[index] = (*out[index], place)
        return out


def _assets_of(chunk: str) -> Sequence[str]:
    """The ids of its images, each once."""
    return [*dict.fromkeys(ASSET_ADDRESS.findall(chunk))] if ASSET_SCHEME in chunk else ()


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
