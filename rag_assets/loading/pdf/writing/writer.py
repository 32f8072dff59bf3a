"""From arranged pages to Markdown facts in which every character knows its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from rag_assets.loading.base import Anchor, Furniture
from rag_assets.loading.pdf.extraction.blocks import ImageBlock, Line, TableBlock
from rag_assets.loading.pdf.extraction.scripts import half_width
from rag_assets.loading.pdf.extraction.stext import UNIT, Box
from rag_assets.loading.pdf.file.annotations import Note
from rag_assets.loading.pdf.headings.headings import begins_another, stands_beside
from rag_assets.loading.pdf.order.rows import Footnote, Item, PageRows, Row, between_lines
from rag_assets.loading.pdf.paragraphs.coderows import code_rows
from rag_assets.loading.pdf.paragraphs.hyphens import Hyphens
from rag_assets.loading.pdf.paragraphs.items import leaves_item, within
from rag_assets.loading.pdf.paragraphs.paragraphs import (
    BULLET,
    DROP_HYPHEN,
    across_pages,
    between,
    wrapped,
)
from rag_assets.loading.pdf.writing.pitch import Pitch

#: Text that Markdown would read as a heading, a quotation, a rule or a fence where a line begins.
_SYNTAX = re.compile(r"#{1,6}(?=\s|$)|(?=>)|(?=(?:=+|-+|\*+|_+)\s*$)|(?=```|~~~)")

#: An amount of money as it is printed in full.
_AMOUNT = re.compile(r"[^\d\s]?\d{1,3}(?:,\d{3})+\.\d\d")
#: In code; a wider gap is one of the page.
_MAX_BLANK_LINES = 2
_MAX_BLANKS = 60
#: So much of its width a character of code stands out of its column, at most.
_OFF = 0.1


class Writer:
    """Appends pages; :meth:`finish` completes the text.

    A paragraph that goes on over the end of a page stays one: the footer and the header between
    its halves are written after it. It goes on only on the page that follows: nobody can tell what
    stood on one that could not be read, or says nothing but its furniture.

    Attributes:
        furniture: ranges of headers, footers and page numbers.
        heading_starts: ``id`` of a heading's first row -> offset and text.
        images: (page number, image, char_start, char_end) as written.
        headings: (level, title, page, char_start) as written.
    """

    def __init__(
        self, image_refs: dict[tuple[int, int], str], pitch: Pitch, hyphens: Hyphens
    ) -> None:
        self._refs = image_refs
        self._pitch = pitch
        self.hyphens = hyphens
        self._parts: list[str] = []
        self._at = 0
        self._page = 0
        #: The row of prose that was written last, while nothing but furniture came after it.
        self._open: Row | None = None
        #: The row that begins the list item which was written last, and those it stands within.
        self._item: Row | None = None
        self._within: list[Row] = []
        #: Page and left edge of the code that was written last, while only furniture came after it.
        self._code_before: tuple[int, int] | None = None
        self._delayed: list[tuple[int, Row | Note | Footnote]] = []
        #: Start, end, page and box of each anchor.
        self._places: list[tuple[int, int, int, Box]] = []
        self.furniture: list[Furniture] = []
        self.heading_starts: dict[int, int] = {}
        self.headings: list[tuple[int, str, int, int]] = []
        self.images: list[tuple[int, ImageBlock, int, int]] = []
        self.paragraphs = 0
        self.tables = 0
        self.notes = 0
        self.footnotes = 0

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def anchors(self) -> list[Anchor]:
        """One for each original line of text and each image, in order."""
        # What Anchor(start, …) makes, in a third of the time.
        new = tuple.__new__
        return [
            new(Anchor, (at, end, page, b.x0 / UNIT, b.y0 / UNIT, b.x1 / UNIT, b.y1 / UNIT))
            for at, end, page, b in self._places
        ]

    def write(self, page: PageRows, notes: Sequence[Note] = ()) -> None:
        """Append a page, and what was noted on it."""
        items = page.items
        self._begin(page)
        before: Row | None = None
        crossing = self._open
        at = 0
        while at < len(items):
            item = items[at]
            taken, left = 1, None
            if isinstance(item, Row):
                if item.furniture:
                    self._furniture(item)
                    at += 1
                    continue
                if item.level:
                    taken = self._heading(items, item, at)
                    before = None
                elif item.mono and (code := code_rows(items, at)):
                    left = self._code(code)
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
            self._code_before = None if left is None else (page.number, left)
            crossing = None
            at += taken
        for footnote in page.footnotes:
            self._footnote(footnote)
        for note in notes:
            self._note(note)

    def _begin(self, page: PageRows) -> None:
        if page.number != self._page + 1 or all(map(_is_furniture, page.items)):
            self._open = None
        self._page = page.number

    def _joined(self, before: Row | None, crossing: Row | None, row: Row) -> str | None:
        if before is not None:
            if self._item is not None and leaves_item(self._item, before, row):
                return None
            return between(before, row, self._pitch.between(before, row), self.hyphens)
        return across_pages(crossing, row, self.hyphens) if crossing is not None else None

    def finish(self) -> None:
        """Write what was put off."""
        self._flush()

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._at += len(text)

    def _break(self) -> None:
        if self._delayed:
            self._flush()
        self._open = None
        if self._at:
            self._put("\n\n")

    def _anchor(self, start: int, end: int, box: Box) -> None:
        self._places.append((start, end, self._page, box))

    def _line(self, line: Line, text: str) -> None:
        """Append ``text``, which stands where ``line`` does."""
        start = self._at
        self._parts.append(text)
        self._at = end = start + len(text)
        self._places.append((start, end, self._page, line.box))

    def _lines(self, lines: list[Line], text: str) -> None:
        """Append ``text``, the joined text of ``lines``, with an anchor for each line."""
        first, at, stop = lines[0], self._at, len(text)
        self._parts.append(text)
        self._at = at + stop
        if len(lines) == 1:
            self._places.append((at, at + stop, self._page, first.box))
            return
        places = []
        for line in reversed(lines[1:]):
            start = text.rindex(line.text, 0, stop)
            places.append((start, start + len(line.text), line.box))
            stop = start
        # The first line takes what stands before it: a list mark, a backslash.
        places.append((0, len(text[:stop].rstrip()), first.box))
        for start, end, box in reversed(places):
            self._anchor(at + start, at + end, box)

    def _prose(self, joined: str | None, row: Row) -> None:
        """Append a row; ``joined`` is what joins it to the text before, as ``between`` says."""
        text = row.text
        last = self._item
        if joined is None:
            self._break()
            self.paragraphs += 1
            self._item = None
        elif joined == DROP_HYPHEN:
            self._drop_last()
        else:
            self._put(joined)
        if (joined is None or joined == "\n") and not text[0].isalpha():
            if bullet := BULLET.match(text):
                self._within = within(self._within, last, row)
                begin = 0 if row.answers else bullet.end()
                text = "  " * len(self._within) + "- " + text[begin:]
                self._item = row
            elif _SYNTAX.match(text):
                text = "\\" + text
        self._lines(row.lines, text)

    def _drop_last(self) -> None:
        """Take the hyphen at the end back."""
        self._parts[-1] = self._parts[-1][:-1]
        self._at -= 1
        start, _, page, box = self._places[-1]
        self._places[-1] = (start, self._at, page, box)

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
        start = self._at
        self.heading_starts[id(first)] = start
        self._put("#" * first.level + " ")
        begin = len(self._parts)
        for number, row in enumerate(rows):
            joined = wrapped(rows[number - 1], row, self.hyphens) if number else ""
            if joined == DROP_HYPHEN:
                self._drop_last()
            elif joined:
                self._put(joined)
            self._lines(row.lines, row.text)
        title = "".join(self._parts[begin:])
        self.headings.append((first.level, title, self._page, start))
        return len(rows)

    def _furniture(self, row: Row) -> None:
        if self._open is not None:
            self._delayed.append((self._page, row))
            return
        self._break()
        start = self._at
        text = "\\" + row.text if _SYNTAX.match(row.text) else row.text
        self._lines(row.lines, text)
        self.furniture.append(Furniture(start, self._at, row.furniture))

    def _note(self, note: Note) -> None:
        if self._open is not None:
            self._delayed.append((self._page, note))
            return
        self._break()
        self.notes += 1
        for number, line in enumerate(note.lines):
            self._put("\n> " if number else "> ")
            start = self._at
            self._put(line)
            self._anchor(start, self._at, note.box)

    def _footnote(self, note: Footnote) -> None:
        if self._open is not None:
            self._delayed.append((self._page, note))
            return
        self._break()
        self.footnotes += bool(note.label)
        prefix = f"[^{note.label}]: " if note.label else ""
        for number, row in enumerate(note.rows):
            if number:
                joined = wrapped(note.rows[number - 1], row, self.hyphens)
                if joined == DROP_HYPHEN:
                    self._drop_last()
                else:
                    self._put(joined)
            self._lines(row.lines, row.text if number else prefix + row.text)

    def _flush(self) -> None:
        delayed, self._delayed, self._open = self._delayed, [], None
        page = self._page
        for self._page, item in delayed:
            if isinstance(item, Note):
                self._note(item)
            elif isinstance(item, Footnote):
                self._footnote(item)
            else:
                self._furniture(item)
        self._page = page

    def _code(self, rows: list[Row]) -> int:
        """Append code, and tell where it begins at the left: what goes on from the page before may
        be indented throughout."""
        self._break()
        fence = "```"
        while any(fence in row.text for row in rows):
            fence += "`"
        self._put(fence + "\n")
        first = [row.lines[0] for row in rows]
        width = _middle([half_width(line.text, line.x1 - line.x0, line.size) for line in first])
        left = self._left_of_code(min(row.x0 for row in rows), width)
        step = max(_middle([row.y0 - before.y0 for before, row in pairwise(rows)] or [1]), 1)
        before = rows[0]
        for row in rows:
            blank_lines = min(round((row.y0 - before.y0) / step) - 1, _MAX_BLANK_LINES)
            indent = min(round((row.x0 - left) / width), _MAX_BLANKS)
            self._put("\n" * blank_lines + " " * indent)
            self._lines(row.lines, _code_text(row.lines, width))
            self._put("\n")
            before = row
        self._put(fence)
        return left

    def _left_of_code(self, left: int, width: float) -> int:
        """Where code begins at the left that stands there: it did on the page before, when it goes
        on a whole number of characters further in; pages may have margins of their own."""
        if self._code_before is None or self._code_before[0] != self._page - 1:
            return left
        before = self._code_before[1]
        indent = (left - before) / width
        return before if 0 < indent <= _MAX_BLANKS and abs(indent - round(indent)) < _OFF else left

    def _table(self, table: TableBlock) -> None:
        self._break()
        self.tables += 1
        page, elsewhere = self._page, table.elsewhere
        for number, cells in enumerate(table.rows):
            if number:
                self._put("\n")
            gap = "|"
            for cell in cells:
                gap += " "
                for position, line in enumerate(cell):
                    joined = self._in_cell(cell[position - 1], line, elsewhere) if position else gap
                    if joined == DROP_HYPHEN:
                        self._drop_last()
                    else:
                        self._put(joined)
                    self._page = elsewhere.get(id(line), page)
                    self._line(line, line.text.replace("|", "\\|"))
                gap = " |" if cell else gap + "|"
            self._put(gap)
            if not number:
                self._put("\n|" + "---|" * len(cells))
        self._page = page

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
        reference = self._refs.get((self._page, image.index))
        if reference is None:
            return
        self._break()
        start = self._at
        self._put(f"![]({reference})")
        self._anchor(start, self._at, image.raw)
        self.images.append((self._page, image, start, self._at))


def _is_furniture(item: Item) -> bool:
    return isinstance(item, Row) and bool(item.furniture)


def _is_broken(before: str, digits: str) -> bool:
    """Whether an amount ("48,500.0" and "0") or a name ("LB-200-" and "32") was broken where its
    cell ends, before some digits."""
    if before.endswith("-") and before[-2:-1].isalnum():
        return True
    return _AMOUNT.fullmatch(before + digits) is not None and not _AMOUNT.fullmatch(before)


def _middle(values: list[float]) -> float:
    return sorted(values)[(len(values) - 1) // 2]


def _code_text(lines: list[Line], width: float) -> str:
    """A row of code, with as many blanks between its pieces as characters ``width`` wide have room
    there."""
    text = lines[0].text
    for before, line in pairwise(lines):
        ending = before.raw[len(before.raw.rstrip()) :]
        blanks = round((line.x0 - before.x1) / width) + len(ending)
        text += " " * min(blanks, _MAX_BLANKS) if blanks > 1 else between_lines(before, line)
        text += line.text
    return text


def _continues_heading(before: Row, row: Row) -> bool:
    return 0 <= row.y0 - before.y0 < 2 * max(before.size, row.size) + (before.y1 - before.y0)
