"""Links of sites, whose addresses are not those of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_query.library.snapshot import Library
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

PATHS = [
    "docs/03-core/05-generating-text.mdx",
    "docs/03-core/index.mdx",
    "docs/cup.md",
    "docs/pot/README.md",
    "docs/kettle.html",
    "a/same.md",
    "b/same.md",
    "docs/项目 A.md",
    "docs/2024-05-01.md",
]


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("cup", "docs/cup.md"),
        ("./cup/#part", "docs/cup.md"),
        ("pot", "docs/pot/README.md"),
        ("kettle", "docs/kettle.html"),
        ("../docs/项目%20A", "docs/项目 A.md"),
        ("core/generating-text", "docs/03-core/05-generating-text.mdx"),
        ("03-core/generating-text.mdx", "docs/03-core/05-generating-text.mdx"),
        ("/docs/core/generating-text?x#y", "docs/03-core/05-generating-text.mdx"),
        ("/core", "docs/03-core/index.mdx"),
        ("/cup", "docs/cup.md"),
        ("/a/same", "a/same.md"),
        ("/site/docs/pot", "docs/pot/README.md"),
        ("/site/pot", None),
        ("/same", None),
        ("same", None),
        ("/docs", None),
        ("/", None),
        ("cup.html", None),
        ("generating-text", None),
        ("05-01", None),
        ("../../cup", None),
    ],
)
def test_a_link_of_a_site_finds_the_one_page_it_means(
    tmp_path: Path, link: str, path: str | None
) -> None:
    hub = SmallDoc("docs/hub.md", f"# Hub\n\nSee [this]({link}).")
    others = [SmallDoc(path, f"# Page\n\nText of {path}.") for path in PATHS]
    snapshot = Library.open(build_library(tmp_path, [hub, *others])).snapshot()
    (chunk,) = snapshot.catalog.document_chunks(hub.doc_id)
    reached = snapshot.chunks([edge.chunk_id for edge in snapshot.links.edges(chunk.chunk_id)])
    texts = [chunk.chunk_text for chunk in reached]
    assert texts == ([] if path is None else [f"Text of {path}."])


def test_what_stands_where_a_link_says_is_not_passed_by(tmp_path: Path) -> None:
    hub = SmallDoc("docs/hub.md", "# Hub\n\n[x](cup.md), [y](/cup.md).")
    others = [SmallDoc(path, f"# Page\n\nText of {path}.") for path in ("docs/cup.md", "cup.md")]
    others.append(SmallDoc("docs/01-cup.md", "# Page\n\nNever meant."))
    snapshot = Library.open(build_library(tmp_path, [hub, *others])).snapshot()
    (chunk,) = snapshot.catalog.document_chunks(hub.doc_id)
    reached = snapshot.chunks([edge.chunk_id for edge in snapshot.links.edges(chunk.chunk_id)])
    assert {row.chunk_text for row in reached} == {"Text of docs/cup.md.", "Text of cup.md."}
