"""The sentences of evidence: the units an answer is made of, each with its place.

A sentence is a part of one chunk's text, word for word; what a reader sees of it has the marks of
its format taken off (:func:`readable`). List items and table rows are sentences of their own; a row
is read with the heads of its table, which are no sentence, or as the pairs of a form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, takewhile

from rag_query.contracts.answer import Span
from rag_query.generation.above import Above
from rag_query.generation.forms import Form, form_of
from rag_query.generation.lines import (
    ITEM,
    is_cue,
    is_entry_of_contents,
    is_row_of_headings,
    is_running_head,
    lines_of,
)
from rag_query.generation.row_labels import drawn_over
from rag_query.generation.table_rows import (
    cells_of,
    heads_of,
    is_delimiter,
    is_row,
    row_text,
)
from rag_query.library.places import Place, Where
from rag_query.text.marks import Marked, marked
from rag_query.text.numerals import HAN_UP_TO_TEN
from rag_query.text.section_paths import SEPARATOR
from rag_query.text.sentences import split_sentences

_QUOTE = re.compile(r"(?:[ \t]*>)+[ \t]?")
#: An entry of a list of contents, from where its dots begin: the dots, and its page.
_LEADERS = re.compile(
    r"(?:[.．·…⋯][ \t\xa0]?){8,}\s*(?:\d{1,4}|[ivxlcdm]{1,7})?(?!\w)"
    r"|(?:[.．·…⋯][ \t\xa0]?){4,}[ \t]*(?:\d{1,4}|[ivxlcdm]{1,7})[ \t]*$",
    re.MULTILINE,
)
#: A list item that leads elsewhere in the library.
_ENTRY = re.compile(
    r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\((?![a-zA-Z][a-zA-Z+.-]*:|//)[^\s()]*(?:\([^\s()]*\)[^\s()]*)*\)"
)
_LINKS = re.compile(r"(?:[\s|·•/>»,-]*\[[^\]]*\]\([^)]*\)[\s|·•/>»,-]*){2,}")
_NOTICE = re.compile(
    r"\W*(?:©|\(c\)\s|copyright\s*(?:©|\(c\)|\d{4}))|.*\ball rights reserved\b|.*版权所有",
    re.IGNORECASE | re.DOTALL,
)
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
            _LINKS.fullmatch(raw) is not None
            or (self.indent >= 0 and _ENTRY.fullmatch(raw) is not None)
            or _LEADERS.search(raw) is not None
            or _NOTICE.match(self.text) is not None
            or (not self.cells and is_row_of_headings(self.text))
            or is_entry_of_contents(self.text, self.chunk.text, self.start, self.end)
            or is_running_head(
                self.text, (*self.headings, *self.chunk.section_path.split(SEPARATOR))
            )
        )

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
        return " | ".join(_cells(text, source_format))
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


@dataclass(frozen=True, slots=True)
class _Table:
    """What the rows of a table are read by; a form has no heads."""

    heads: tuple[str, ...] = ()
    form: Form | None = None


@lru_cache(maxsize=_KEPT)
def _of_chunk(chunk: SourceChunk, above: Above) -> tuple[tuple[Sentence, ...], Above]:
    """The sentences of a chunk, and the headings open at its end.

    Args:
        above: those open at its beginning: a small one may be the last line of the chunk before.
    """
    found: list[Sentence] = []
    tabs: list[tuple[int, str]] = []
    read = _marked(chunk)
    table = _table(chunk, 0, chunk.header_row.splitlines()[0]) if chunk.header_row else _Table()
    spans = lines_of(read)
    # Where a row goes on with the table before it, of which a later row of dashes parts no heads.
    goes_on_at = 0 if chunk.header_row else -1
    label = ""
    are_drawn = _are_drawn(chunk, 0)
    for (line_start, line_end), (next_start, next_end) in zip(
        spans, [*spans[1:], (0, 0)], strict=True
    ):
        line = chunk.text[line_start:line_end]
        if line_start:  # No chunk begins with blanks, so how far its first line stands in is lost.
            above = above.at(line)
        tabs.append((len(found), above.tab))
        headings = above.headings
        if read.is_code(line_start):
            found += _said(chunk, read, line_start, line_end, headings)
            continue
        if is_row(line):
            is_first, goes_on_at = line_start != goes_on_at, line_end
            are_drawn = _are_drawn(chunk, line_start) if is_first else are_drawn
            above_it = label if next(are_drawn, False) else ""
            if is_first and is_delimiter(chunk.text[next_start:next_end]):
                table = _table(chunk, next_end, line)
                if table.heads:
                    continue
            if row := _row(chunk, line_start, line_end, table, headings, label=above_it):
                found.append(row)
                label = row.cells[0] or label
            continue
        table = _Table()
        opened = above.opened(read, line_start, line_end, chunk.text[next_start:next_end])
        if opened is not None:
            above = opened
            continue
        if _RULE.fullmatch(line) or is_cue(line):
            continue
        quote = _QUOTE.match(line)
        begin = line_start + (quote.end() if quote else 0)
        if item := ITEM.match(chunk.text, begin, line_end):
            if said := _sentence(chunk, read, item.end(), line_end, headings, item=item):
                found.append(said)
        else:
            found += _said(chunk, read, line_start, line_end, headings)
    return _tabbed(found, tabs), above


def _tabbed(found: list[Sentence], tabs: list[tuple[int, str]]) -> tuple[Sentence, ...]:
    """``found`` with the tabs they stand in; of each is given how many stand before it."""
    for (first, tab), (past, _) in pairwise([*tabs, (len(found), "")]):
        if tab:
            found[first:past] = [replace(sentence, tab=tab) for sentence in found[first:past]]
    return tuple(found)


def _marked(chunk: SourceChunk) -> Marked:
    source_format = "text" if chunk.is_read else chunk.format
    # Of a text file, indented lists look like code.
    mostly_code = chunk.block_type == "code" and source_format != "text"
    return marked(chunk.text, source_format, mostly_code=mostly_code)


def _said(
    chunk: SourceChunk, read: Marked, start: int, end: int, headings: tuple[str, ...]
) -> list[Sentence]:
    """The sentences of a paragraph, or of one of code."""
    found = (
        _sentence(chunk, read, start + begin, start + stop, headings)
        for begin, stop in _parts(chunk.text[start:end])
    )
    return [sentence for sentence in found if sentence is not None]


def _parts(text: str) -> list[tuple[int, int]]:
    """Where sentences are; an entry of a list of contents is one, whatever dots it holds."""
    parts = []
    at = 0
    for leaders in _LEADERS.finditer(text):
        parts.append((at, leaders.end()))
        at = leaders.end()
    return parts + [(at + begin, at + stop) for begin, stop in split_sentences(text[at:])]


def _sentence(
    chunk: SourceChunk,
    read: Marked,
    start: int,
    end: int,
    headings: tuple[str, ...],
    *,
    item: re.Match[str] | None = None,
) -> Sentence | None:
    """A part of a chunk as a sentence; None where it has no word, or only the number of one."""
    raw = chunk.text[start:end]
    text = read.said(start, end)
    if not _WORD.search(text) or _LONE_NUMBER.fullmatch(text) or _COMPONENT.fullmatch(text):
        return None
    return Sentence(
        chunk,
        start + len(raw) - len(raw.lstrip()),
        start + len(raw.rstrip()),
        text,
        int(item["number"]) if item and item["number"] else None,
        len(item["indent"].expandtabs(4)) if item else -1,
        headings=headings,
    )


def _row(
    chunk: SourceChunk,
    start: int,
    end: int,
    table: _Table,
    headings: tuple[str, ...],
    *,
    label: str,
) -> Sentence | None:
    """A row of a table as a sentence; None where it says nothing.

    Args:
        label: what its first cell is, where that is empty.
    """
    raw = chunk.text[start:end]
    cells = _cells(raw, chunk.format)
    if _RULE.fullmatch(raw) or not any(cells):
        return None
    if label and not table.form:
        cells = (label, *cells[1:])
    lead = len(raw) - len(raw.lstrip())
    return Sentence(
        chunk,
        start + lead,
        start + len(raw.rstrip()),
        (table.form.text(cells) if table.form else None) or row_text(cells, table.heads),
        cells=cells,
        heads=table.heads,
        headings=headings,
    )


def _table(chunk: SourceChunk, start: int, first: str) -> _Table:
    """The table whose ``first`` row the rows from ``start`` on follow."""
    lines = takewhile(is_row, _lines_from(chunk.text, start))
    rows = [_cells(line, chunk.format) for line in (first, *lines) if not is_delimiter(line)]
    form = form_of(rows)
    return _Table(form=form) if form else _Table(heads_of(rows[0], rows[1:]))


def _are_drawn(chunk: SourceChunk, start: int) -> Iterator[bool]:
    """Of each row from ``start`` on, whether the label above is drawn over it."""
    rows = [cells_of(line) for line in takewhile(is_row, _lines_from(chunk.text, start))]
    return iter(drawn_over(rows))


def _lines_from(text: str, start: int) -> Iterator[str]:
    """The lines from ``start`` on, line breaks there aside; as many as are asked for."""
    while text.startswith("\n", start):
        start += 1
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def _cells(line: str, source_format: str | None) -> tuple[str, ...]:
    """The cells of a row as a reader sees them; bars are escaped in them, even in code."""
    cells = (cell.replace("\\|", "|") for cell in cells_of(line))
    return tuple(marked(cell, source_format).said(0, len(cell)) for cell in cells)
