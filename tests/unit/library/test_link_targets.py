"""Links of sites, whose addresses are not those of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_query.library.snapshot import Library, Snapshot
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


#: A link, and the page it means.
LINKS = [
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
]


def hub(number: int) -> SmallDoc:
    """The page that has one of the links."""
    return SmallDoc(f"docs/hub{number}.md", f"# Hub\n\nSee [this]({LINKS[number][0]}).")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    pages = [SmallDoc(path, f"# Page\n\nText of {path}.") for path in PATHS]
    hubs = [hub(number) for number in range(len(LINKS))]
    return Library.open(build_library(tmp_path_factory.mktemp("site"), [*hubs, *pages])).snapshot()


def texts_reached(snapshot: Snapshot, page: SmallDoc) -> list[str]:
    (chunk,) = snapshot.catalog.document_chunks(page.doc_id)
    reached = snapshot.chunks([edge.chunk_id for edge in snapshot.links.edges(chunk.chunk_id)])
    return [chunk.chunk_text for chunk in reached]


@pytest.mark.parametrize("number", range(len(LINKS)), ids=[link for link, _ in LINKS])
def test_a_link_of_a_site_finds_the_one_page_it_means(site: Snapshot, number: int) -> None:
    path = LINKS[number][1]
    assert texts_reached(site, hub(number)) == ([] if path is None else [f"Text of {path}."])


def test_what_stands_where_a_link_says_is_not_passed_by(tmp_path: Path) -> None:
    page = SmallDoc("docs/hub.md", "# Hub\n\n[x](cup.md), [y](/cup.md).")
    others = [SmallDoc(path, f"# Page\n\nText of {path}.") for path in ("docs/cup.md", "cup.md")]
    others.append(SmallDoc("docs/01-cup.md", "# Page\n\nNever meant."))
    snapshot = Library.open(build_library(tmp_path, [page, *others])).snapshot()
    assert set(texts_reached(snapshot, page)) == {"Text of docs/cup.md.", "Text of cup.md."}
