"""Publishing, following, rolling back and collecting, on real indexes."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import tantivy

from rag_assets.indexes.heads import save_vector_head, vector_head
from rag_assets.publication import publish as publishing
from rag_assets.publication.gc import GRACE, collect
from rag_assets.publication.publish import publish
from rag_assets.publication.rollback import rollback
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.library.lance import connect
from rag_query.library.manifests import (
    current_number,
    load_manifest,
    missing_parts,
    pin,
    pins,
    snapshot_numbers,
    unpin,
)
from rag_query.library.settings import load_settings, update_settings
from rag_query.library.snapshot import Library, Snapshot
from rag_query.text.ids import sha256_text
from rag_query.tracing.context import Trace, start
from tests.hashed_words import HashedWordsEmbedder, small_strategy
from tests.library_builder import build_library, open_context, run_indexes, write_tables
from tests.small_documents import SmallDoc

DOCUMENTS = [
    SmallDoc(f"{n}.md", f"# Doc {n}\n\nUnique{n} tea.\n\nShared words here.") for n in range(6)
]
LATER = timedelta(days=30)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_library(tmp_path_factory.mktemp("publish") / "lib", DOCUMENTS).root


@pytest.fixture
def home(built: Path, tmp_path: Path) -> Home:
    return Home(shutil.copytree(built, tmp_path / "lib"))


def sets(snapshot: Snapshot) -> list[set[str]]:
    """The chunk ids of the three places."""
    searcher = snapshot.searcher
    assert searcher is not None
    terms = searcher.terms_with_prefix("chunk_id", "", tantivy.Query.all_query())
    vectors = snapshot.vectors.search().select(["chunk_id"]).to_arrow()["chunk_id"]
    served = snapshot.served
    ids = {term for term, _ in terms}
    assert len({chunk.chunk_id for chunk in served.get(sorted(ids))}) == len(ids)
    return [ids, set(vectors.to_pylist())]


def nearest(snapshot: Snapshot, text: str, where: str | None = None) -> list[str]:
    vector = HashedWordsEmbedder().embed_queries([text])[0]
    ids, _ = snapshot.search_dense(vector, 3, where)
    return [chunk.chunk_text for chunk in snapshot.chunks(ids)]


def code_of(caught: pytest.ExceptionInfo[ExcerptaError]) -> ErrorCode:
    return caught.value.code


def test_before_the_first_publication(tmp_path: Path) -> None:
    home = Home(tmp_path / "lib")
    with pytest.raises(ExcerptaError) as caught:
        Library.open(home)
    assert code_of(caught) == ErrorCode.LIBRARY_NOT_FOUND
    create_library(home)
    with pytest.raises(ExcerptaError) as caught:
        Library.open(home).snapshot()
    assert code_of(caught) == ErrorCode.NOT_PUBLISHED


def test_only_media_that_are_stored_are_counted(tmp_path: Path) -> None:
    badges = SmallDoc("badges.md", "# Badges\n\nOnly badges.", asset_ids=(None, None, "a" * 64))
    again = SmallDoc("again.md", "# Again\n\nThe same picture.", asset_ids=("a" * 64,))
    home = build_library(tmp_path / "lib", [badges, again])
    assert Library.open(home).snapshot().manifest.counts["media"] == 1


def test_what_is_published_can_be_searched(home: Home) -> None:
    snapshot = Library.open(home).snapshot()
    assert snapshot.number == 1
    assert snapshot.manifest.counts["documents"] == 6
    assert all(result["passed"] for result in snapshot.manifest.checks.values())
    first, second = sets(snapshot)
    assert first == second and len(first) == 12
    assert nearest(snapshot, "unique4 tea")[0] == "Unique4 tea."
    assert (
        nearest(snapshot, "unique4 tea", f"doc_id = '{DOCUMENTS[1].doc_id}'")[0] == "Unique1 tea."
    )
    part = snapshot.manifest.vector
    assert part is not None
    probe = HashedWordsEmbedder().embed_queries([part.probe_text])[0]
    assert np.allclose(probe, part.probe_vector)


def test_scores_are_cosine_similarities(home: Home) -> None:
    snapshot = Library.open(home).snapshot()
    vector = HashedWordsEmbedder().embed_queries(["unique4 tea"])[0]
    ids, scores = snapshot.search_dense(vector * 3, 12)
    texts = [chunk.chunk_text for chunk in snapshot.chunks(ids)]
    exact = HashedWordsEmbedder().embed_passages(texts) @ vector
    assert np.allclose(scores, exact, atol=1e-5)
    assert list(scores) == sorted(scores, reverse=True)
    with pytest.raises(ExcerptaError) as caught:
        snapshot.search_dense(vector[:10], 3)
    assert code_of(caught) == ErrorCode.EMBEDDER_MISMATCH
    with pytest.raises(ExcerptaError) as caught:
        snapshot.search_dense(vector, 3, "no_such_column = 1")
    assert code_of(caught) == ErrorCode.DENSE_FAILED


def test_nothing_new_publishes_nothing(home: Home) -> None:
    before = sorted(p for p in home.root.rglob("*") if "locks" not in p.parts)
    result = publish(open_context(home.root))
    assert (result.number, result.changed, result.checks) == (1, False, [])
    assert sorted(p for p in home.root.rglob("*") if "locks" not in p.parts) == before


def test_a_changed_strategy_is_published_though_no_document_changed(home: Home) -> None:
    strategy = small_strategy()
    fusion = strategy.stages.fusion.model_copy(update={"params": {"rrf_k": 7}})
    stages = strategy.stages.model_copy(update={"fusion": fusion})
    changed = strategy.model_copy(update={"stages": stages})
    result = publish(open_context(home.root, strategy=changed))
    assert (result.number, result.changed) == (2, True)
    stored = Library.open(home).snapshot().manifest
    assert (
        stored.strategy_config_id == changed.config_id != load_manifest(home, 1).strategy_config_id
    )
    assert stored.strategy["stages"]["fusion"]["params"] == {"rrf_k": 7}


def test_a_snapshot_whose_vectors_may_be_pruned_is_published_anew(home: Home) -> None:
    part = load_manifest(home, 1).vector
    assert part is not None
    connect(home.lance).open_table(part.table).tags.delete(part.tag)
    assert missing_parts(home, load_manifest(home, 1)) == ["vector"]
    result = publish(open_context(home.root))
    assert (result.number, result.changed) == (2, True)
    assert missing_parts(home, result.manifest) == []


def test_what_a_snapshot_names_is_on_disk_before_it_is_named(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_library(home.root, DOCUMENTS[:3], publish=False)
    before = load_manifest(home, 1)
    synced: list[Path] = []
    monkeypatch.setattr(publishing, "sync_file", synced.append)
    named: list[Path] = []

    def naming(path: Path, *_: object) -> None:
        named.extend(synced)

    monkeypatch.setattr(publishing, "write_json", naming)
    manifest = publish(open_context(home.root)).manifest
    known = {file.path for shards in before.tables.values() for file in shards.values()}
    files = {file.path for shards in manifest.tables.values() for file in shards.values()}
    assert {home.root / path for path in files - known} <= set(named)
    assert not {home.root / path for path in files & known} & set(named)
    assert manifest.vector is not None
    table = home.lance / f"{manifest.vector.table}.lance"
    since = before.created_at.timestamp()
    fresh = {p for p in table.rglob("*") if p.is_file() and p.stat().st_mtime >= since}
    assert fresh and fresh <= set(named)


def test_readers_follow_a_move_and_finish_on_the_old_one(home: Home) -> None:
    library = Library.open(home)
    old = library.snapshot()
    unused = library.at(1)  # its parts are opened only after the change
    build_library(home.root, [*DOCUMENTS[1:], SmallDoc("new.md", "Brand new coffee.")])
    new = library.snapshot()
    assert (old.number, new.number) == (1, 2)
    assert library.snapshot() is new
    for snapshot in (old, unused):
        assert nearest(snapshot, "unique0 tea")[0] == "Unique0 tea."
        assert sets(snapshot)[0] == sets(snapshot)[1] and len(sets(snapshot)[0]) == 12
    assert nearest(new, "brand new coffee")[0] == "Brand new coffee."


def test_nothing_of_a_removed_document_is_left(home: Home) -> None:
    gone = DOCUMENTS[0]
    build_library(home.root, DOCUMENTS[1:])
    snapshot = Library.open(home).snapshot()
    first, second = sets(snapshot)
    assert first == second and len(first) == 10
    assert snapshot.vectors.count_rows(f"doc_id = '{gone.doc_id}'") == 0
    for table, shards in snapshot.manifest.tables.items():
        for file in shards.values():
            if table == "serving":
                assert gone.doc_id.encode() not in (home.root / file.path).read_bytes()
    assert snapshot.catalog.get_document(gone.doc_id).status == "removed"


def test_both_versions_of_a_document_are_served(home: Home) -> None:
    old = DOCUMENTS[0]
    new = SmallDoc("0.md", old.text.replace("Unique0", "Changed"))
    build_library(home.root, [new, *DOCUMENTS[1:]])
    snapshot = Library.open(home).snapshot()
    shared = next(
        c.chunk_id
        for c in snapshot.catalog.document_chunks(old.doc_id, old.version_id)
        if c.chunk_text == "Shared words here."
    )
    assert snapshot.chunks([shared])[0].version_id == new.version_id
    assert snapshot.chunks([shared], old.version_id)[0].version_id == old.version_id
    assert not snapshot.chunks([shared], old.version_id)[0].is_latest
    assert snapshot.served.versions(shared) == [new.version_id, old.version_id]


def test_a_failed_check_leaves_current_untouched_and_heals(home: Home) -> None:
    build_library(home.root, DOCUMENTS[:4], publish=False)
    (name,) = (p.stem for p in home.lance.glob("*.lance"))
    table = connect(home.lance).open_table(name)
    table.delete("true")
    ctx = open_context(home.root)
    head = vector_head(home)
    entry = head.tables[name].model_copy(update={"version": table.version})
    save_vector_head(home, head.model_copy(update={"tables": {name: entry}}))
    with pytest.raises(ExcerptaError) as caught:
        publish(ctx)
    assert code_of(caught) == ErrorCode.PUBLISH_BLOCKED
    assert "chunk_ids_equal" in caught.value.details["checks"]
    assert (current_number(home), snapshot_numbers(home)) == (1, [1])
    assert nearest(Library.open(home).snapshot(), "unique5")[0] == "Unique5 tea."
    run_indexes(ctx)
    assert publish(ctx).number == 2


def test_rollback_and_forward_again(home: Home) -> None:
    build_library(home.root, DOCUMENTS[:3])
    library = Library.open(home)
    assert library.snapshot().manifest.counts["documents"] == 3
    assert rollback(home).number == 1
    assert library.snapshot().manifest.counts["documents"] == 6
    with pytest.raises(ExcerptaError) as caught:
        rollback(home)
    assert code_of(caught) == ErrorCode.SNAPSHOT_NOT_FOUND
    with pytest.raises(ExcerptaError) as caught:
        rollback(home, 17)
    assert code_of(caught) == ErrorCode.SNAPSHOT_NOT_FOUND
    assert rollback(home, 2).number == 2
    # After a rollback the next publication is a new snapshot, not a number used before.
    rollback(home, 1)
    assert publish(open_context(home.root)).number == 3
    assert library.snapshot().manifest.counts["documents"] == 3


def test_the_trace_of_a_run_names_the_snapshot_it_published(home: Home) -> None:
    with start(Trace("ingestion", "scfg")) as unchanged:
        publish(open_context(home.root))
    assert unchanged.finish().snapshot is None
    ctx = open_context(home.root)
    write_tables(ctx, DOCUMENTS[:3])
    run_indexes(ctx)
    with start(Trace("ingestion", "scfg")) as changed:
        publish(ctx)
    assert changed.finish().snapshot == 2


def test_rollback_refuses_an_incomplete_snapshot(home: Home) -> None:
    build_library(home.root, DOCUMENTS[:3])
    shutil.rmtree(home.root / load_manifest(home, 1).bm25.path)  # type: ignore[union-attr]
    with pytest.raises(ExcerptaError) as caught:
        rollback(home)
    assert code_of(caught) == ErrorCode.SNAPSHOT_DAMAGED
    assert caught.value.details["missing"] == ["bm25"]
    assert current_number(home) == 2


def test_a_changed_embedder_switches_when_it_is_complete(home: Home) -> None:
    other = open_context(home.root, strategy=small_strategy(version="2", dimensions=32))
    write_tables(other, DOCUMENTS)
    run_indexes(other)
    assert nearest(Library.open(home).snapshot(), "unique4 tea")[0] == "Unique4 tea."
    assert publish(other).number == 2
    snapshot = Library.open(home).snapshot()
    part = snapshot.manifest.vector
    assert part is not None and part.space.dimensions == 32 and len(part.probe_vector) == 32
    vector = HashedWordsEmbedder(32, "2").embed_queries(["unique4 tea"])[0]
    ids, _ = snapshot.search_dense(vector, 1)
    assert snapshot.chunks(ids)[0].chunk_text == "Unique4 tea."
    assert rollback(home).number == 1
    assert nearest(Library.open(home).snapshot(), "unique4 tea")[0] == "Unique4 tea."


@pytest.mark.parametrize("part", ["bm25", "lance", "serving"])
def test_a_damaged_part_fails_alone(home: Home, part: str) -> None:
    shutil.rmtree(home.root / "tables" / "serving" if part == "serving" else home.root / part)
    snapshot = Library.open(home).snapshot()
    vector = HashedWordsEmbedder().embed_queries(["unique4 tea"])[0]
    uses = {
        "bm25": lambda: snapshot.searcher,
        "lance": lambda: snapshot.search_dense(vector, 1),
        "serving": lambda: snapshot.chunks(["chk_" + "0" * 24]),
    }
    for name, use in uses.items():
        if name == part:
            with pytest.raises(ExcerptaError) as caught:
                use()
            assert code_of(caught) == ErrorCode.SNAPSHOT_DAMAGED
            assert caught.value.details["part"]
            assert str(home.root) not in str(caught.value.to_dict())
        else:
            use()
    assert snapshot.catalog.list_documents().total == 6


@pytest.mark.parametrize("part", ["bm25", "lance", "tables/serving"])
def test_a_lost_part_is_rebuilt_by_the_next_run(home: Home, part: str) -> None:
    shutil.rmtree(home.root / part)
    build_library(home.root, DOCUMENTS)
    snapshot = Library.open(home).snapshot()
    assert missing_parts(home, snapshot.manifest) == []
    first, second = sets(snapshot)
    assert first == second and len(first) == 12
    assert nearest(snapshot, "unique4 tea")[0] == "Unique4 tea."


def test_gc_keeps_all_that_is_needed(home: Home) -> None:
    update_settings(home, keep_snapshots=2, retention_hours=1)
    for left in (5, 4, 3):
        build_library(home.root, DOCUMENTS[:left])
    pin(home, "evaluation", 2)
    settings = load_settings(home)
    assert collect(home, settings).snapshots == []  # all younger than the retention time
    later = datetime.now(UTC) + LATER
    dry = collect(home, settings, dry_run=True, now=later)
    assert dry.snapshots == [1] and snapshot_numbers(home) == [1, 2, 3, 4]
    done = collect(home, settings, now=later)
    assert (done.snapshots, done.kept) == ([1], [2, 3, 4])
    assert done.files == dry.files and done.bytes > 0
    assert done.files["bm25"] > 0 and done.files["tables"] > 0
    library = Library.open(home)
    for number, documents in ((2, 5), (3, 4), (4, 3)):
        snapshot = library.at(number)
        assert missing_parts(home, snapshot.manifest) == []
        first, second = sets(snapshot)
        assert first == second and len(first) == 2 * documents
        assert snapshot.catalog.status_counts()["active"] == documents
    tags = connect(home.lance).open_table(library.snapshot().manifest.vector.table).tags  # type: ignore[union-attr]
    assert set(tags.list()) == {"snap-2", "snap-3", "snap-4"}
    assert pins(home) == {"evaluation": 2}
    unpin(home, "evaluation")
    assert collect(home, settings, now=later).snapshots == [2]
    # The factory goes on as if nothing had happened.
    build_library(home.root, DOCUMENTS)
    assert len(sets(library.snapshot())[0]) == 12


def test_gc_never_takes_a_snapshot_that_was_rolled_back_to(home: Home) -> None:
    update_settings(home, keep_snapshots=1, retention_hours=0)
    for left in (5, 4):
        build_library(home.root, DOCUMENTS[:left])
    rollback(home, 1)
    done = collect(home, load_settings(home), now=datetime.now(UTC) + LATER)
    assert (done.snapshots, done.kept) == ([2], [1, 3])
    assert len(sets(Library.open(home).snapshot())[0]) == 12


def test_gc_removes_a_former_embedders_table_and_lost_files(home: Home) -> None:
    update_settings(home, keep_snapshots=1, retention_hours=0)
    other = open_context(home.root, strategy=small_strategy(version="2"))
    write_tables(other, DOCUMENTS)
    run_indexes(other)
    publish(other)
    lost = [
        home.raw_file("a" * 64),
        home.media_file("b" * 64),
        home.tables / "chunks" / "s00" / ".tmp-x",
        home.root / ".tmp-x-CURRENT",
        home.evaluations / "evr_1" / ".tmp-x-cases.jsonl",
        home.tables / "chunks" / "s00" / "old.parquet",
    ]
    kept = [home.raw_file(sha256_text(DOCUMENTS[0].text))]
    for path in (*lost, *kept):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    assert len(collect(home, load_settings(home), dry_run=True).lance_tables) == 1
    assert len(list(home.lance.glob("*.lance"))) == 2
    # A file a run may be about to name is left alone.
    first = collect(home, load_settings(home))
    assert first.files.get("raw") is None
    assert len(first.lance_tables) == 1 and len(list(home.lance.glob("*.lance"))) == 1
    done = collect(home, load_settings(home), now=datetime.now(UTC) + 2 * GRACE)
    assert not any(path.exists() for path in lost)
    assert all(path.exists() for path in kept)
    assert (done.files["raw"], done.files["media"], done.files["temporary"]) == (1, 1, 3)
    run_indexes(other)
    assert not publish(other).changed


@pytest.mark.parametrize("name", ["", "../x", "a/b", "x" * 81, ".hidden"])
def test_pins_are_plain_names(home: Home, name: str) -> None:
    with pytest.raises(ExcerptaError) as caught:
        pin(home, name, 1)
    assert code_of(caught) == ErrorCode.INVALID_ARGUMENT


def test_a_broken_current_is_damage(home: Home) -> None:
    home.current.write_text("99")
    with pytest.raises(ExcerptaError) as caught:
        Library.open(home).snapshot()
    assert code_of(caught) == ErrorCode.SNAPSHOT_DAMAGED
    home.current.write_text("nonsense")
    with pytest.raises(ExcerptaError) as caught:
        Library.open(home).snapshot()
    assert code_of(caught) == ErrorCode.SNAPSHOT_DAMAGED
    assert rollback(home, 1).number == 1
    assert Library.open(home).snapshot().number == 1


def test_a_snapshot_of_another_version_of_the_program_is_not_guessed_at(home: Home) -> None:
    file = home.snapshot_file(1)
    written = json.loads(file.read_text())
    for change in ({"manifest_version": 99}, {"manifest_version": 99, "unheard_of": True}):
        file.write_text(json.dumps(written | change))
        with pytest.raises(ExcerptaError, match="version 99") as caught:
            Library.open(home).snapshot()
        assert code_of(caught) == ErrorCode.LIBRARY_INCOMPATIBLE
