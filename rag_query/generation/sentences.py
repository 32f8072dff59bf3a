"""The sentences of evidence: the units an answer is made of, each with its place.

A sentence is a part of one chunk's text, word for word; what a reader sees of it has Markdown's
marks taken off (:func:`readable`). List items and table rows are sentences of their own; a row is
read with the heads of its table, which are no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from rag_query.contracts.answer import Span
from rag_query.generation.table_rows import cells_of, heads_of, is_delimiter, is_row, row_text
from rag_query.library.places import Place, Where
from rag_query.text.sentences import split_sentences

_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)|<img\b[^>]*>", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_MARKS = re.compile(r"\*\*|__|`|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])")
_TAG = re.compile(r"</?[a-zA-Z][^>\n]{0,200}>")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>(?P<number>\d{1,3})[.)、]|[-*+•])[ \t]+")
_QUOTE = re.compile(r"^\s*>+\s?", re.MULTILINE)
_LINKS = re.compile(r"(?:[\s|·•/>»,-]*\[[^\]]*\]\([^)]*\)[\s|·•/>»,-]*){2,}")
_NOTICE = re.compile(
    r"\W*(?:©|\(c\)\s|copyright\s*(?:©|\(c\)|\d{4}))|.*\ball rights reserved\b|.*版权所有",
    re.IGNORECASE | re.DOTALL,
)
_RULE = re.compile(r"[\s|:*_=-]*")
#: What items of a list begin with that is no list in Markdown: （一）, (a), ①, 1、, •.
_ITEM_MARK = re.compile(
    r"[（(]\s*(?:[一二三四五六七八九十]{1,3}|\d{1,2}|[a-z]|[ivx]{1,4})\s*[)）]|[①-⒇]"
    r"|(?:\d{1,2}|[一二三四五六七八九十]{1,3})(?:[、．)）]|\.(?!\d))|[a-z]\)|[•·●■▪–—-]\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SourceChunk:
    """A chunk of the parent as generation sees it; offsets are in the document's text.

    Attributes:
        text: its words; those read by OCR, of a chunk that is nothing but pictures.
        is_read: they were read by OCR, and stand nowhere in the document's text.
        header_row: the heads of a table of which the chunk holds a later part.
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
    header_row: str | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """``chunk.text[start:end]``.

    Attributes:
        text: as a reader sees it; of a row, with its heads.
        number: of a numbered list item; None for others.
        indent: blanks before a list mark, -1 for what is no list item.
        cells: of a row of a table.
        heads: of its columns, where the table has any.
        asked: the question right before it in its section, which it answers (问：… 答：…).
    """

    chunk: SourceChunk
    start: int
    end: int
    text: str
    number: int | None = None
    indent: int = -1
    cells: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    asked: str = ""

    @property
    def place(self) -> tuple[int, int]:
        """Offsets in the document; the whole chunk's for words that were read by OCR."""
        if self.chunk.is_read:
            return self.chunk.char_start, self.chunk.char_end
        return self.chunk.char_start + self.start, self.chunk.char_start + self.end

    @property
    def is_furniture(self) -> bool:
        """A line of links to go elsewhere, or a notice of copyright: no answer."""
        raw = self.chunk.text[self.start : self.end]
        return _LINKS.fullmatch(raw) is not None or _NOTICE.match(self.text) is not None

    @property
    def is_item(self) -> bool:
        """An item of a list, or a row of a table."""
        listed = self.indent >= 0 or bool(self.cells)
        return listed or _ITEM_MARK.match(self.text) is not None

    @property
    def opens_list(self) -> bool:
        """Says that something follows."""
        return self.text.endswith((":", "："))

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
    if is_row(text):
        text = " | ".join(cells_of(text))
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


def is_question(text: str) -> bool:
    """Whether a sentence or a heading asks."""
    return text.endswith(("?", "？"))


def statements_of(chunks: Iterable[SourceChunk]) -> list[Sentence]:
    """The sentences that may answer a question; all of them where none says more.

    A question is no answer: it is read with the sentence that follows it, as heads with a row.
    """
    found = sentences_of(chunks)
    kept: list[Sentence] = []
    question: Sentence | None = None
    for sentence in found:
        if sentence.is_furniture:
            continue
        if is_question(sentence.text) and not sentence.cells:
            question = sentence
            continue
        follows = (
            question is not None and question.chunk.section_path == sentence.chunk.section_path
        )
        kept.append(replace(sentence, asked=question.text) if question and follows else sentence)
        question = None
    return kept or found


def _of_chunk(chunk: SourceChunk) -> list[Sentence]:
    found: list[Sentence] = []
    heads = _heads(chunk.header_row.splitlines()[0]) if chunk.header_row else ()
    spans = _lines(chunk.text)
    for (line_start, line_end), (next_start, next_end) in zip(
        spans, [*spans[1:], (0, 0)], strict=True
    ):
        line = chunk.text[line_start:line_end]
        if is_row(line):
            if is_delimiter(chunk.text[next_start:next_end]):
                heads = _heads(line)
                if heads:
                    continue
            if row := _row(chunk, line_start, line_end, heads):
                found.append(row)
            continue
        heads = ()
        if _HEADING.match(line) or _RULE.fullmatch(line):
            continue
        item = _ITEM.match(line)
        begin = line_start + (item.end() if item else 0)
        rest = chunk.text[begin:line_end]
        for start, end in [(0, len(rest))] if item else split_sentences(rest):
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


def _row(chunk: SourceChunk, start: int, end: int, heads: tuple[str, ...]) -> Sentence | None:
    raw = chunk.text[start:end]
    cells = tuple(readable(cell) for cell in cells_of(raw))
    if _RULE.fullmatch(raw) or not any(cells):
        return None
    lead = len(raw) - len(raw.lstrip())
    return Sentence(
        chunk,
        start + lead,
        start + len(raw.rstrip()),
        row_text(cells, heads),
        cells=cells,
        heads=heads,
    )


def _heads(line: str) -> tuple[str, ...]:
    return heads_of([readable(cell) for cell in cells_of(line)])


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
