"""Lists and details of documents, the failed and removed ones too."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.catalog import Catalog
from rag_query.library.catalog_lists import DocumentFilter
from rag_query.library.snapshot import Library
from rag_query.library.tables import TableStore
from rag_query.text.ids import sha256_text
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

TEA = SmallDoc("drinks/tea.md", "# Tea\n\nGreen.\n\n## Black\n\nBlack tea.", tags=("hot",), days=1)
COFFEE = SmallDoc("drinks/coffee.md", "# Coffee\n\nRoasted.", collection="bar", days=2)
ZH = SmallDoc("zh.md", "# 茶\n\n绿茶。", language="zh", front_matter_tags=("hot",), days=3)
RECORD = SmallDoc("corpus.jsonl", "A record.", title="Record", external_id="r-17", days=4)
BROKEN = SmallDoc("broken.pdf", "", fails="PDF_CORRUPT", days=5)
GONE = SmallDoc("gone.md", "# Gone\n\nSoon.", days=6)
SECOND = SmallDoc("drinks/tea.md", "# Tea\n\nGreen.\n\nWhite.", tags=("hot",), days=1)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    path = tmp_path_factory.mktemp("catalog") / "lib"
    build_library(path, [TEA, COFFEE, ZH, RECORD, BROKEN, GONE])
    home = build_library(path, [SECOND, COFFEE, ZH, RECORD, BROKEN])
    return Library.open(home).snapshot().catalog


def titles(catalog: Catalog, **filters: str | list[str]) -> list[str]:
    return [item.title for item in catalog.list_documents(DocumentFilter(**filters)).items]


def test_all_documents_are_listed_with_their_status(catalog: Catalog) -> None:
    page = catalog.list_documents()
    statuses = {item.title: item.status for item in page.items}
    assert statuses == {
        "Coffee": "active",
        "Record": "active",
        "Tea": "active",
        "broken.pdf": "failed",
        "茶": "active",
    }
    assert (page.total, page.next_cursor) == (5, None)
    assert titles(catalog, status="removed") == ["gone.md"]
    assert catalog.status_counts() == {"active": 4, "failed": 1, "removed": 1}
    assert catalog.collections() == {"bar": 1, "inbox": 3}


def test_filters(catalog: Catalog) -> None:
    assert titles(catalog, collection="bar") == ["Coffee"]
    assert titles(catalog, tag="hot") == ["Tea", "茶"]
    assert titles(catalog, language="zh") == titles(catalog, language="zh", tag=[""]) == ["茶"]
    assert titles(catalog, source=["file://inbox/drinks/", "file://inbox/zh"]) == ["Tea", "茶"]
    assert titles(catalog, text="TEA") == ["Tea"]
    assert titles(catalog, text="r-17") == ["Record"]
    assert titles(catalog, text="100%") == []
    assert titles(catalog, collection="bar", tag="hot") == []
    (failed,) = catalog.list_documents(DocumentFilter(status="failed")).items
    assert (failed.code, failed.chunks) == ("PDF_CORRUPT", 0)
    assert failed.message


def test_values_that_no_document_has(catalog: Catalog) -> None:
    only = DocumentFilter(collection=["Bar", "inbox"], tag="", language="de", text="nothing")
    assert catalog.unknown_values(only) == [
        "No document has the collection 'Bar'; did you mean 'bar'?",
        "No document has the language 'de'; there are: 'en'; 'zh'.",
    ]
    many = [f"tag-{number}" for number in range(3_000)]
    assert 0 < len(catalog.unknown_values(DocumentFilter(tag=many))) < 20
    (said,) = catalog.unknown_values(DocumentFilter(status="failed", tag="hot"))
    assert said == "No failed document has the tag 'hot'; there are: none."


def test_pages_follow_each_other(catalog: Catalog) -> None:
    seen: list[str] = []
    cursor = None
    while True:
        page = catalog.list_documents(limit=4, cursor=cursor, order="-created_at")
        seen += [item.title for item in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == ["broken.pdf", "Record", "茶", "Coffee", "Tea"]


@pytest.mark.parametrize(
    "bad", [{"order": "chunks"}, {"limit": 0}, {"limit": 9999}, {"cursor": "x"}, {"cursor": "o-1"}]
)
def test_bad_arguments_are_refused(catalog: Catalog, bad: dict[str, object]) -> None:
    with pytest.raises(ExcerptaError) as caught:
        catalog.list_documents(**bad)  # type: ignore[arg-type]
    assert caught.value.code == ErrorCode.INVALID_ARGUMENT


def test_details_of_the_newest_and_of_an_older_version(catalog: Catalog) -> None:
    newest = catalog.get_document(TEA.doc_id)
    assert (newest.version_id, newest.version_no, newest.chunks) == (SECOND.version_id, 2, 2)
    assert [v.version_id for v in newest.all_versions] == [TEA.version_id, SECOND.version_id]
    older = catalog.get_document(TEA.doc_id, TEA.version_id)
    assert (older.version_no, older.chunks, older.sections) == (1, 2, 2)
    assert catalog.document_markdown(TEA.doc_id) == SECOND.text
    assert catalog.document_markdown(TEA.doc_id, TEA.version_id) == TEA.text


def test_sections_and_chunks_in_order(catalog: Catalog) -> None:
    sections = catalog.document_sections(TEA.doc_id, TEA.version_id)
    assert [s.section_path for s in sections] == ["Tea", "Tea / Black"]
    chunks = catalog.document_chunks(TEA.doc_id, TEA.version_id)
    assert [c.chunk_text for c in chunks] == ["Green.", "Black tea."]
    assert all(TEA.text[c.char_start : c.char_end] == c.chunk_text for c in chunks)
    assert catalog.document_chunks(TEA.doc_id, TEA.version_id, offset=1, limit=5) == chunks[1:]


@pytest.mark.parametrize(
    ("text", "document"),
    [
        (TEA.doc_id, TEA),
        (TEA.doc_id[:14], TEA),
        (TEA.source_uri, TEA),
        ("drinks/tea.md", TEA),
        ("tea.md", TEA),
        ("r-17", RECORD),
        ("coffee", COFFEE),
        ("茶", ZH),
        # A part of a name, title or URI that only one has.
        ("offe", COFFEE),
        ("DRINKS/TEA", TEA),
        ("roken.p", BROKEN),
        ("ecor", RECORD),
    ],
)
def test_a_document_is_named_in_many_ways(catalog: Catalog, text: str, document: SmallDoc) -> None:
    assert catalog.resolve_document(text) == document.doc_id


def test_a_copy_is_named_like_the_document_it_is_an_alias_of(tmp_path: Path) -> None:
    copies = (
        "file://inbox/old/brew.md",
        "file://inbox/copy%20of%20it.md",
        "file://bar/coffee.md",
        # Named in an encoding of its own.
        "file://bar/%B2%E8.md",
    )
    tea = replace(TEA, aliases=copies)
    catalog = Library.open(build_library(tmp_path, [tea, COFFEE])).snapshot().catalog
    for name in ("brew.md", "old/brew.md", "copy of it.md", "inbox/copy of it.md", *copies[::3]):
        assert catalog.resolve_document(name, part=False) == TEA.doc_id
    assert catalog.resolve_document("BREW") == TEA.doc_id
    with pytest.raises(ExcerptaError, match="fits 2 documents"):
        catalog.resolve_document("coffee.md")
    names = catalog.references()
    assert names["brew.md"] == names["copy of it.md"] == names[copies[1]] == [TEA.doc_id]
    assert sorted(names["coffee.md"]) == sorted([TEA.doc_id, COFFEE.doc_id])


def test_unclear_names_are_refused(catalog: Catalog) -> None:
    for unknown in ("nothing like it", "", "doc_"):
        with pytest.raises(ExcerptaError) as caught:
            catalog.resolve_document(unknown)
        assert caught.value.code == ErrorCode.DOCUMENT_NOT_FOUND


def test_a_part_is_not_enough_where_a_guess_would_do_harm(catalog: Catalog) -> None:
    with pytest.raises(ExcerptaError, match="DOCUMENT_NOT_FOUND"):
        catalog.resolve_document("offe", part=False)
    assert catalog.resolve_document("coffee.md", part=False) == COFFEE.doc_id


def test_a_part_that_several_have_names_them(catalog: Catalog) -> None:
    with pytest.raises(ExcerptaError, match=r"fits 2 documents: .*Coffee.*") as caught:
        catalog.resolve_document("drinks")
    assert caught.value.code == ErrorCode.INVALID_ARGUMENT
    assert "doc_id" in caught.value.hint


def test_whole_words_of_a_name_are_surer_than_parts_of_words(tmp_path: Path) -> None:
    lease = SmallDoc("north_quay-lease.md", "# North Quay\n\nThree years.")
    notes = SmallDoc("larkspur.md", "# Larkspur Release Notes\n\nFaster.")
    catalog = Library.open(build_library(tmp_path / "lib", [lease, notes])).snapshot().catalog
    assert catalog.resolve_document("Lease") == lease.doc_id
    assert catalog.resolve_document("releas") == notes.doc_id


def test_of_many_documents_of_one_name_the_rest_are_counted(tmp_path: Path) -> None:
    readmes = [SmallDoc(f"{name}/README.md", f"# {name}") for name in "abcdefgh"]
    catalog = Library.open(build_library(tmp_path / "lib", readmes)).snapshot().catalog
    with pytest.raises(ExcerptaError, match=r"fits 8 documents: (doc_.*?; ){5}and 3 more\."):
        catalog.resolve_document("README.md")


def test_a_corpus_is_no_document_and_its_records_are_named(tmp_path: Path) -> None:
    records = [
        SmallDoc("faq.jsonl", f"Answer {n}.", title=f"Q{n}", external_id=f"q-{n}") for n in (1, 2)
    ]
    catalog = Library.open(build_library(tmp_path / "lib", records)).snapshot().catalog
    with pytest.raises(ExcerptaError, match=r"one document a line; name one: doc_.*; doc_"):
        catalog.resolve_document("faq.jsonl")


def test_why_a_document_has_no_text_is_said(catalog: Catalog) -> None:
    with pytest.raises(ExcerptaError, match=r"'broken\.pdf' has no text: .*PDF_CORRUPT") as caught:
        catalog.document_markdown(BROKEN.doc_id)
    assert caught.value.code == ErrorCode.DOCUMENT_NOT_FOUND


@pytest.mark.parametrize("kept", [True, False])
def test_a_removed_document_is_found_by_the_title_it_had(tmp_path: Path, kept: bool) -> None:
    """Snapshots of earlier versions have its file name alone."""
    build_library(tmp_path / "lib", [TEA, GONE])
    home = build_library(tmp_path / "lib", [TEA])
    snapshot = Library.open(home).snapshot()
    for file in snapshot.manifest.tables["documents"].values():
        documents = pq.read_table(home.root / file.path).drop_columns(["title", "language"])
        if kept:
            told = [pa.array([text] * documents.num_rows) for text in ("Gone by", "en")]
            documents = documents.append_column("title", told[0]).append_column("language", told[1])
        pq.write_table(documents, home.root / file.path)
    (gone,) = snapshot.catalog.list_documents(DocumentFilter(status="removed")).items
    assert (gone.title, gone.language) == (("Gone by", "en") if kept else ("gone.md", None))
    assert titles(snapshot.catalog) == ["Tea"]


def test_shards_of_earlier_versions_are_listed_beside_newer_ones(tmp_path: Path) -> None:
    home = build_library(tmp_path / "lib", [TEA, COFFEE, ZH, RECORD], shards=4)
    snapshot = Library.open(home).snapshot()
    files = [file for file in snapshot.manifest.tables["documents"].values() if file.rows]
    assert len(files) > 1
    old = home.root / files[-1].path
    pq.write_table(pq.read_table(old).drop_columns(["title", "language"]), old)
    assert len(snapshot.catalog.list_documents().items) == 4


def test_removed_documents_are_told_apart_by_whether_they_can_come_back(tmp_path: Path) -> None:
    home = build_library(tmp_path / "lib", [TEA, GONE])
    home = build_library(tmp_path / "lib", [TEA])
    catalog = Library.open(home).snapshot().catalog
    raw = home.raw_file(sha256_text(GONE.text))
    assert catalog.removed_kept() == [raw.exists()]
    raw.parent.mkdir(parents=True, exist_ok=True)
    raw.write_text(GONE.text)
    assert catalog.removed_kept() == [True]
    raw.unlink()
    assert catalog.removed_kept() == [False]


def test_two_documents_of_one_title_must_be_told_apart(tmp_path: Path) -> None:
    home = build_library(
        tmp_path / "lib", [SmallDoc("a.md", "# T\n\nA."), SmallDoc("b.md", "# T\n\nB.")]
    )
    with pytest.raises(ExcerptaError) as caught:
        Library.open(home).snapshot().catalog.resolve_document("t")
    assert caught.value.code == ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize("version", [None, "ver_unknown"])
def test_unknown_documents_are_not_found(catalog: Catalog, version: str | None) -> None:
    doc = "doc_unknown" if version is None else TEA.doc_id
    for ask in (catalog.get_document, catalog.document_markdown, catalog.document_chunks):
        with pytest.raises(ExcerptaError) as caught:
            ask(doc, version)
        assert caught.value.code == ErrorCode.DOCUMENT_NOT_FOUND
        if version:
            assert caught.value.message == f"The document has no version {version!r}."
            assert str(TEA.version_id) in caught.value.hint


def test_threads_may_share_it(catalog: Catalog) -> None:
    with ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(lambda _: catalog.list_documents(), range(12)))
    assert all(page == pages[0] for page in pages)


def test_an_empty_library_lists_nothing(tmp_path: Path) -> None:
    catalog = Library.open(build_library(tmp_path / "lib", [])).snapshot().catalog
    assert catalog.list_documents().total == 0
    assert catalog.status_counts() == {}


def test_a_missing_table_is_damage(tmp_path: Path) -> None:
    home = build_library(tmp_path / "lib", [TEA])
    snapshot = Library.open(home).snapshot()
    for file in snapshot.manifest.tables["documents"].values():
        (home.root / file.path).unlink()
    with pytest.raises(ExcerptaError) as caught:
        snapshot.catalog.list_documents()
    assert caught.value.code == ErrorCode.SNAPSHOT_DAMAGED


def test_what_is_no_text_is_a_wrong_argument_and_no_damage(catalog: Catalog) -> None:
    with pytest.raises(ExcerptaError) as caught:
        catalog.list_documents(DocumentFilter(text="\ud800"))
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    caught.value.message.encode()


@pytest.mark.parametrize("seed", range(8))
def test_damaged_pages_of_a_table_are_told_of_the_snapshot(tmp_path: Path, seed: int) -> None:
    home = build_library(tmp_path / "lib", [TEA], shards=1)
    path = home.root / TableStore(home).heads("documents")["s00"].path
    data = path.read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    pages = Random(seed).randbytes(footer - 4)
    path.write_bytes(data[:4] + pages + data[footer:])
    with pytest.raises(ExcerptaError) as caught:
        Library.open(home).snapshot().catalog.list_documents()
    assert caught.value.code is ErrorCode.SNAPSHOT_DAMAGED
    assert caught.value.message == "The table data of snapshot 1 is missing or damaged."


def test_a_damaged_footer_of_a_table_names_the_file(tmp_path: Path) -> None:
    home = build_library(tmp_path / "lib", [TEA], shards=1)
    file = TableStore(home).heads("documents")["s00"].path
    data = (home.root / file).read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    (home.root / file).write_bytes(data[:footer] + bytes(len(data) - 8 - footer) + data[-8:])
    with pytest.raises(ExcerptaError) as caught:
        Library.open(home).snapshot().catalog.list_documents()
    assert caught.value.details == {"file": file}


def test_a_wrong_question_is_no_damage(catalog: Catalog) -> None:
    with pytest.raises(duckdb.BinderException):
        catalog.rows("select nothing from catalog", {})


def test_too_many_open_files_are_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = build_library(tmp_path, [TEA])
    found = Library.open(home).snapshot().catalog

    def refuse(*_: object) -> None:
        raise duckdb.IOException('Cannot open file "x.parquet": Too many open files')

    monkeypatch.setattr("rag_query.library.catalog_tables.CatalogTables._create", refuse)
    with pytest.raises(duckdb.IOException):
        found.list_documents()


def test_want_of_memory_damages_no_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = Library.open(build_library(tmp_path, [TEA])).snapshot()

    def exhausted(*_: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 64 failed")

    monkeypatch.setattr("rag_query.library.snapshot.ServedChunks", exhausted)
    with pytest.raises(ExcerptaError) as caught:
        snapshot.chunks(["chk_1"])
    assert caught.value.code == "PARSER_MEMORY" and not snapshot.damaged
