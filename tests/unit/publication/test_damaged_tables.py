"""A table's file that cannot be read is named, never published, and computed again."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pytest

from rag_assets.captioning import stage as captioning
from rag_assets.chunks import stage as chunks
from rag_assets.embeddings import stage as embeddings
from rag_assets.enrichment import stage as enrichment
from rag_assets.enrichment import summaries
from rag_assets.incremental import run_incremental
from rag_assets.indexes.heads import bm25_head, vector_head
from rag_assets.links import stage as links
from rag_assets.loading import stage as loading
from rag_assets.media import stage as media
from rag_assets.normalizing import stage as normalizing
from rag_assets.ocr import stage as ocr
from rag_assets.publication.gc import collect
from rag_assets.publication.publish import publish
from rag_assets.publication.rollback import rollback
from rag_assets.sections import stage as sections
from rag_assets.sources import documents
from rag_assets.sources.inventory import take_inventory
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.tables import ALL, INVENTORY, LINKS, TABLES
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.library.manifests import current_number, load_manifest, missing_parts
from rag_query.library.settings import load_settings
from rag_query.library.snapshot import Library
from rag_query.library.tables import TableStore
from tests.library_builder import build_library, open_context, run_indexes
from tests.small_documents import SmallDoc

#: In the order of an ingest.
STAGES: tuple[ModuleType, ...] = (
    documents, loading, media, normalizing, sections, chunks, enrichment, links, embeddings,
)  # fmt: skip
TEA = SmallDoc("tea.md", "# Tea\n\nGreen tea is steamed.")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Only to be copied."""
    return build_library(tmp_path_factory.mktemp("made") / "home", [TEA], shards=1)


@pytest.fixture
def home(made: Home, tmp_path: Path) -> Home:
    return Home(shutil.copytree(made.root, tmp_path / "home"))


def spoil(home: Home, table: str) -> str:
    """Overwrite the newest file of a table; its name."""
    file = load_manifest(home, 1).tables[table]["s00"]
    (home.root / file.path).write_bytes(b"not a table")
    return file.path


def names(error: ExcerptaError, home: Home, file: str) -> bool:
    """Whether an error is of a file, and of nothing outside the library."""
    told = str(error.to_dict())
    return error.code is ErrorCode.SNAPSHOT_DAMAGED and file in told and str(home.root) not in told


def test_a_document_is_not_shown_from_a_spoilt_table_but_the_file_is_named(home: Home) -> None:
    file = spoil(home, "chunks")
    with pytest.raises(ExcerptaError) as caught:
        Library.open(home).snapshot().catalog.list_documents()
    assert names(caught.value, home, file) and "excerpta ingest" in caught.value.hint


def test_a_snapshot_with_a_spoilt_table_is_not_rolled_back_to(home: Home) -> None:
    build_library(home.root, [SmallDoc("tea.md", "# Tea\n\nBlack tea.")], shards=1)
    spoil(home, "chunks")
    with pytest.raises(ExcerptaError) as caught:
        rollback(home, 1)
    assert caught.value.details["missing"] == ["chunks/s00"]
    assert current_number(home) == 2


def test_a_spoilt_table_is_made_again_by_the_next_ingest(home: Home) -> None:
    manifest = load_manifest(home, 1)
    for table in ("chunks", "serving", "enriched"):
        spoil(home, table)
    assert len(missing_parts(home, manifest)) == 3
    build_library(home.root, [TEA], shards=1)
    assert missing_parts(home, manifest) == [] and current_number(home) == 1
    assert Library.open(home).snapshot().catalog.status_counts() == {"active": 1}


def test_what_cannot_be_read_is_not_published(home: Home) -> None:
    file = spoil(home, "links")
    with pytest.raises(ExcerptaError) as caught:
        publish(open_context(home.root))
    assert names(caught.value, home, file)


@pytest.mark.parametrize("table", ["documents", "inventory"])
def test_the_history_of_the_documents_is_never_made_from_nothing(home: Home, table: str) -> None:
    store = TableStore(home)
    store.write("inventory", ALL, INVENTORY.empty_table())
    shard = "s00" if table == "documents" else ALL
    head = store.head(table, shard)
    assert head is not None
    store.path(head.file).write_bytes(b"not a table")
    with pytest.raises(ExcerptaError) as caught:
        TableStore(home).read(table, shard, own=True)
    assert TableStore(home).recorded(table, shard) == head
    assert names(caught.value, home, head.file.path)
    assert "copy of the library" in caught.value.hint


def test_a_clean_up_that_cannot_read_what_is_needed_names_the_file(home: Home) -> None:
    file = spoil(home, "media")
    if load_manifest(home, 1).tables["media"]["s00"].rows == 0:
        file = spoil(home, "documents")
    with pytest.raises(ExcerptaError) as caught:
        collect(home, load_settings(home))
    assert names(caught.value, home, file)


def test_a_fault_on_a_version_that_had_rows_still_ends_the_run(home: Home) -> None:
    """Its rows are gone with the file, but not because the stage was told to leave it out."""
    row = {"doc_id": "d", "version_id": "v", "kind": "link", "text": "a", "target_uri": "u"}
    rows = pa.Table.from_pylist([row | {"weight": 1.0}], schema=LINKS)
    file = TableStore(home).write("links", "s00", rows, {"v": "x"}).file
    (home.root / file.path).write_bytes(b"not a table")

    def fails(_: Sequence[str]) -> pa.Table:
        raise RuntimeError("a fault of the stage")

    with pytest.raises(RuntimeError, match="a fault"):
        run_incremental(TableStore(home), "links", "s00", {"v": "x"}, fails, set_aside=lambda _: ())
    done = run_incremental(TableStore(home), "links", "s00", {"v": "x"}, lambda _: rows)
    assert (done.computed, done.rows) == (1, 1)
    assert TableStore(home).read("links", "s00").num_rows == 1


@pytest.mark.parametrize("table", ["documents", "parsed", "chunks", "enriched", "embeddings"])
def test_an_index_is_not_emptied_by_a_damaged_table_it_is_made_from(home: Home, table: str) -> None:
    file = spoil(home, table)
    with pytest.raises(ExcerptaError) as caught:
        run_indexes(open_context(home.root))
    assert names(caught.value, home, file)
    assert bm25_head(home).rows == 1
    assert [part.rows for part in vector_head(home).tables.values()] == [1]


@pytest.mark.parametrize(
    ("table", "stage"), [("captions", captioning), ("summaries", summaries), ("ocr", ocr)]
)
def test_a_damaged_table_of_a_stage_that_is_switched_off_does_not_stop_publication(
    home: Home, table: str, stage: ModuleType
) -> None:
    spoil(home, table)
    assert stage.run(open_context(home.root), "s00").rows == 0
    assert publish(open_context(home.root)).number == 1


def test_what_is_asked_of_a_stage_again_may_be_in_a_damaged_table(home: Home) -> None:
    spoil(home, "parsed")
    ctx = replace(open_context(home.root), retry_failed=True)
    assert ctx.to_retry("parsed", "s00") == set()


def test_another_stage_takes_no_damaged_table_for_an_empty_one(home: Home) -> None:
    file = spoil(home, "parsed")
    store = TableStore(home)
    for ask in (store.head, store.read, store.versions):
        with pytest.raises(ExcerptaError) as caught:
            ask("parsed", "s00")
        assert names(caught.value, home, file)


def test_every_stage_makes_its_own_damaged_table_again(tmp_path: Path) -> None:
    """In the order of an ingest, each before the next one reads it."""
    home = Home.resolve(str(tmp_path / "lib"))
    create_library(home, shards=1)
    (home.inbox / "tea.md").write_text("# Tea\n\nGreen tea, [see](tea.md).\n")

    def ingest() -> list[int]:
        ctx = open_context(home.root)
        take_inventory(ctx)
        results = [stage.run(ctx, "s00") for stage in STAGES]
        return [result.rows for result in results]

    rows = ingest()
    for table in TABLES:
        if table not in ("inventory", "documents", "serving"):
            for file in TableStore(home).heads(table).values():
                (home.root / file.path).write_bytes(b"not a table")
    assert ingest() == rows
