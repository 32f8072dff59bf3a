"""A sentence names the page and the boxes of its own words, not those its chunk begins on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from mcp_app.reading import Range
from mcp_app.summary import summary_of
from rag_assets.child_processes.pool import close_pools
from rag_query.contracts.answer import Span
from rag_query.generation.conversation.asker import Asker
from rag_query.library.home import Home
from rag_query.retrieval.open import open_retriever
from tests.fixtures.library import ingest, make_library
from tests.fixtures.pdfs import write_pdf
from tests.hashed_words import small_strategy

#: The second sentence begins on the first page and ends on the second.
FIRST = "The float gauge stands in the well.\nThe long cable of the harbour crane is"
SECOND = "oiled every winter by two divers.\nThe radar gauge is read at midnight."


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("paged")
    write_pdf(folder / "gauges.pdf", [FIRST, SECOND])
    context = make_library(tmp_path_factory.mktemp("home"), folder, strategy=small_strategy())
    ingest(context)
    yield context.home
    close_pools()


def words_in(path: Path, span: Span) -> str:
    """What is printed inside a span's boxes."""
    with pymupdf.open(path) as pdf:
        return " ".join(
            pdf[box.page - 1].get_textbox(pymupdf.Rect(box.x0, box.y0, box.x1, box.y1)).strip()
            for box in span.boxes
        )


@pytest.mark.parametrize(
    ("question", "pages", "printed"),
    [
        ("Where does the float gauge stand?", (1, 1), "float gauge stands"),
        ("When is the radar gauge read?", (2, 2), "read at midnight"),
        (
            "Is the long cable of the harbour crane oiled every winter?",
            (1, 2),
            "harbour crane is oiled",
        ),
    ],
)
def test_an_answer_names_the_page_its_words_stand_on(
    home: Home, question: str, pages: tuple[int, int], printed: str
) -> None:
    heard = []
    with open_retriever(home, sinks=()) as retriever:
        answer = Asker(retriever).ask(question, lock="gauges.pdf", on_released=heard.append)
        (row,) = retriever.library.snapshot().chunks(answer.generation_map[0].used_chunks)
        file = home.raw_file(_sha(home))
    assert (row.page_start, row.page_end) == (1, 2), "one chunk goes over both pages"
    span = answer.generation_map[0].spans[0]
    assert (span.page, span.page_end) == pages
    assert {box.page for box in span.boxes} == set(pages)
    assert printed in words_in(file, span)
    assert heard[0].spans[0] == span, "also while the answer is being written"


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("When is the radar gauge read?", "page 2 ·"),
        ("Is the long cable of the harbour crane oiled every winter?", "pages 1-2 ·"),
    ],
)
def test_the_source_below_an_answer_names_its_pages(home: Home, question: str, shown: str) -> None:
    with open_retriever(home, sinks=()) as retriever:
        answer = Asker(retriever).ask(question, lock="gauges.pdf")
    assert shown in answer.text.splitlines()[-1]


def test_a_summary_names_the_page_its_words_stand_on(home: Home) -> None:
    with open_retriever(home, sinks=()) as retriever:
        snapshot = retriever.library.snapshot()
        doc_id = snapshot.catalog.resolve_document("gauges.pdf")
        version = snapshot.catalog.get_document(doc_id).version_id
        assert version is not None
        _, fields = summary_of(snapshot, doc_id, version, "bullet", Range())
    pages = {sentence["text"].split()[1]: sentence["page"] for sentence in fields["sentences"]}
    assert pages == {"float": 1, "long": 1, "radar": 2}


def _sha(home: Home) -> str:
    (file,) = [path for path in (home.root / "raw").rglob("*") if path.is_file()]
    return file.name
