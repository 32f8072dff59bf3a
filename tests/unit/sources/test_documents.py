"""Versions of a document: which one is the latest, and what stays when its file changes."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_assets.context import StageContext
from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.ingestion import VersionPolicy
from rag_query.contracts.tables import PARSED
from tests.unit.sources.conftest import Sources


def states(sources: Sources, name: str) -> list[tuple[object, object, object]]:
    rows = sources.documents(name)
    return [(row["version_no"], row["status"], row["is_latest"]) for row in rows]


def test_versions_are_kept(sources: Sources) -> None:
    path = sources.write("a.md", "one")
    sources.take()
    (first,) = sources.documents("a.md")
    sources.write("a.md", "two")
    sources.take()
    assert states(sources, "a.md") == [(1, "superseded", False), (2, "active", True)]
    path.unlink()
    sources.take()
    assert states(sources, "a.md") == [(1, "removed", False), (2, "removed", True)]
    gone = sources.documents("a.md")[1]["removed_at"]
    sources.take()
    assert sources.documents("a.md")[1]["removed_at"] == gone
    sources.write("a.md", "two")
    sources.take()
    assert states(sources, "a.md") == [(1, "superseded", False), (2, "active", True)]
    rows = sources.documents("a.md")
    assert [row["removed_at"] for row in rows] == [None, None]
    assert {row["created_at"] for row in rows} == {first["created_at"]}


def parse_ebook(sources: Sources) -> str:
    """Take in ``ebook.md`` and write what the next stage makes of it; its shard."""
    sources.take()
    (row,) = sources.documents("ebook.md")
    assert (row["title"], row["language"]) == (None, None)
    shard = str(sources.inventory()["ebook.md"]["shard"])
    lists = {field.name: [] for field in PARSED if pa.types.is_list(field.type)}
    parsed = dict.fromkeys(PARSED.names, "") | {"pages": None} | lists
    parsed |= {"version_id": row["version_id"], "title": "Generating eBooks", "language": "en"}
    parsed = {name: parsed[name] for name in PARSED.names}
    sources.ctx.store.write("parsed", shard, pa.Table.from_pylist([parsed], schema=PARSED))
    return shard


def test_a_removed_document_keeps_its_title_until_it_returns(sources: Sources) -> None:
    path = sources.write("ebook.md", "# Generating eBooks")
    shard = parse_ebook(sources)
    path.unlink()
    sources.take()
    sources.ctx.store.write("parsed", shard, PARSED.empty_table())
    sources.take()
    (row,) = sources.documents("ebook.md")
    assert (row["title"], row["language"]) == ("Generating eBooks", "en")
    sources.write("ebook.md", "# Generating eBooks")
    sources.take()
    (row,) = sources.documents("ebook.md")
    assert (row["status"], row["title"], row["language"]) == ("active", None, None)


def test_the_title_of_a_removed_document_is_not_lost_with_a_damaged_file(sources: Sources) -> None:
    path = sources.write("ebook.md", "# Generating eBooks")
    shard = parse_ebook(sources)
    head = sources.ctx.store.head("parsed", shard)
    assert head is not None
    sources.ctx.store.path(head.file).write_bytes(b"not a table")
    sources.ctx = StageContext(sources.home, sources.ctx.settings, sources.ctx.strategy)
    sources.take()  # where nothing is removed, the stage that parses makes the file again
    path.unlink()
    with pytest.raises(ExcerptaError) as caught:
        sources.take()
    assert head.file.path in caught.value.message and "ebook.md" in caught.value.message
    named = f"tables/parsed/{shard}/head.json"
    assert named in caught.value.hint
    (sources.home.root / named).unlink()
    sources.take()
    (row,) = sources.documents("ebook.md")
    assert (row["status"], row["title"], row["language"]) == ("removed", None, None)


def test_a_version_that_returns_is_the_newest(sources: Sources) -> None:
    for text in ("one", "two", "one"):
        sources.write("a.md", text)
        sources.take()
    assert states(sources, "a.md") == [(2, "superseded", False), (3, "active", True)]


def test_a_document_that_never_could_be_read_leaves_nothing(sources: Sources) -> None:
    path = sources.write("a.md", "")
    sources.take()
    (row,) = sources.documents("a.md")
    assert (row["status"], row["version_id"], row["code"]) == ("failed", None, "EMPTY_FILE")
    path.unlink()
    sources.take()
    assert sources.documents("a.md") == []
    sources.write("a.md", "text")
    sources.take()
    assert states(sources, "a.md") == [(1, "active", True)]


def test_a_removed_document_whose_file_comes_back_unreadable(sources: Sources) -> None:
    path = sources.write("a.md", "one")
    sources.take()
    path.unlink()
    sources.take()
    sources.write("a.md", "")
    sources.take()
    assert {(row["status"], row["is_latest"]) for row in sources.documents("a.md")} == {
        ("failed", True),
        ("removed", False),
    }
    sources.write("a.md", "one")
    sources.take()
    assert states(sources, "a.md") == [(1, "active", True)]


def test_documents_are_made_although_the_run_before_was_killed(sources: Sources) -> None:
    from rag_assets.sources.inventory import take_inventory

    sources.write("a.md", "one")
    take_inventory(sources.ctx)  # and killed
    sources.take()
    assert states(sources, "a.md") == [(1, "active", True)]


def test_nothing_is_written_when_nothing_changed(sources: Sources) -> None:
    from rag_assets.sources import documents

    sources.write("a.md", "one")
    sources.take()
    sources.take()
    results = [documents.run(sources.ctx, shard) for shard in sources.ctx.settings.shard_names]
    assert not any(result.written for result in results)
    assert sum(result.unchanged for result in results) == 1
    assert sum(result.computed for result in results) == 0


_ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["a.md", "b.md"]),
        st.sampled_from(["one", "two", "three", "", None]),
        st.sampled_from(["skip", "new_version"]),
    ),
    max_size=6,
)


@given(actions=_ACTIONS)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_one_latest_version_at_most(
    sources: Sources, actions: list[tuple[str, str | None, VersionPolicy]]
) -> None:
    """After any history: at most one active version a document, and it is the one with the
    highest number; what a file holds is found under its name or as an alias."""
    for name, text, policy in actions:
        if text is None:
            (sources.home.inbox / name).unlink(missing_ok=True)
        else:
            sources.write(name, text)
        sources.take(policy=policy)
        rows = sources.documents("a.md") + sources.documents("b.md")
        ids = [row["version_id"] for row in rows if row["version_id"]]
        assert len(set(ids)) == len(ids)
        for doc in {row["doc_id"] for row in rows}:
            mine = [row for row in rows if row["doc_id"] == doc]
            active = [row for row in mine if row["status"] == "active"]
            assert len(active) <= 1
            assert sum(bool(row["is_latest"]) for row in mine) == 1
            if active:
                numbers = [int(str(row["version_no"])) for row in mine if row["version_no"]]
                assert active[0]["is_latest"]
                assert active[0]["version_no"] == max(numbers)
        known = {row["source_uri"] for row in rows if row["status"] == "active"}
        known |= {alias for row in rows if row["status"] == "active" for alias in row["aliases"]}  # type: ignore[attr-defined]
        for path in sources.home.inbox.iterdir():
            if path.stat().st_size:
                assert f"file://inbox/{path.name}" in known
