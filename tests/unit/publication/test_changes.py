"""A run tells what it publishes, whatever the runs before it left unpublished."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rag_assets.publication.publish import Published, publish
from rag_query.library.home import Home
from rag_query.library.manifests import load_manifest
from tests.library_builder import build_library, open_context
from tests.small_documents import SmallDoc

DOCUMENTS = [SmallDoc(f"p{n}.md", f"# Pump {n}\n\nModel KX{n} needs oil.") for n in range(6)]
SEVENTH = SmallDoc("p6.md", "# Pump 6\n\nModel KX6 needs oil.")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Only to be copied."""
    return build_library(tmp_path_factory.mktemp("made") / "lib", DOCUMENTS)


@pytest.fixture
def home(made: Home, tmp_path: Path) -> Home:
    return Home(shutil.copytree(made.root, tmp_path / "lib"))


def unpublished(home: Home, documents: list[SmallDoc]) -> None:
    """What a run leaves that was killed or held up before its publication."""
    build_library(home.root, documents, publish=False)


def told(home: Home) -> tuple[int | None, dict[str, int]]:
    published: Published = publish(open_context(home.root))
    assert published.documents is not None
    counts = published.documents.counts()
    return published.since, {name: number for name, number in counts.items() if number}


def test_all_documents_of_a_first_snapshot_are_added(tmp_path: Path) -> None:
    home = build_library(tmp_path / "lib", DOCUMENTS, publish=False)
    assert told(home) == (None, {"added": 6})


def test_what_runs_before_left_unpublished_is_told_by_the_one_that_publishes_it(home: Home) -> None:
    changed = replace(DOCUMENTS[5], text="# Pump 5\n\nModel KX5 needs water.")
    unpublished(home, [*DOCUMENTS, SEVENTH])
    unpublished(home, [DOCUMENTS[3], DOCUMENTS[4], changed, SEVENTH])
    assert told(home) == (1, {"added": 1, "new_version": 1, "unchanged": 2, "removed": 3})
    assert told(home) == (2, {"unchanged": 4})


def test_what_came_and_went_between_two_publications_is_not_told(home: Home) -> None:
    unpublished(home, [*DOCUMENTS, SEVENTH])
    unpublished(home, DOCUMENTS)
    assert told(home) == (1, {"unchanged": 6})


def test_a_document_that_cannot_be_read_any_more_counts_neither_as_unchanged_nor_as_removed(
    home: Home,
) -> None:
    broken = replace(DOCUMENTS[0], text="# Pump 0\n\n\0", fails="BINARY_CONTENT")
    unpublished(home, [broken, *DOCUMENTS[1:], replace(SEVENTH, fails="BINARY_CONTENT")])
    assert told(home) == (1, {"unchanged": 5})
    unpublished(home, [*DOCUMENTS, SEVENTH])
    assert told(home) == (2, {"added": 1, "unchanged": 6})


def test_a_damaged_snapshot_can_still_be_replaced(home: Home) -> None:
    unpublished(home, [*DOCUMENTS, SEVENTH])
    ctx = open_context(home.root)
    newest = ctx.store.heads("documents")
    for shard, file in load_manifest(home, 1).tables["documents"].items():
        if file != newest[shard]:
            ctx.store.path(file).write_bytes(b"")
    published = publish(ctx)
    assert (published.number, published.documents) == (2, None)
