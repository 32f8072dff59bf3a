"""Tables that a tagged PDF says it has, of which nothing is drawn."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pymupdf
import pytest

from rag_assets.loading.pdf.file.tags import Tags
from tests.unit.loading.pdf.facts import check_anchors, load

LEFTS = (60, 150, 400)
LEADING = 13


class Cell(NamedTuple):
    """Newlines part the lines of a cell; a square is drawn before an item."""

    text: str
    columns: int = 1
    rows: int = 1
    is_item: bool = False
    size: int = 11


Rows = Sequence[Sequence[str | Cell]]


class Tree:
    """Writes a page with its tags; ``rows`` are those of one table, which is the first element."""

    def __init__(self, document: pymupdf.Document, lefts: Sequence[float], heads: int) -> None:
        self._document = document
        self._lefts = lefts
        self._heads = heads
        self._root, self._table, self._parents = (document.get_new_xref() for _ in range(3))
        self._rows: list[int] = []
        self._texts: list[int] = []
        self._tagged: list[list[int]] = []
        self._above: dict[int, int] = {}

    def page(self, rows: Rows, y: float, untagged: str) -> None:
        page = self._document.new_page()
        page.insert_text((60, 50), "Register of the works")
        drawn: list[str] = []
        self._tagged.append([])
        for row in rows:
            drawn += self._row(page.xref, row, y)
            y += LEADING * max(_text(cell).count("\n") + 1 for cell in row) + 6
        drawn.append(_shown(untagged, self._lefts[1], y - LEADING - 6))
        end = _shown("All the works are listed here.", 60, y + 30)
        drawn.append(self._element("P", self._root, page.xref, end))
        self._texts.append(self._tagged[-1][-1])
        stream = self._object("<<>>")
        self._document.update_stream(stream, "\n".join(drawn).encode())
        contents = _references([*page.get_contents(), stream])
        self._document.xref_set_key(page.xref, "Contents", f"[{contents}]")
        self._document.xref_set_key(page.xref, "StructParents", str(len(self._tagged) - 1))

    def close(self) -> None:
        parents = [f"{at} [{_references(given)}]" for at, given in enumerate(self._tagged)]
        kids = _references([self._table, *self._texts])
        for number, members in (
            (self._table, f"/S/Table/P {self._root} 0 R/K[{_references(self._rows)}]"),
            (self._parents, f"/Nums[{' '.join(parents)}]"),
            (self._root, f"/ParentTree {self._parents} 0 R/K[{kids}]"),
        ):
            self._document.update_object(number, f"<<{members}>>")
        catalog = self._document.pdf_catalog()
        self._document.xref_set_key(catalog, "StructTreeRoot", f"{self._root} 0 R")

    def _row(self, page: int, row: Sequence[str | Cell], y: float) -> list[str]:
        kind = "TH" if len(self._rows) < self._heads else "TD"
        self._rows.append(self._document.get_new_xref())
        first, column, drawn = len(self._tagged[-1]), 0, []
        for cell in (Cell(each) if isinstance(each, str) else each for each in row):
            while self._above.get(column, 0) >= len(self._rows):
                column += 1
            x = self._lefts[column]
            if cell.is_item:
                drawn.append(f"{x - 10} {844 - y} 4 4 re f")
            lines = enumerate(cell.text.split("\n"))
            text = " ".join(_shown(line, x, y + LEADING * at, cell.size) for at, line in lines)
            spans = f"/A<</O/Table/ColSpan {cell.columns}/RowSpan {cell.rows}>>"
            drawn.append(self._element(kind, self._rows[-1], page, text, spans))
            for _ in range(cell.columns):
                self._above[column] = len(self._rows) - 1 + cell.rows
                column += 1
        kids = _references(self._tagged[-1][first:])
        self._document.update_object(self._rows[-1], f"<</S/TR/P {self._table} 0 R/K[{kids}]>>")
        return drawn

    def _element(self, kind: str, parent: int, page: int, text: str, more: str = "") -> str:
        """The operators that show a text which is an element of the tree."""
        number = len(self._tagged[-1])
        self._tagged[-1].append(
            self._object(f"<</S/{kind}/P {parent} 0 R/Pg {page} 0 R/K {number}{more}>>")
        )
        return f"/{kind} <</MCID {number}>> BDC {text} EMC"

    def _object(self, text: str) -> int:
        number: int = self._document.get_new_xref()
        self._document.update_object(number, text)
        return number


def tables(
    path: Path, *pages: Rows, heads: int = 1, lefts: Sequence[float] = LEFTS, untagged: str = ""
) -> str:
    """The text of a document with a tagged table that goes over its pages, whose first rows are
    ``heads``. In its last row stands a line that is ``untagged``."""
    with pymupdf.open() as document:
        tree = Tree(document, lefts, heads)
        for number, rows in enumerate(pages, 1):
            # A table that goes on ends low on its page.
            tree.page(rows, 700 - 40 * len(rows) if number < len(pages) else 90, untagged)
        tree.close()
        document.save(path)
    loaded = load(path)
    # What is drawn as a mark is no word of the page.
    if "•" not in loaded.md:
        check_anchors(loaded, path)
    return loaded.md


def _text(cell: str | Cell) -> str:
    return cell if isinstance(cell, str) else cell.text


def _shown(text: str, x: float, y: float, size: int = 11) -> str:
    """The operators that show a text; y counts from the top of the page."""
    return f"BT /helv {size} Tf {x} {842 - y} Td ({text}) Tj ET" if text else ""


def _references(numbers: Sequence[int]) -> str:
    return " ".join(f"{number} 0 R" for number in numbers)


def _table(md: str) -> list[str]:
    return [line for line in md.split("\n") if line.startswith("|") and "---" not in line]


HEAD = ("Term", "What it means", "Since")
ROWS = (
    ("berth", "Where a vessel lies,\nalongside or at anchor", "first issue"),
    ("draught", "How deep it lies", "first issue"),
    ("freeboard", "What of its side\nis above the water", "second issue"),
)
FOUND = [
    "| Term | What it means | Since |",
    "| berth | Where a vessel lies, alongside or at anchor | first issue |",
    "| draught | How deep it lies | first issue |",
    "| freeboard | What of its side is above the water | second issue |",
]


def test_the_tags_tell_the_cells(tmp_path: Path) -> None:
    md = tables(tmp_path / "a.pdf", [HEAD, *ROWS])
    assert _table(md) == FOUND
    assert md.endswith("All the works are listed here.")


def test_cells_that_were_read_as_one_line_are_parted(tmp_path: Path) -> None:
    """So near to each other, they are words of one line."""
    rows: Rows = [
        ("Grade", "Price", "Stock"),
        ("Second quality", "low", "yes"),
        ("First", "high", "no"),
    ]
    found = _table(tables(tmp_path / "a.pdf", rows, lefts=(60, 135, 200)))
    assert found == ["| " + " | ".join(map(_text, row)) + " |" for row in rows]


def test_heads_over_several_columns_and_rows(tmp_path: Path) -> None:
    heads: Rows = [
        [Cell("Region", rows=2), Cell("Berths", columns=2)],
        ["North pier", "South pier"],
    ]
    rows: Rows = [*heads, ("Harbour", "twelve", "nine"), ("Roads", "two", "none")]
    assert _table(tables(tmp_path / "a.pdf", rows, heads=2)) == [
        "| Region | Berths North pier | Berths South pier |",
        "| Harbour | twelve | nine |",
        "| Roads | two | none |",
    ]


def test_a_cell_over_several_rows_leaves_its_column_to_them(tmp_path: Path) -> None:
    rows: Rows = [
        HEAD,
        (Cell("berth", rows=2), "alongside", "first issue"),
        ("at anchor", "second issue"),
    ]
    assert _table(tables(tmp_path / "a.pdf", rows))[1:] == [
        "| berth | alongside | first issue |",
        "| | at anchor | second issue |",
    ]


def test_a_table_goes_on_with_its_heads_and_the_row_that_was_broken(tmp_path: Path) -> None:
    found = _table(tables(tmp_path / "a.pdf", [HEAD, *ROWS], [HEAD, *ROWS]))
    assert found[:4] == FOUND and found[-3:] == FOUND[1:]


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        ([("Harbour office", "Open on weekdays, from eight until five", "Pier 2")], 1),
        ([("Back", "Contents", "On"), ("Berths", "", "Tides")], 0),
        ([[Cell("Manual of the harbour", columns=3)], ("Back", "Berths", "On")], 1),
        ([("Yours sincerely,", "Seen,"), ("A. Winter", "P. Miller"), ("Office", "Stock")], 0),
        ([("Title", Cell("On berths", size=16)), *(row[:2] for row in ROWS)], 0),
    ],
    ids=["one row", "two rows without heads", "a title above one row", "signatures", "a cover"],
)
def test_what_is_laid_out_with_a_table_is_none(tmp_path: Path, rows: Rows, heads: int) -> None:
    assert not _table(tables(tmp_path / "a.pdf", rows, heads=heads))


def test_what_is_in_no_tag_is_not_lost(tmp_path: Path) -> None:
    """A table in which more stands than its tags say is left as it was read."""
    md = tables(tmp_path / "a.pdf", [HEAD, *ROWS[:2], ("keel", "", "")], untagged="laid down first")
    assert not _table(md)
    assert all(text in md for text in ("laid down first", "alongside or at anchor", "draught"))


def test_the_marks_of_items_are_part_of_their_cells(tmp_path: Path) -> None:
    """They are drawn, and so in no tag."""
    item = Cell("alongside", is_item=True), Cell("at anchor", is_item=True)
    rows: Rows = [HEAD, ("berth", item[0], "first issue"), ("", item[1], ""), ROWS[1]]
    assert _table(tables(tmp_path / "a.pdf", rows))[1:3] == [
        "| berth | • alongside | first issue |",
        "| | • at anchor | |",
    ]


def test_tags_that_do_not_fit_the_page_are_not_followed(tmp_path: Path) -> None:
    md = tables(tmp_path / "a.pdf", [HEAD, *ROWS], lefts=(400, 150, 60))
    assert not _table(md)
    assert "freeboard" in md


def test_a_tree_that_is_too_deep_is_left_alone(tmp_path: Path) -> None:
    """MuPDF takes minutes for it, and its faults are none of the text."""
    path = tmp_path / "a.pdf"
    tables(path, [HEAD, *ROWS])
    with pymupdf.open(path) as document:
        root = int(document.xref_get_key(document.pdf_catalog(), "StructTreeRoot")[1].split()[0])
        table = int(document.xref_get_key(root, "K")[1][1:].split()[0])
        parent = root
        for _ in range(2000):
            number = document.get_new_xref()
            document.update_object(number, f"<</S/Sect/P {parent} 0 R>>")
            document.xref_set_key(parent, "K", f"{number} 0 R")
            parent = number
        document.xref_set_key(parent, "K", f"{table} 0 R")
        document.xref_set_key(table, "P", f"{parent} 0 R")
        data = document.tobytes()
    loaded = load(data)
    assert "freeboard" in loaded.md
    assert not loaded.warnings


def test_a_document_without_tags_has_none_to_be_read() -> None:
    with pymupdf.open() as document:
        document.new_page()
        assert not Tags(document)
