"""Where links lead that the address they were written with does not tell."""

from __future__ import annotations

from pathlib import Path

from rag_query.library.snapshot import Library
from tests.library_builder import SmallDoc, build_library

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
