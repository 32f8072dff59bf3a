"""The sentences of evidence: the units an answer is made of, each with its place.

A sentence is a part of one chunk's text, word for word; what a reader sees of it has Markdown's
marks taken off (:func:`readable`). List items and table rows are sentences of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rag_query.contracts.answer import Span
from rag_query.library.places import Place, Where
from rag_query.text.sentences import split_sentences

_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)|<img\b[^>]*>", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_MARKS = re.compile(r"\*\*|__|`|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
_TAG = re.compile(r"</?[a-zA-Z][^>\n]{0,200}>")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>(?P<number>\d{1,3})[.)、]|[-*+•])[ \t]+")
_QUOTE = re.compile(r"^\s*>+\s?", re.MULTILINE)
_RULE = re.compile(r"[\s|:*_=-]*")


@dataclass(frozen=True, slots=True)
class SourceChunk:
    """A chunk of the parent as generation sees it; offsets are in the document's text.

    Attributes:
        text: its words; those read by OCR, of a chunk that is nothing but pictures.
        is_read: they were read by OCR, and stand nowhere in the document's text.
    """

    chunk_id: str
    version_id: str
    doc_id: str
    title: str
    section_path: str
    block_type: str
    chunk_index: int
    text: str
    char_start: int
    char_end: int
    page_start: int | None = None
    score: float = 0.0
    is_read: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """``chunk.text[start:end]``.

    Attributes:
        text: as a reader sees it.
        number: of a numbered list item; None for others.
        indent: blanks before a list mark, -1 for what is no list item.
    """

    chunk: SourceChunk
    start: int
    end: int
    text: str
    number: int | None = None
    indent: int = -1

    @property
    def place(self) -> tuple[int, int]:
        """Offsets in the document; the whole chunk's for words that were read by OCR."""
        if self.chunk.is_read:
            return self.chunk.char_start, self.chunk.char_end
        return self.chunk.char_start + self.start, self.chunk.char_start + self.end

    @property
    def order(self) -> tuple[int, int]:
        """Tells it from every other sentence of its document, in reading order."""
        return self.chunk.chunk_index, self.start

    def span(self, where: Where) -> Span:
        """Where it stands, as an answer tells it; ``where`` is asked of paged documents alone."""
        chunk_id, (start, end) = self.chunk.chunk_id, self.place
        paged = self.chunk.page_start is not None
        found = where(chunk_id, self.start, self.end) if paged else Place()
        return Span(
            chunk_id=chunk_id,
            start=self.start,
            end=self.end,
            char_start=start,
            char_end=end,
            page=found.page,
            page_end=found.page_end,
            boxes=list(found.boxes),
            from_ocr=self.chunk.is_read or None,
        )


def readable(text: str) -> str:
    """Text without Markdown's marks; the words stay as they are."""
    text = _IMAGE.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _TAG.sub("", _MARKS.sub("", _QUOTE.sub("", text)))
    if text.lstrip().startswith("|"):
        text = " | ".join(cell.strip() for cell in text.strip().strip("|").split("|"))
    return " ".join(text.split())


def sentences_of(chunks: Iterable[SourceChunk]) -> list[Sentence]:
    """Sentences in reading order; one that two overlapping chunks share comes once."""
    found: list[Sentence] = []
    seen: set[tuple[int, int]] = set()
    reached = -1
    for chunk in sorted(chunks, key=lambda c: (c.chunk_index, c.char_start)):
        for sentence in _of_chunk(chunk):
            if chunk.is_read:
                found.append(sentence)
                continue
            if sentence.place in seen or sentence.place[1] <= reached:
                continue
            seen.add(sentence.place)
            reached = max(reached, sentence.place[1])
            found.append(sentence)
    return found


def _of_chunk(chunk: SourceChunk) -> list[Sentence]:
    found: list[Sentence] = []
    for line_start, line_end in _lines(chunk.text):
        line = chunk.text[line_start:line_end]
        if _HEADING.match(line) or _RULE.fullmatch(line):
            continue
        item = _ITEM.match(line)
        begin = line_start + (item.end() if item else 0)
        rest = chunk.text[begin:line_end]
        spans = [(0, len(rest))] if item or line.lstrip().startswith("|") else split_sentences(rest)
        for start, end in spans:
            raw = rest[start:end]
            text = readable(raw)
            if not text:
                continue
            lead = len(raw) - len(raw.lstrip())
            found.append(
                Sentence(
                    chunk,
                    begin + start + lead,
                    begin + start + len(raw.rstrip()),
                    text,
                    int(item["number"]) if item and item["number"] else None,
                    len(item["indent"].expandtabs(4)) if item else -1,
                )
            )
    return found


def _lines(text: str) -> list[tuple[int, int]]:
    """Paragraphs and list items: a line that continues the one before belongs to it."""
    spans: list[tuple[int, int]] = []
    at = 0
    fresh = True
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        if not line.strip():
            fresh = True
            continue
        begins = (
            fresh
            or _ITEM.match(line)
            or _HEADING.match(line)
            or line.lstrip().startswith(("|", ">"))
            or _HEADING.match(text[spans[-1][0] : spans[-1][1]])
        )
        if begins or not spans:
            spans.append((start, at))
        else:
            spans[-1] = (spans[-1][0], at)
        fresh = False
    return spans
