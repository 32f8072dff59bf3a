"""Tables inside a chunk's text: what their rows are read by, and what stands in their cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from rag_query.generation.passages.forms import Form, form_of
from rag_query.generation.passages.row_labels import drawn_over
from rag_query.generation.passages.table_rows import (
    cells_of,
    heads_of,
    is_delimiter,
    is_row,
    row_text,
)
from rag_query.text.marks import marked


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """What the rows of a table are read by; a form has no heads."""

    heads: tuple[str, ...] = ()
    form: Form | None = None

    def said(self, cells: tuple[str, ...]) -> str:
        """A row as a sentence."""
        return (self.form.text(cells) if self.form else None) or row_text(cells, self.heads)


def table_at(text: str, start: int, first: str, source_format: str | None) -> ChunkTable:
    """The table whose ``first`` row the rows from ``start`` on follow."""
    lines = takewhile(is_row, _lines_from(text, start))
    rows = [shown_cells(line, source_format) for line in (first, *lines) if not is_delimiter(line)]
    form = form_of(rows)
    return ChunkTable(form=form) if form else ChunkTable(heads_of(rows[0], rows[1:]))


def labels_drawn_over(text: str, start: int) -> Iterator[bool]:
    """Of each row from ``start`` on, whether the label above is drawn over it."""
    rows = [cells_of(line) for line in takewhile(is_row, _lines_from(text, start))]
    return iter(drawn_over(rows))


def shown_cells(line: str, source_format: str | None) -> tuple[str, ...]:
    """The cells of a row as a reader sees them; bars are escaped in them, even in code."""
    cells = (cell.replace("\\|", "|") for cell in cells_of(line))
    return tuple(marked(cell, source_format).said(0, len(cell)) for cell in cells)


def _lines_from(text: str, start: int) -> Iterator[str]:
    """The lines from ``start`` on, line breaks there aside; as many as are asked for."""
    while text.startswith("\n", start):
        start += 1
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1
