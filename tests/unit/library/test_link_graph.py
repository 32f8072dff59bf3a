"""Where links lead that the address they were written with does not tell."""

from __future__ import annotations

from pathlib import Path

from rag_query.library.snapshot import Library
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

HUB = SmallDoc("notes/hub.md", "# Hub\n\n[[Kettle]] and [[Cup]] and [[far/Spoon]] and [[茶壶]].")
OTHERS = [
    SmallDoc("tools/kettle.md", "# Kettle\n\nIt boils."),
    SmallDoc("tools/茶壶.md", "# 茶壶\n\n烧水。", language="zh"),
    SmallDoc("a/Cup.md", "# Cup\n\nOne."),
    SmallDoc("b/Cup.md", "# Cup\n\nTwo."),
    SmallDoc("tools/Spoon.md", "# Spoon\n\nIt stirs."),
]


def reached(folder: Path, documents: list[SmallDoc]) -> set[str]:
    snapshot = Library.open(build_library(folder, documents)).snapshot()
    (hub,) = snapshot.catalog.document_chunks(HUB.doc_id)
    ids = [edge.chunk_id for edge in snapshot.links.edges(hub.chunk_id)]
    return {chunk.source_uri for chunk in snapshot.chunks(ids)}


def test_a_wiki_link_finds_the_one_page_of_that_file_name_in_any_folder(tmp_path: Path) -> None:
    """Two pages called Cup are ambiguous, and [[far/Spoon]] names its folder."""
    assert reached(tmp_path / "one", [HUB, *OTHERS]) == {
        "file://inbox/tools/kettle.md",
        "file://inbox/tools/茶壶.md",
    }


def test_a_page_beside_the_linking_one_comes_first(tmp_path: Path) -> None:
    beside = SmallDoc("notes/Cup.md", "# Cup\n\nThree.")
    assert "file://inbox/notes/Cup.md" in reached(tmp_path / "two", [HUB, *OTHERS, beside])


def test_a_wiki_link_finds_the_one_page_whose_path_ends_so(tmp_path: Path) -> None:
    """[[../far/Spoon]] begins at the page itself, and two pages are called a/Cup."""
    text = "# Hub\n\n[[notes/Tea pot]], [[B/cup]], [[a/Cup]], [[../far/Spoon]], [[ar/Spoon]]."
    pages = ["notes/Tea pot.md", "b/Cup.md", "a/Cup.md", "x/a/Cup.md", "y/far/Spoon.md"]
    others = [SmallDoc(path, f"# {path}\n\nText of {path}.") for path in pages]
    assert reached(tmp_path, [SmallDoc("notes/hub.md", text), *others]) == {
        "file://inbox/notes/Tea%20pot.md",
        "file://inbox/b/Cup.md",
    }


BOOK = """# Book

Words before all.

## Setup

One paragraph.

## Other

## Setup

Two paragraphs.

The second of them.

#### Fine / details

Deep words.
"""


#: The anchor of a link, and what it leads to.
ANCHORS = {
    "": ["Words before all."],
    "#setup": ["One paragraph."],
    "#setup-1": ["Two paragraphs.", "The second of them."],
    "#other": ["Two paragraphs."],
    "#fine--details": ["Deep words."],
    "#gone": ["Words before all."],
}


def test_an_anchor_leads_to_the_chunks_below_its_heading(tmp_path: Path) -> None:
    hubs = {
        anchor: SmallDoc(f"hub{number}.md", f"# Hub\n\n[Book](book.md{anchor})")
        for number, anchor in enumerate(ANCHORS)
    }
    book = SmallDoc("book.md", BOOK)
    snapshot = Library.open(build_library(tmp_path, [*hubs.values(), book])).snapshot()
    led = {}
    for anchor, hub in hubs.items():
        (chunk,) = snapshot.catalog.document_chunks(hub.doc_id)
        reached = snapshot.chunks([edge.chunk_id for edge in snapshot.links.edges(chunk.chunk_id)])
        ordered = sorted(reached, key=lambda row: row.chunk_index)
        led[anchor] = [row.chunk_text for row in ordered]
    assert led == ANCHORS


def test_an_anchor_of_a_changed_target_leads_to_where_it_stands_now(tmp_path: Path) -> None:
    hub = SmallDoc("hub.md", "# Hub\n\n[Book](book.md#setup)")
    for text in ("One paragraph.", "Another one."):
        book = SmallDoc("book.md", BOOK.replace("One paragraph.", text))
        snapshot = Library.open(build_library(tmp_path, [hub, book])).snapshot()
        (chunk,) = snapshot.catalog.document_chunks(hub.doc_id)
        reached = snapshot.chunks([edge.chunk_id for edge in snapshot.links.edges(chunk.chunk_id)])
        assert [row.chunk_text for row in reached] == [text]


def test_a_snapshot_from_before_anchors_were_stored_leads_to_the_first_chunk(
    tmp_path: Path,
) -> None:
    hub = SmallDoc("hub.md", "# Hub\n\n[Book](book.md#setup)")
    snapshot = Library.open(build_library(tmp_path, [hub, SmallDoc("book.md", BOOK)])).snapshot()
    del snapshot.manifest.tables["anchors"]
    (chunk,) = snapshot.catalog.document_chunks(hub.doc_id)
    (edge,) = snapshot.links.edges(chunk.chunk_id)
    assert snapshot.chunks([edge.chunk_id])[0].chunk_text == "Words before all."
