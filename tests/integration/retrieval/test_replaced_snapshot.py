"""A question under way when its snapshot is removed is answered from the one that replaced it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rag_assets.publication.gc import GRACE, collect
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.generation.conversation.asker import Asker
from rag_query.library.settings import update_settings
from rag_query.library.snapshot import Library, Snapshot
from rag_query.retrieval.pipeline import Retriever
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

TEA = SmallDoc("tea.md", "# Tea\n\nGreen tea is steamed.")
COFFEE = SmallDoc("coffee.md", "# Coffee\n\nCoffee is roasted.")


@pytest.fixture
def replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Library, Callable[[], None]]:
    """A library that is about to be read at its first snapshot, and what then removes that."""
    home = build_library(tmp_path, [TEA, COFFEE], shards=1)
    library = Library.open(home)
    first = [library.snapshot()]
    build_library(tmp_path, [TEA], shards=1)
    newest = library.snapshot
    monkeypatch.setattr(library, "snapshot", lambda: first.pop() if first else newest())
    first[0].chunks([])
    settings = update_settings(home, keep_snapshots=1, retention_hours=0)

    def remove() -> None:
        assert collect(home, settings, now=datetime.now(UTC) + 2 * GRACE).snapshots == [1]

    return library, remove


@pytest.mark.parametrize("mode", ["exact", "hybrid"])
def test_a_query_begins_anew(replaced: tuple[Library, Callable[[], None]], mode: str) -> None:
    library, remove = replaced
    remove()
    with Retriever(library) as retriever:
        pack = retriever.run({"version": "0.1", "queries": [{"text": "green tea", "mode": mode}]})
    assert pack.explain.snapshot == 2
    assert [e.source_uri for e in pack.evidences] == [TEA.source_uri]
    assert not pack.explain.sparse_failed and not pack.explain.dense_failed


def test_a_question_begins_anew_and_is_one_turn(
    replaced: tuple[Library, Callable[[], None]],
) -> None:
    library, remove = replaced
    remove()
    with Retriever(library) as retriever:
        asker = Asker(retriever)
        answer = asker.ask("How is green tea made?")
        assert (answer.snapshot, answer.turn) == (2, 1)
        assert len(asker.log.read(answer.session_id).turns) == 1


def test_nothing_begins_anew_when_a_part_of_what_is_published_is_gone(tmp_path: Path) -> None:
    library = Library.open(build_library(tmp_path, [TEA], shards=1))
    calls: list[int] = []

    def work(snapshot: Snapshot) -> None:
        calls.append(snapshot.number)
        raise ExcerptaError(ErrorCode.SNAPSHOT_DAMAGED, "gone")

    with pytest.raises(ExcerptaError, match="gone"):
        library.read(work)
    assert calls == [1]


def test_what_was_shown_already_is_not_begun_anew(
    replaced: tuple[Library, Callable[[], None]],
) -> None:
    library, remove = replaced
    calls: list[int] = []

    def work(snapshot: Snapshot) -> object:
        calls.append(snapshot.number)
        remove()
        return snapshot.searcher

    with pytest.raises(ExcerptaError) as caught:
        library.read(work, repeatable=lambda: False)
    assert caught.value.code is ErrorCode.SNAPSHOT_DAMAGED and calls == [1]
