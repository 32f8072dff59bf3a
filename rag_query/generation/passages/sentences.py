"""The sentences of evidence: the units an answer is made of, each with its place.

A sentence is a part of one chunk's text, word for word; what a reader sees of it has the marks of
its format taken off (:func:`readable`). List items and table rows are sentences of their own; a row
is read with the heads of its table, which are no sentence, or as the pairs of a form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from rag_query.contracts.answer import Span
from rag_query.generation.passages.above import Above
from rag_query.generation.passages.chunk_tables import (
    ChunkTable,
    labels_drawn_over,
    shown_cells,
    table_at,
)
from rag_query.generation.passages.furniture import LEADERS, is_navigation_or_notice
from rag_query.generation.passages.lines import (
    ITEM,
    is_cue,
    is_entry_of_contents,
    is_row_of_headings,
    is_running_head,
    lines_of,
)
from rag_query.generation.passages.table_rows import is_delimiter, is_row
from rag_query.generation.vocabulary.locators import is_network
from rag_query.library.places import Place, Where
from rag_query.text.marks import Marked, marked
from rag_query.text.numerals import HAN_UP_TO_TEN
from rag_query.text.section_paths import SEPARATOR
from rag_query.text.sentences import split_sentences

_QUOTE = re.compile(r"(?:[ \t]*>)+[ \t]?")
#: Chunks whose sentences are kept: an answer asks for those of the same ones again and again.
_KEPT = 1024
_RULE = re.compile(r"[\s|:*_=-]*")
_WORD = re.compile(r"[^\W_]")
#: A component of MDX around text.
_COMPONENT = re.compile(r"(?:</?[A-Z][a-z]\w*(?:\s[^<>]*)?/?>\s*)+")
_LONE_NUMBER = re.compile(
    r"[\s.,:;()\[\]<>#*、。，–—-]*\d+(?:[.,]\d+)*[\s.,:;()\[\]<>#*、。，–—-]*"
)
#: What items of a list begin with that is no list in Markdown: （一）, (a), ①, 1、, •.
_ITEM_MARK = re.compile(
    rf"[（(]\s*(?:[{HAN_UP_TO_TEN}]{{1,3}}|\d{{1,2}}|[a-z]|[ivx]{{1,4}})\s*[)）]|[①-⒇]"
    rf"|(?:\d{{1,2}}|[{HAN_UP_TO_TEN}]{{1,3}})(?:[、．)）]|\.(?!\d))|[a-z]\)|[•·●■▪–—-]\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SourceChunk:
    """A chunk of the parent as generation sees it; offsets are in the document's text.

    Attributes:
        text: its words; those read by OCR, of a chunk that is nothing but pictures.
        is_read: they were read by OCR, and stand nowhere in the document's text.
        line_start: first line of the parsed text, 1-based.
        header_row: the heads of a table of which the chunk holds a later part.
        format: of the document.
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
    format: str | None = None
    line_start: int | None = None
    line_end: int | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """``chunk.text[start:end]``.

    Attributes:
        text: as a reader sees it; of a row, with its heads.
        number: of a numbered list item; None for others.
        indent: blanks before a list mark, -1 for what is no list item.
        cells: of a row of a table; an empty first one is the one above, drawn over both rows.
        heads: of its columns, where the table has any.
        headings: those above it that stand in its chunk or were open at the end of the one before,
            the nearest last.
        asked: the question right before it in its section, which it answers (问：… 答：…).
        tab: title of the tab it stands in, one of ``headings``.
        about: what it is of, though no heading says so: the language that the fence of code gives,
            the number of the thing that a form is of.
    """

    chunk: SourceChunk
    start: int
    end: int
    text: str
    number: int | None = None
    indent: int = -1
    cells: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    asked: str = ""
    tab: str = ""
    about: str = ""

    @property
    def place(self) -> tuple[int, int]:
        """Offsets in the document; the whole chunk's for words that were read by OCR."""
        if self.chunk.is_read:
            return self.chunk.char_start, self.chunk.char_end
        return self.chunk.char_start + self.start, self.chunk.char_start + self.end

    @property
    def is_furniture(self) -> bool:
        """Links to go elsewhere, an entry of a list of contents or all in a row, or a notice of
        copyright: no answer."""
        raw = self.chunk.text[self.start : self.end]
        return (
            is_navigation_or_notice(raw, self.text, is_listed=self.indent >= 0)
            or (not self.cells and is_row_of_headings(self.text))
            or is_entry_of_contents(self.text, self.chunk.text, self.start, self.end)
            or is_running_head(
                self.text, (*self.headings, *self.chunk.section_path.split(SEPARATOR))
            )
        )

    @property
    def is_code(self) -> bool:
        """Begins in a block of code."""
        return _marked(self.chunk).is_code(self.start)

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


def readable(text: str, source_format: str | None = None) -> str:
    """Text without the marks of its format, on one line; the words stay as they are."""
    if is_row(text):
        return " | ".join(shown_cells(text, source_format))
    return marked(text, source_format).said(0, len(text))


def sentences_of(chunks: Iterable[SourceChunk]) -> list[Sentence]:
    """Sentences in reading order; one that two overlapping chunks share comes once."""
    found: list[Sentence] = []
    seen: set[tuple[int, int]] = set()
    reached = -1
    before: SourceChunk | None = None
    above = Above()
    for chunk in sorted(chunks, key=lambda c: (c.chunk_index, c.char_start)):
        said, above = _of_chunk(chunk, above if before and _continues(before, chunk) else Above())
        before = chunk
        for sentence in said:
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


def _continues(before: SourceChunk, chunk: SourceChunk) -> bool:
    """Whether a chunk goes on with the section of another, which ends right before it."""
    near = chunk.chunk_index <= before.chunk_index + 1
    return near and chunk.section_path == before.section_path


@lru_cache(maxsize=_KEPT)
def _of_chunk(chunk: SourceChunk, above: Above) -> tuple[tuple[Sentence, ...], Above]:
    """The sentences of a chunk, and the headings open at its end.

    Args:
        above: those open at its beginning: a small one may be the last line of the chunk before.
    """
    reader = _ChunkReader(chunk, above)
    return reader.sentences(), reader.above


class _ChunkReader:
    """Reads a chunk once, line by line.

    Attributes:
        above: the headings open above the line it has reached.
    """

    def __init__(self, chunk: SourceChunk, above: Above) -> None:
        self.above = above
        self._chunk = chunk
        self._read = _marked(chunk)
        self._found: list[Sentence] = []
        #: Of each line read, the sentences found before it and the tab it stands in.
        self._tabs: list[tuple[int, str]] = []
        self._table = ChunkTable()
        # Where a row goes on with the table before it, of which a later row of dashes parts no
        # heads.
        self._table_end = -1
        if chunk.header_row:
            self._table = self._table_at(0, chunk.header_row.splitlines()[0])
            self._table_end = 0
        self._label = ""
        self._drawn_over = labels_drawn_over(chunk.text, 0)

    def sentences(self) -> tuple[Sentence, ...]:
        """All of the chunk's, in order."""
        spans = lines_of(self._read)
        for line, after in zip(spans, [*spans[1:], (0, 0)], strict=True):
            self._line(*line, after)
        return self._with_tabs()

    def _line(self, start: int, end: int, after: tuple[int, int]) -> None:
        """Read the line from ``start`` to ``end``; ``after`` is where the next one stands."""
        line = self._chunk.text[start:end]
        if start:  # No chunk begins with blanks, so how far its first line stands in is lost.
            self.above = self.above.at(line)
        self._tabs.append((len(self._found), self.above.tab))
        if self._read.is_code(start):
            self._paragraph(start, end)
        elif is_row(line):
            self._row(start, end, after)
        else:
            self._table = ChunkTable()
            opened = self.above.opened(self._read, start, end, self._chunk.text[slice(*after)])
            if opened is not None:
                self.above = opened
            elif not (_RULE.fullmatch(line) or is_cue(line)):
                self._text(start, end)

    def _text(self, start: int, end: int) -> None:
        """An item of a list, or a paragraph."""
        quote = _QUOTE.match(self._chunk.text[start:end])
        begin = start + (quote.end() if quote else 0)
        if item := ITEM.match(self._chunk.text, begin, end):
            self._sentence(item.end(), end, item)
        else:
            self._paragraph(start, end)

    def _paragraph(self, start: int, end: int) -> None:
        """The sentences of a paragraph, or of one of code."""
        for begin, stop in _parts(self._chunk.text[start:end]):
            self._sentence(start + begin, start + stop)

    def _sentence(self, start: int, end: int, item: re.Match[str] | None = None) -> None:
        """Add a part of the chunk unless it has no word, or only the number of a page or a note."""
        raw = self._chunk.text[start:end]
        text = self._read.said(start, end)
        if not _WORD.search(text) or _COMPONENT.fullmatch(text):
            return
        if _LONE_NUMBER.fullmatch(text) and not (self._is_value(start, end) or is_network(text)):
            return
        sentence = Sentence(
            self._chunk,
            start + len(raw) - len(raw.lstrip()),
            start + len(raw.rstrip()),
            text,
            int(item["number"]) if item and item["number"] else None,
            len(item["indent"].expandtabs(4)) if item else -1,
            headings=self.above.headings,
            about=self._read.language_at(start),
        )
        self._found.append(sentence)

    def _is_value(self, start: int, end: int) -> bool:
        """Whether a number is all that stands below a heading, in a document without pages."""
        rest = f"{self._chunk.text[:start]}\n{self._chunk.text[end:]}"
        lines = [line for line in rest.splitlines() if line.strip()]
        is_below = bool(lines) and all(line.startswith("#") for line in lines)
        return self._chunk.page_start is None and is_below

    def _row(self, start: int, end: int, after: tuple[int, int]) -> None:
        """Add a row of a table, unless it holds the heads or says nothing."""
        raw = self._chunk.text[start:end]
        is_first, self._table_end = start != self._table_end, end
        if is_first:
            self._drawn_over = labels_drawn_over(self._chunk.text, start)
        label = self._label if next(self._drawn_over, False) else ""
        if is_first and is_delimiter(self._chunk.text[slice(*after)]):
            self._table = self._table_at(after[1], raw)
            if self._table.heads:
                return
        cells = shown_cells(raw, self._chunk.format)
        if _RULE.fullmatch(raw) or not any(cells):
            return
        if label and not self._table.form:
            cells = (label, *cells[1:])
        sentence = Sentence(
            self._chunk,
            start + len(raw) - len(raw.lstrip()),
            start + len(raw.rstrip()),
            self._table.said(cells),
            cells=cells,
            heads=self._table.heads,
            headings=self.above.headings,
            about=self._table.form.code if self._table.form else "",
        )
        self._found.append(sentence)
        self._label = cells[0] or self._label

    def _table_at(self, start: int, first: str) -> ChunkTable:
        return table_at(self._chunk.text, start, first, self._chunk.format)

    def _with_tabs(self) -> tuple[Sentence, ...]:
        """What was found, with the tabs it stands in."""
        found = self._found
        for (first, tab), (past, _) in pairwise([*self._tabs, (len(found), "")]):
            if tab:
                found[first:past] = [replace(sentence, tab=tab) for sentence in found[first:past]]
        return tuple(found)


def _marked(chunk: SourceChunk) -> Marked:
    """The chunk's text with its marks, read as its format has them."""
    source_format = "text" if chunk.is_read else chunk.format
    # Of a text file, indented lists look like code.
    mostly_code = chunk.block_type == "code" and source_format != "text"
    return marked(chunk.text, source_format, mostly_code=mostly_code)


def _parts(text: str) -> list[tuple[int, int]]:
    """Where sentences are; an entry of a list of contents is one, whatever dots it holds."""
    parts = []
    at = 0
    for leaders in LEADERS.finditer(text):
        parts.append((at, leaders.end()))
        at = leaders.end()
    return parts + [(at + begin, at + stop) for begin, stop in split_sentences(text[at:])]
