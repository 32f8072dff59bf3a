"""The first questions after a start, while the embedder loads."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from mcp_app.options import ServerOptions
from mcp_app.service import LibraryService
from rag_query.library.home import Home
from rag_query.providers.embedding.base import Embedder
from rag_query.retrieval.pipeline import Retriever
from rag_query.strategies.strategy import Strategy
from rag_query.tracing.reader import read_traces
from tests.hashed_words import HashedWordsEmbedder
from tests.library_builder import build_library
from tests.unit.mcp_app.conftest import DOCUMENTS, caller, data_of, error_of

WORDS = "steamed tea"
#: No word of it stands in the library.
MEANING = "infusion"


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Set it, and the embedder has been loaded."""
    event = threading.Event()

    def build(_: Retriever, __: Strategy) -> Embedder:
        event.wait(30)
        return HashedWordsEmbedder()

    monkeypatch.setattr(Retriever, "_build_embedder", build)
    yield event
    event.set()


@pytest.fixture
def service(
    tmp_path_factory: pytest.TempPathFactory, loaded: threading.Event
) -> Iterator[LibraryService]:
    home = build_library(tmp_path_factory.mktemp("cold") / "home", DOCUMENTS)
    made = LibraryService(home, patience_s=0.0, options=ServerOptions(research_tools=True))
    yield made
    made.close(1)


def soon(loaded: threading.Event) -> None:
    """Loaded once the question waits."""
    threading.Timer(0.3, loaded.set).start()


def test_an_answer_by_words_alone_says_so_first(service: LibraryService) -> None:
    data = data_of(caller(service)("library_query", query=WORDS))
    assert data["effective_mode"] == "sparse_only" and data["results"]
    first = data["markdown"].partition("\n")[0]
    assert first.startswith("> **By words alone.**")
    assert "still loading" in first and "Ask again in a moment" in first
    assert data["markdown"].count("still loading") == 1


@pytest.mark.parametrize("tool", ["library_query", "search"])
def test_what_words_do_not_find_is_looked_for_by_meaning_before_nothing_is_said(
    service: LibraryService, loaded: threading.Event, tool: str
) -> None:
    soon(loaded)
    result = caller(service)(tool, query=MEANING)
    assert result.structured_content is not None
    data = result.structured_content if tool == "search" else data_of(result)
    assert data["results"]
    assert "alone" not in result.content[0].text
    service.close(5)
    (trace,) = read_traces(service.home, "query")
    assert trace.status == "ok" and not trace.aggregates.errors


def test_the_tool_that_shows_no_warnings_gives_the_same_answer_cold_and_warm(
    service: LibraryService, loaded: threading.Event
) -> None:
    call = caller(service)
    soon(loaded)
    cold = call("search", query=WORDS)
    assert cold.content[0].text == call("search", query=WORDS).content[0].text


def test_a_conversation_is_not_begun_by_words_alone(
    service: LibraryService, loaded: threading.Event
) -> None:
    soon(loaded)
    data = data_of(caller(service)("library_ask", question="How is green tea steamed?"))
    assert "still loading" not in data["markdown"]


def test_an_embedder_that_does_not_come_leaves_time_for_an_answer(
    library: Home, loaded: threading.Event
) -> None:
    service = LibraryService(library, patience_s=0.0, options=ServerOptions(deadline_s=1.0))
    data = data_of(caller(service)("library_query", query=MEANING))
    assert data["markdown"].startswith("> **By words alone.**")
    assert "No evidence was found." in data["markdown"]
    service.close(1)


def test_a_cursor_of_an_answer_by_words_alone_is_no_place_in_another(
    library: Home, loaded: threading.Event
) -> None:
    service = LibraryService(library, patience_s=0.0, options=ServerOptions(answer_tokens=1_000))
    call = caller(service)
    cursor = data_of(call("library_query", query="steamed"))["next_cursor"]
    assert cursor
    loaded.set()
    service.asker()
    error = error_of(call("library_query", query="steamed", cursor=cursor))
    assert "from sparse_only to hybrid" in error["message"]
    service.close(1)
