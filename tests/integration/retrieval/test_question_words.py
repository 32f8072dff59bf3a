"""The words leg looks for what a question is about, not for the words it asks with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag_query.retrieval.ask import plan_for_question
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.pipeline import Retriever
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

ASKED = SmallDoc(
    "faq.md", "# 常见问题\n\n为什么要校准？什么时候校准？为什么会离职？", language="zh"
)
NAMED = SmallDoc(
    "minutes.md",
    "# 会议纪要\n\n参会人员有沈知远、陆青禾和宋词，会议讨论了样机的续航和抗风等级。",
    language="zh",
)
PLAIN = [
    SmallDoc(f"{n}.md", f"# 记录{n}\n\n今天水位正常，设备正常，编号{n}。", language="zh")
    for n in range(8)
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    home = build_library(tmp_path_factory.mktemp("asking"), (ASKED, NAMED, *PLAIN))
    with open_retriever(home) as opened:
        yield opened


def found(library: Retriever, question: str) -> list[str]:
    """Source URIs of the documents with the words of a question, best first."""
    pack = library.run(plan_for_question(question, "exact"))
    return [evidence.source_uri for evidence in pack.evidences]


def test_the_document_that_names_what_is_asked_about_goes_first(library: Retriever) -> None:
    assert found(library, "陆青禾为什么是什么？") == [NAMED.source_uri]


def test_words_that_ask_are_looked_for_where_there_are_no_others(library: Retriever) -> None:
    assert found(library, "为什么") == [ASKED.source_uri]


def test_a_quoted_phrase_keeps_the_words_that_ask(library: Retriever) -> None:
    assert found(library, '"为什么会离职" 样机')[0] == ASKED.source_uri
