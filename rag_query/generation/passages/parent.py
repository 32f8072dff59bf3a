"""All text of one parent: the chunks of one document version, in reading order."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from rag_query.contracts.answer import Parent
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.generation.passages.sentences import SourceChunk
from rag_query.library.served import ServedChunk
from rag_query.library.snapshot import Snapshot
from rag_query.text.pictures import words_of

_COLUMNS = (
    "chunk_id", "section_path", "block_type", "chunk_index", "char_start", "char_end",
    "page_start", "chunk_text", "ocr_text", "header_row", "format", "line_start", "line_end",
)  # fmt: skip
#: Parents kept in memory; a conversation asks one again and again.
_KEPT = 64


@dataclass(frozen=True, slots=True)
class ParentText:
    """A parent and its chunks."""

    parent: Parent
    chunks: tuple[SourceChunk, ...]

    @property
    def block_types(self) -> frozenset[str]:
        return frozenset(chunk.block_type for chunk in self.chunks)

    @property
    def words(self) -> str:
        """Its title, its headings and all its text."""
        said = dict.fromkeys(
            part for each in self.chunks for part in (each.section_path, each.text)
        )
        return "\n".join((self.parent.title, *said))

    @property
    def sections(self) -> list[str]:
        """Distinct section paths, in order."""
        return list(dict.fromkeys(chunk.section_path for chunk in self.chunks))


class ParentReader:
    """Reads parents of a snapshot. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int, str], ParentText] = OrderedDict()

    def read(self, snapshot: Snapshot, doc_id: str, version_id: str) -> ParentText:
        """A parent's text.

        Raises:
            ExcerptaError: ``DOCUMENT_NOT_FOUND``, or ``NO_TEXT`` for a version without chunks.
        """
        key = (str(snapshot.home.root), snapshot.number, version_id)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = _read(snapshot, doc_id, version_id)
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made


def parent_of(chunk: ServedChunk) -> Parent:
    """The parent of a served chunk."""
    return Parent(
        parent_id=chunk.version_id,
        doc_id=chunk.doc_id,
        title=chunk.title,
        version_no=chunk.version_no,
        is_latest=chunk.is_latest,
        source_uri=chunk.source_uri,
    )


def source_of(chunk: ServedChunk, score: float = 0.0) -> SourceChunk:
    """A served chunk as generation sees it."""
    words = words_of(chunk.chunk_text, chunk.ocr_text)
    return SourceChunk(
        chunk_id=chunk.chunk_id,
        version_id=chunk.version_id,
        doc_id=chunk.doc_id,
        title=chunk.title,
        section_path=chunk.section_path,
        block_type=chunk.block_type,
        chunk_index=chunk.chunk_index,
        text=words,
        char_start=chunk.char_start,
        char_end=chunk.char_end,
        page_start=chunk.page_start,
        score=score,
        is_read=words is not chunk.chunk_text,
        header_row=chunk.header_row,
        format=chunk.format,
        line_start=chunk.line_start,
        line_end=chunk.line_end,
    )


def _read(snapshot: Snapshot, doc_id: str, version_id: str) -> ParentText:
    rows = snapshot.served.of_version(version_id, _COLUMNS).sort_by("chunk_index").to_pylist()
    first = snapshot.chunks([row["chunk_id"] for row in rows[:1]], version_id)
    if not first or first[0].doc_id != doc_id:
        # A version nobody knows is another fault than one without text.
        snapshot.catalog.document_chunks(doc_id, version_id, limit=1)
        raise ExcerptaError(
            ErrorCode.NO_TEXT,
            "This version of the document holds no text.",
            hint="Release the lock, or name another version.",
            details={"doc_id": doc_id, "version_id": version_id},
        )
    parent = parent_of(first[0])
    chunks = []
    for row in rows:
        ocr_text, text = row.pop("ocr_text"), row.pop("chunk_text")
        words = words_of(text, ocr_text)
        chunks.append(
            SourceChunk(
                **row,
                version_id=version_id,
                doc_id=doc_id,
                title=parent.title,
                text=words,
                is_read=words is not text,
            )
        )
    return ParentText(parent, tuple(chunks))
