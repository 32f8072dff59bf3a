"""The tables a tagged PDF says it has: its structure tree knows the cells of each row, and over how
many columns and rows each cell stands (ISO 32000-1, 14.8.4.3.4 and 14.8.5.7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

from rag_assets.loading.pdf.extraction.stext import (
    ImageOf,
    LineOf,
    Node,
    StructureOf,
    TextOf,
    printed_page,
    structured_text,
    text_flags,
    text_page_of,
)

#: What no table stands in: the kids of these are text.
_TEXTS = frozenset({"P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "Span", "Link", "Lbl", "TOC"})
_CELLS = frozenset({"TD", "TH"})
#: Rows of a table may be in groups.
_GROUPS = frozenset({"THead", "TBody", "TFoot"})
#: Columns behind so many are not looked for below cells over several rows.
_MAX_COLUMNS = 100
#: So deep no tree is; what MuPDF does with deeper ones takes minutes.
_MAX_DEPTH = 200


class TaggedCell(NamedTuple):
    """The text of a cell on a page, the first of its columns and how many it stands over."""

    column: int
    span: int
    lines: list[LineOf]


class TaggedTable(NamedTuple):
    """What of a table stands on a page.

    Attributes:
        columns: how many the table has.
        rows: the cells of each row that hold text on the page, in the order of their columns.
        heads: how many of the rows, the first ones, are heads of columns.
        has_heads: whether a row of the table begins with a head; a title alone in its row is none.
        length: how many rows the table has, those on other pages too.
        edges: where its columns begin, by their numbers, and where the last one ends, as far as the
            pages before tell.
    """

    columns: int
    rows: list[list[TaggedCell]]
    heads: int
    has_heads: bool
    length: int
    edges: dict[int, int]


@dataclass(slots=True)
class _Grid:
    """The rows of a table by their object numbers: how many stand above, and of each kid the first
    column and the span, null where it is no cell."""

    columns: int = 0
    rows: dict[int, tuple[int, list[tuple[int, int] | None]]] = field(default_factory=dict)
    heads: int = 0
    has_heads: bool = False
    edges: dict[int, int] = field(default_factory=dict)


@cache
def _mupdf() -> Any:
    from pymupdf import mupdf

    return mupdf


class Tags:
    """The structure tree of a document, read as far as tables need it; every fault of MuPDF in a
    damaged one is raised."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._grids: dict[int, _Grid] = {}
        self._roles: dict[str, str] = {}

    @cached_property
    def _root(self) -> Any:
        import pymupdf

        pdf = pymupdf._as_pdf_document(self._document).m_internal
        return _mupdf().ll_pdf_dict_getp(_mupdf().ll_pdf_trailer(pdf), "Root/StructTreeRoot")

    @cached_property
    def _has_tables(self) -> bool:
        """Whether a table is in the tree. Text, most of a tree, is not looked into."""
        todo, seen = [(self._root, 0)] if self._root else [], set()
        while todo:
            element, depth = todo.pop()
            if depth > _MAX_DEPTH:
                return False
            for kid in _kids(element):
                kind = self._kind(kid)
                if kind == "Table":
                    return True
                if kind and kind not in _TEXTS:
                    number = _mupdf().ll_pdf_to_num(kid)
                    if number not in seen:
                        seen.add(number)
                        todo.append((kid, depth + 1))
        return False

    def __bool__(self) -> bool:
        """Whether there is a tree."""
        return bool(self._root)

    def tables_on(self, page: Any, *, plain: bool) -> list[TaggedTable]:
        """The tables of a page that hold no other and no image."""
        if not self._has_tables:
            return []
        flags = text_flags(tables=False) | _mupdf().FZ_STEXT_COLLECT_STRUCTURE
        nodes = structured_text(printed_page(text_page_of(page, flags, plain=plain)))
        # MuPDF tells of an element again where it goes on behind another.
        found: dict[int, list[tuple[Any, StructureOf]]] = defaultdict(list)
        for path, node in _tables(nodes, ()):
            element = self._root
            for index in path:
                element = element and _kid(element, index)
            found[_mupdf().ll_pdf_to_num(element) if element else 0].append((element, node))
        return [
            self._table(parts[0][0], [node for _, node in parts])
            for number, parts in found.items()
            if number and not any(_is_layout(node) for _, node in parts)
        ]

    def _table(self, element: Any, parts: Sequence[StructureOf]) -> TaggedTable:
        number = _mupdf().ll_pdf_to_num(element)
        if number not in self._grids:
            self._grids[number] = self._grid(element)
        grid = self._grids[number]
        lines: defaultdict[int, defaultdict[int, list[LineOf]]]
        lines = defaultdict(lambda: defaultdict(list))
        for part in parts:
            for row, node in _rows(part, element):
                for cell in node.contents:
                    if isinstance(cell, StructureOf) and cell.std in _CELLS:
                        lines[row][cell.index] += _lines(cell)
        rows, heads = [], 0
        # Of a table over many pages, few rows stand on each.
        for row in sorted(grid.rows.keys() & lines, key=lambda row: grid.rows[row][0]):
            at, places = grid.rows[row]
            cells = [
                TaggedCell(*place, lines[row][index])
                for index, place in enumerate(places)
                if place and lines[row].get(index)
            ]
            if cells:
                rows.append(cells)
                heads += at < grid.heads
        return TaggedTable(
            grid.columns, rows, heads, grid.has_heads, len(grid.rows), edges=grid.edges
        )

    def _grid(self, table: Any) -> _Grid:
        """The places of all cells of a table, as HTML gives them: each in the first column of its
        row that no cell above stands in."""
        grid, above = _Grid(), [0] * _MAX_COLUMNS
        for row in self._rows_of(table):
            places: list[tuple[int, int] | None] = []
            column, kinds = 0, []
            for kid in _kids(row):
                kind = self._kind(kid)
                if kind not in _CELLS:
                    places.append(None)
                    continue
                kinds.append(kind)
                while column < _MAX_COLUMNS and above[column]:
                    column += 1
                span, rows = _spans(kid)
                span = min(span, _MAX_COLUMNS)
                places.append((column, span))
                above[column : column + span] = [rows] * len(above[column : column + span])
                column += span
            above = [max(left - 1, 0) for left in above]
            if kinds and grid.heads == len(grid.rows) and set(kinds) == {"TH"}:
                grid.heads += 1
            grid.has_heads |= len(kinds) > 1 and kinds[0] == "TH"
            grid.columns = max(grid.columns, column)
            grid.rows[_mupdf().ll_pdf_to_num(row)] = len(grid.rows), places
        return grid

    def _rows_of(self, element: Any) -> Iterator[Any]:
        for kid in _kids(element):
            kind = self._kind(kid)
            if kind == "TR":
                yield kid
            elif kind in _GROUPS:
                yield from (row for row in _kids(kid) if self._kind(row) == "TR")

    def _kind(self, element: Any) -> str:
        """The standard type of a structure element; empty for what is none."""
        mupdf = _mupdf()
        kind = mupdf.ll_pdf_dict_gets(element, "S")
        name = mupdf.ll_pdf_to_name(kind) if kind else ""
        if name not in self._roles:
            roles = mupdf.ll_pdf_dict_gets(self._root, "RoleMap")
            role = mupdf.ll_pdf_dict_get(roles, kind) if roles and kind else None
            self._roles[name] = mupdf.ll_pdf_to_name(role) if role else name
        return self._roles[name]


def _tables(
    nodes: Sequence[Node], path: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], StructureOf]]:
    """The tables among some nodes, with their places among the kids of each of their parents."""
    for node in nodes:
        if isinstance(node, StructureOf):
            own = (*path, node.index)
            if node.std == "Table":
                yield own, node
            yield from _tables(node.contents, own)


def _kids(element: Any) -> Iterator[Any]:
    kids = _mupdf().ll_pdf_dict_gets(element, "K")
    if not _mupdf().ll_pdf_is_array(kids):
        yield from [kids] if kids else []
        return
    for at in range(_mupdf().ll_pdf_array_len(kids)):
        yield _mupdf().ll_pdf_array_get(kids, at)


def _kid(element: Any, index: int) -> Any:
    kids = _mupdf().ll_pdf_dict_gets(element, "K")
    return _mupdf().ll_pdf_array_get(kids, index) if _mupdf().ll_pdf_is_array(kids) else kids


def _spans(cell: Any) -> tuple[int, int]:
    """Over how many columns and rows a cell stands."""
    mupdf = _mupdf()
    columns = rows = 1
    given = mupdf.ll_pdf_dict_gets(cell, "A")
    for at in range(mupdf.ll_pdf_array_len(given)) if mupdf.ll_pdf_is_array(given) else [None]:
        each = given if at is None else mupdf.ll_pdf_array_get(given, at)
        columns = max(mupdf.ll_pdf_to_int(mupdf.ll_pdf_dict_gets(each, "ColSpan")), columns)
        rows = max(mupdf.ll_pdf_to_int(mupdf.ll_pdf_dict_gets(each, "RowSpan")), rows)
    return columns, rows


def _rows(node: StructureOf, element: Any) -> Iterator[tuple[int, StructureOf]]:
    """The rows of a table with their object numbers."""
    for row in node.contents:
        if isinstance(row, StructureOf) and (kid := _kid(element, row.index)):
            if row.std == "TR":
                yield _mupdf().ll_pdf_to_num(kid), row
            elif row.std in _GROUPS:
                yield from _rows(row, kid)


def _lines(node: StructureOf) -> list[LineOf]:
    found: list[LineOf] = []
    for each in node.contents:
        if isinstance(each, TextOf):
            found += [line for line in each.lines if not line.text.isspace()]
        elif isinstance(each, StructureOf):
            found += _lines(each)
    return found


def _is_layout(node: StructureOf) -> bool:
    """Whether an image or a table stands in a table."""
    return any(
        isinstance(each, ImageOf)
        or (isinstance(each, StructureOf) and (each.std == "Table" or _is_layout(each)))
        for each in node.contents
    )
