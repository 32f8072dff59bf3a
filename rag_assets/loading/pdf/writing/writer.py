"""From arranged pages to Markdown facts in which every character knows its place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_assets.loading.base import Furniture
from rag_assets.loading.pdf.extraction.blocks import ImageBlock, Line, TableBlock
from rag_assets.loading.pdf.file.annotations import Note
from rag_assets.loading.pdf.headings.headings import begins_another, stands_beside
from rag_assets.loading.pdf.order.rows import Footnote, Item, PageRows, Row, between_lines
from rag_assets.loading.pdf.paragraphs.coderows import code_rows
from rag_assets.loading.pdf.paragraphs.hyphens import Hyphens
from rag_assets.loading.pdf.paragraphs.items import leaves_item, within
from rag_assets.loading.pdf.paragraphs.paragraphs import BULLET, across_pages, between, wrapped
from rag_assets.loading.pdf.writing.anchoredtext import AnchoredText
from rag_assets.loading.pdf.writing.code import Place, write_code
from rag_assets.loading.pdf.writing.pitch import Pitch

#: Text that Markdown would read as a heading, a quotation, a rule or a fence where a line begins.
_SYNTAX = re.compile(r"#{1,6}(?=\s|$)|(?=>)|(?=(?:=+|-+|\*+|_+)\s*$)|(?=```|~~~)")
#: An amount of money as it is printed in full.
_AMOUNT = re.compile(r"[^\d\s]?\d{1,3}(?:,\d{3})+\.\d\d")


class Writer:
    """Appends pages; :meth:`finish` completes the text.

    A paragraph that goes on over the end of a page stays one: the footer and the header between
    its halves are written after it. It goes on only on the page that follows: nobody can tell what
    stood on one that could not be read, or says nothing but its furniture.

    Attributes:
        facts: what was written.
        furniture: ranges of headers, footers and page numbers.
        heading_starts: ``id`` of a heading's first row -> char_start.
        images: (page number, image, char_start, char_end) as written.
        headings: (level, title, page, char_start) as written.
    """

    def __init__(
        self, image_refs: dict[tuple[int, int], str], pitch: Pitch, hyphens: Hyphens
    ) -> None:
        self._refs = image_refs
        self._pitch = pitch
        self.hyphens = hyphens
        self.facts = AnchoredText()
        #: The row of prose that was written last, while nothing but furniture came after it.
        self._open: Row | None = None
        #: The row that begins the list item which was written last, and those it stands within.
        self._item: Row | None = None
        self._within: list[Row] = []
        #: Where the code stands that was written last, while only furniture came after it.
        self._code_before: Place | None = None
        self._delayed: list[tuple[int, Row | Note | Footnote]] = []
        self.furniture: list[Furniture] = []
        self.heading_starts: dict[int, int] = {}
        self.headings: list[tuple[int, str, int, int]] = []
        self.images: list[tuple[int, ImageBlock, int, int]] = []
        self.paragraphs = 0
        self.tables = 0
        self.notes = 0
        self.footnotes = 0

    def write(self, page: PageRows, notes: Sequence[Note] = ()) -> None:
        """Append a page, and what was noted on it."""
        items = page.items
        self._begin(page)
        before: Row | None = None
        crossing = self._open
        at = 0
        while at < len(items):
            item = items[at]
            taken, place = 1, None
            if isinstance(item, Row):
                if item.furniture:
                    self._furniture(item)
                    at += 1
                    continue
                if item.level:
                    taken = self._heading(items, item, at)
                    before = None
                elif item.mono and (code := code_rows(items, at)):
                    self._break()
                    place = write_code(self.facts, code, self._code_before)
                    taken, before = len(code), None
                else:
                    self._prose(self._joined(before, crossing, item), item)
                    before = self._open = item
            else:
                before = None
                if isinstance(item, TableBlock):
                    self._table(item)
                else:
                    self._image(item)
            if before is None:
                self._open = None
            self._code_before = place
            crossing = None
            at += taken
        for footnote in page.footnotes:
            self._footnote(footnote)
        for note in notes:
            self._note(note)

    def _begin(self, page: PageRows) -> None:
        if page.number != self.facts.page + 1 or all(map(_is_furniture, page.items)):
            self._open = None
        self.facts.page = page.number

    def _joined(self, before: Row | None, crossing: Row | None, row: Row) -> str | None:
        if before is not None:
            if self._item is not None and leaves_item(self._item, before, row):
                return None
            return between(before, row, self._pitch.between(before, row), self.hyphens)
        return across_pages(crossing, row, self.hyphens) if crossing is not None else None

    def finish(self) -> None:
        """Write what was put off."""
        self._flush()

    def _break(self) -> None:
        if self._delayed:
            self._flush()
        self._open = None
        if self.facts.at:
            self.facts.put("\n\n")

    def _prose(self, joined: str | None, row: Row) -> None:
        """Append a row; ``joined`` is what joins it to the text before, as ``between`` says."""
        text = row.text
        last = self._item
        if joined is None:
            self._break()
            self.paragraphs += 1
            self._item = None
        else:
            self.facts.join(joined)
        if (joined is None or joined == "\n") and not text[0].isalpha():
            if bullet := BULLET.match(text):
                self._within = within(self._within, last, row)
                begin = 0 if row.answers else bullet.end()
                text = "  " * len(self._within) + "- " + text[begin:]
                self._item = row
            elif _SYNTAX.match(text):
                text = "\\" + text
        self.facts.put_lines(row.lines, text)

    def _heading(self, items: Sequence[Item], first: Row, at: int) -> int:
        rows = [first]
        for item in items[at + 1 : at + 3]:
            if not isinstance(item, Row) or item.level != first.level:
                break
            if not _continues_heading(rows[-1], item) or begins_another(first, rows[-1], item):
                break
            rows.append(item)
        # Three may be the heads of a table.
        if len(rows) == 2 and stands_beside(*rows):
            del rows[1]
        self._break()
        start = self.facts.at
        self.heading_starts[id(first)] = start
        self.facts.put("#" * first.level + " ")
        begin = len(self.facts.parts)
        for number, row in enumerate(rows):
            if number:
                self.facts.join(wrapped(rows[number - 1], row, self.hyphens))
            self.facts.put_lines(row.lines, row.text)
        title = "".join(self.facts.parts[begin:])
        self.headings.append((first.level, title, self.facts.page, start))
        return len(rows)

    def _furniture(self, row: Row) -> None:
        if self._open is not None:
            self._delayed.append((self.facts.page, row))
            return
        self._break()
        start = self.facts.at
        text = "\\" + row.text if _SYNTAX.match(row.text) else row.text
        self.facts.put_lines(row.lines, text)
        self.furniture.append(Furniture(start, self.facts.at, row.furniture))

    def _note(self, note: Note) -> None:
        if self._open is not None:
            self._delayed.append((self.facts.page, note))
            return
        self._break()
        self.notes += 1
        for number, line in enumerate(note.lines):
            self.facts.put("\n> " if number else "> ")
            start = self.facts.at
            self.facts.put(line)
            self.facts.anchor(start, self.facts.at, note.box)

    def _footnote(self, note: Footnote) -> None:
        if self._open is not None:
            self._delayed.append((self.facts.page, note))
            return
        self._break()
        self.footnotes += bool(note.label)
        prefix = f"[^{note.label}]: " if note.label else ""
        for number, row in enumerate(note.rows):
            if number:
                self.facts.join(wrapped(note.rows[number - 1], row, self.hyphens))
            self.facts.put_lines(row.lines, row.text if number else prefix + row.text)

    def _flush(self) -> None:
        delayed, self._delayed, self._open = self._delayed, [], None
        page = self.facts.page
        for self.facts.page, item in delayed:
            if isinstance(item, Note):
                self._note(item)
            elif isinstance(item, Footnote):
                self._footnote(item)
            else:
                self._furniture(item)
        self.facts.page = page

    def _table(self, table: TableBlock) -> None:
        self._break()
        self.tables += 1
        page, elsewhere = self.facts.page, table.elsewhere
        for number, cells in enumerate(table.rows):
            if number:
                self.facts.put("\n")
            gap = "|"
            for cell in cells:
                gap += " "
                for position, line in enumerate(cell):
                    before = self._in_cell(cell[position - 1], line, elsewhere) if position else gap
                    self.facts.join(before)
                    self.facts.page = elsewhere.get(id(line), page)
                    self.facts.put_line(line, line.text.replace("|", "\\|"))
                gap = " |" if cell else gap + "|"
            self.facts.put(gap)
            if not number:
                self.facts.put("\n|" + "---|" * len(cells))
        self.facts.page = page

    def _in_cell(self, before: Line, line: Line, elsewhere: dict[int, int]) -> str:
        """What stands between two lines of a cell: text, or ``DROP_HYPHEN``."""
        if elsewhere.get(id(before)) != elsewhere.get(id(line)):
            return wrapped(before, line, self.hyphens)
        below = line.base > before.base
        if below and line.text[0].isdigit() and _is_broken(before.text, line.text):
            return ""
        if before.short:
            return " "
        # Lines set close are one row only where the second stands right of the first.
        if line.y0 < before.y1 and not (below and line.x0 < before.x1):
            return between_lines(before, line)
        return wrapped(before, line, self.hyphens)

    def _image(self, image: ImageBlock) -> None:
        reference = self._refs.get((self.facts.page, image.index))
        if reference is None:
            return
        self._break()
        start = self.facts.at
        self.facts.put(f"![]({reference})")
        self.facts.anchor(start, self.facts.at, image.raw)
        self.images.append((self.facts.page, image, start, self.facts.at))


def _is_furniture(item: Item) -> bool:
    return isinstance(item, Row) and bool(item.furniture)


def _is_broken(before: str, digits: str) -> bool:
    """Whether an amount ("48,500.0" and "0") or a name ("LB-200-" and "32") was broken where its
    cell ends, before some digits."""
    if before.endswith("-") and before[-2:-1].isalnum():
        return True
    return _AMOUNT.fullmatch(before + digits) is not None and not _AMOUNT.fullmatch(before)


def _continues_heading(before: Row, row: Row) -> bool:
    return 0 <= row.y0 - before.y0 < 2 * max(before.size, row.size) + (before.y1 - before.y0)
