"""All shards in one run, on the real stages: what the Dagster UI and a reader then see."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pymupdf
import pytest

from rag_assets.definitions import defs
from rag_assets.jobs import reindex
from rag_assets.partitions import SHARDS
from rag_assets.publication.verify import verify
from rag_assets.resources import LibraryResource
from rag_assets.retention import prune_runs
from rag_assets.run_status import RunFiles
from rag_assets.sections.base import Section
from rag_assets.sections.markdown_headings import MarkdownHeadings
from rag_query.contracts.trace import EventKind, SpanName
from rag_query.library.home import Home
from rag_query.library.settings import load_settings, update_settings
from rag_query.strategies.strategy import load_strategy
from rag_query.tracing.reader import find_trace
from tests.integration.graph.conftest import copy_library, make_library, write, write_some
from tests.integration.graph.runs import QUIET
from tests.integration.graph.runs import execute as run

KEYS = SHARDS.get_partition_keys()


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def _pdf(path: Path, *, pages: int) -> None:
    with pymupdf.open() as document:
        for number in range(1, pages + 1):
            document.new_page().insert_text((72, 72), f"Page {number} of the boiler's book.")
        document.save(path)


@pytest.fixture(scope="module")
def first_ingest(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = make_library(tmp_path_factory.mktemp("first"), shards=4)
    write_some(home)
    with dg.DagsterInstance.ephemeral() as instance:
        assert run(home, instance)[0].success
    return home


@pytest.fixture
def ingested(first_ingest: Home, tmp_path: Path) -> Home:
    """A copy of the library of the first ingest."""
    return copy_library(first_ingest, tmp_path)


def test_what_can_be_read_at_last_is_counted_as_what_it_is(
    home: Home, instance: dg.DagsterInstance
) -> None:
    def counts() -> dict[str, int]:
        result, status = run(home, instance)
        assert result.success
        return {
            name: status.counts[name] for name in ("added", "new_version", "unchanged", "failed")
        }

    def limit(pages: int) -> None:
        limits = load_settings(home).limits.model_copy(update={"max_pages": pages})
        update_settings(home, limits=limits.model_dump())

    _pdf(home.inbox / "new.pdf", pages=3)
    _pdf(home.inbox / "grown.pdf", pages=1)
    write(home, "tea.md", "# Tea\n\nGreen.\n")
    limit(2)
    assert counts() == {"added": 2, "new_version": 0, "unchanged": 0, "failed": 1}
    _pdf(home.inbox / "grown.pdf", pages=4)
    assert counts() == {"added": 0, "new_version": 0, "unchanged": 1, "failed": 2}
    assert counts() == {"added": 0, "new_version": 0, "unchanged": 1, "failed": 2}
    limit(500)
    assert counts() == {"added": 1, "new_version": 1, "unchanged": 1, "failed": 0}
    assert counts() == {"added": 0, "new_version": 0, "unchanged": 3, "failed": 0}


def test_a_whole_ingest(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    home = make_library(tmp_path, shards=len(KEYS))
    write_some(home)
    result, status = run(home, instance)
    assert result.success

    # every partition of every asset, in one run
    for asset in ("documents", "chunks", "vector_index", "bm25_index"):
        made = instance.get_materialized_partitions(dg.AssetKey(asset))
        assert made == set(KEYS)
    chunks = [
        event
        for event in result.asset_materializations_for_node("chunks")
        if event.metadata["dagster/row_count"].value
    ]
    assert {event.partition for event in chunks} <= set(KEYS)
    assert chunks
    profile_ids = chunks[0].metadata["profile_ids"].value
    assert profile_ids == {"chunker": load_strategy().profile_id("chunker")}

    # the failing document by name, as metadata and as a check that warns
    tables = [
        str(event.metadata["failed documents"].value)
        for event in result.asset_materializations_for_node("parsed")
        if "failed documents" in event.metadata
    ]
    assert len(tables) == 1
    assert "file://inbox/binary.md" in tables[0]
    checks = {check.check_name: check for check in result.get_asset_check_evaluations()}
    assert not checks["every_document_was_parsed"].passed
    assert checks["every_document_was_parsed"].severity is dg.AssetCheckSeverity.WARN
    assert checks["chunk_ids_equal"].passed
    assert all(
        check.passed for name, check in checks.items() if name != "every_document_was_parsed"
    )

    # the run's status, for the doors
    assert status.steps_done == status.steps_total == 13
    assert {key: status.counts[key] for key in ("added", "failed", "ignored")} == {
        "added": 4,  # the one that could not be parsed is failed, not added
        "failed": 1,
        "ignored": 1,
    }
    assert [document.source_uri for document in status.failed_documents] == [
        "file://inbox/binary.md"
    ]
    assert status.snapshot == 1
    assert status.counts["computed"] > 0

    # its trace: one envelope a step, joined by the run's id
    trace = find_trace(home, f"trc_{result.run_id.replace('-', '')}")
    assert trace is not None
    assert trace.links.job_id == result.run_id
    assert {span.name for span in trace.spans} == {
        SpanName.DEDUP,
        SpanName.LOADER,
        SpanName.ASSET_NORMALIZE,
        SpanName.TRANSFORM_PRE,
        SpanName.SECTIONER,
        SpanName.CHUNKER,
        SpanName.LINKER,
        SpanName.TRANSFORM_POST,
        SpanName.EMBEDDING,
        SpanName.UPSERT,
        SpanName.PUBLISH,
    }
    chunker = next(span for span in trace.spans if span.name is SpanName.CHUNKER)
    assert chunker.provider is not None
    assert chunker.provider.provider_id == "chunker.rcts_within_section"
    assert EventKind.DEDUP_DECISION in {event.kind for event in trace.events}


def test_nothing_changed_then_one_document(ingested: Home, instance: dg.DagsterInstance) -> None:
    home = ingested
    again, second = run(home, instance)
    assert again.success
    assert second.counts["computed"] == 0
    assert second.snapshot == 1
    stale = [
        event.partition
        for event in again.asset_materializations_for_node("chunks")
        if event.metadata["written"].value
    ]
    assert stale == []

    write(home, "tea.md", "# Tea\n\nBlack tea is fermented.\n")
    (home.inbox / "notes.txt").unlink()
    changed, third = run(home, instance)
    assert changed.success
    assert (third.counts["new_version"], third.counts["removed"]) == (1, 1)
    assert third.snapshot == 2


def test_a_run_counts_what_it_publishes_of_a_run_held_up_before(
    ingested: Home, instance: dg.DagsterInstance
) -> None:
    home = ingested
    write(home, "new.md", "# New\n\nWhite tea is withered.\n")
    (home.inbox / "notes.txt").unlink()
    home.gates.write_text("gates: [")
    held_up, _ = run(home, instance)
    assert not held_up.success
    home.gates.unlink()
    result, status = run(home, instance)
    told = {"added": 1, "new_version": 0, "renamed": 0, "unchanged": 3, "removed": 1}
    assert {name: status.counts[name] for name in told} == told
    (published,) = result.asset_materializations_for_node("published")
    assert published.metadata["since_snapshot"].value == 1
    assert {name: published.metadata[f"documents_{name}"].value for name in told} == told


def test_two_shards(ingested: Home, instance: dg.DagsterInstance) -> None:
    result, status = run(ingested, instance, job="reindex", shards=("s02", "s03"))
    assert result.success
    assert status.shards == ["s02", "s03"]
    events = result.asset_materializations_for_node("chunks")
    assert {event.partition for event in events} == {"s02", "s03"}
    assert (status.counts["added"], status.counts["unchanged"]) == (0, 4)
    result, status = run(ingested, instance, job="publish")
    assert result.success
    assert (status.snapshot, status.steps_total) == (1, 1)


def test_a_run_without_shards_says_what_it_lacks(home: Home, instance: dg.DagsterInstance) -> None:
    # As the webserver launches a job of which only the name was given.
    untagged = dg.define_asset_job(reindex.name, selection=reindex.selection)
    result = (
        dg.Definitions(assets=defs.assets, jobs=[untagged], resources=defs.resources)
        .resolve_job_def(untagged.name)
        .execute_in_process(
            instance=instance,
            resources={"library": LibraryResource(home=str(home.root))},
            run_config=QUIET,
            raise_on_error=False,
        )
    )
    error = RunFiles(home).read(result.run_id).error
    assert not result.success and error is not None
    assert error.code == "INVALID_ARGUMENT"
    names = load_settings(home).shard_names
    assert f"{names[0]} and {names[-1]} are all of them" in error.hint
    assert f"INVALID_ARGUMENT: {error.message}" in _read_first(result)


def test_a_library_that_cannot_be_opened_is_what_a_person_reads_first(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    def said(home: Home) -> str:
        result = defs.resolve_job_def("ingest").execute_in_process(
            instance=instance,
            resources={"library": LibraryResource(home=str(home.root))},
            run_config=QUIET,
            raise_on_error=False,
        )
        assert not result.success
        return _read_first(result)

    assert "LIBRARY_NOT_FOUND: There is no library in" in said(Home(tmp_path / "none"))
    assert f"has no shard {KEYS[-1]}" in said(make_library(tmp_path, shards=1))


def _read_first(result: dg.ExecuteInProcessResult) -> str:
    """The error of the run's last event, which stands at the head of its page."""
    (event,) = result.filter_events(lambda event: event.is_run_failure)
    error = event.job_failure_data.error
    assert error is not None
    return str(error.message)


def test_a_document_set_aside_again_is_counted_once(
    home: Home, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = MarkdownHeadings.sections

    def sections(self: MarkdownHeadings, md: str) -> list[Section]:
        if "cursed" in md:
            raise RecursionError("too deep")
        return cut(self, md)

    write(home, "a.md", "# A\n\nfine\n")
    write(home, "x.md", "# X\n\ncursed\n")

    def counted() -> dict[str, int]:
        status = run(home, instance)[1]
        return {name: status.counts[name] for name in ("added", "unchanged", "failed")}

    with monkeypatch.context() as patch:
        patch.setattr(MarkdownHeadings, "sections", sections)
        assert counted() == {"added": 1, "unchanged": 0, "failed": 1}
        assert counted() == {"added": 0, "unchanged": 1, "failed": 1}
    assert counted() == {"added": 1, "unchanged": 1, "failed": 0}


def test_a_stage_that_breaks_harms_nothing_published(
    ingested: Home, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = ingested
    write(home, "new.md", "# New\n\nSomething new.\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("rag_assets.indexes.bm25.run", full)
        result, status = run(home, instance)
    assert not result.success
    assert status.error is not None
    assert (status.error.code, status.error.step) == ("DISK_FULL", "bm25_index")
    assert home.current.read_text().strip() == "1"
    result, status = run(home, instance)
    assert result.success
    assert status.snapshot == 2


def test_a_blocked_publication_shows_the_failed_check(
    ingested: Home, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(ingested, "new.md", "# New\n\nSomething new.\n")

    def failing(*args: object) -> object:
        checks = verify(*args)  # type: ignore[arg-type]
        lost = [check for check in checks if check.name == "chunk_ids_equal"]
        object.__setattr__(lost[0], "passed", False)
        return checks

    monkeypatch.setattr("rag_assets.publication.publish.verify", failing)
    result, status = run(ingested, instance)
    assert not result.success
    assert status.error is not None
    assert status.error.code == "PUBLISH_BLOCKED"
    failed = [
        check.check_name for check in result.get_asset_check_evaluations() if not check.passed
    ]
    assert "chunk_ids_equal" in failed
    assert ingested.current.read_text().strip() == "1"


def test_old_runs_go_but_for_the_latest_of_each_partition(
    ingested: Home, instance: dg.DagsterInstance
) -> None:
    full, _ = run(ingested, instance, job="reindex")
    runs = [run(ingested, instance, job="reindex", shards=("s00", "s01"))[0] for _ in range(3)]
    pruned = prune_runs(ingested, instance, keep=1)
    assert set(pruned) == {runs[0].run_id, runs[1].run_id}
    names = set(load_settings(ingested).shard_names)
    assert instance.get_materialized_partitions(dg.AssetKey("chunks")) == names
    assert instance.get_run_by_id(full.run_id) is not None
    assert not (ingested.jobs / f"{runs[0].run_id}.json").exists()
    assert prune_runs(ingested, instance, keep=1) == []
