"""What an answer quotes is what the file says, whatever its format; and it is quick to refuse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag_assets.child_processes.pool import close_pools
from rag_query.contracts.answer import AnswerStatus
from rag_query.generation.conversation.asker import Asker
from rag_query.library.home import Home
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.pipeline import Retriever
from tests.fixtures.library import ingest, make_library
from tests.hashed_words import small_strategy

API = """# Zephyr API

## Constructor

The constructor of the Zephyr client is `__init__(self, *args, **kwargs)` and takes the key first.

The largest window of the Zephyr client is `2**20` bytes.

The Zephyr client returns a `List<String>` for every gust.

## Troubles

#### I get ETIMEDOUT errors

Check the settings of your firewall.
"""
LIMITS = """Zephyr limits

The mode of a gust pointer is char *name, and its size is 2**16 * 3 bytes.

Put the gust file under <HOME>/gusts/ and name it <gust>.conf there.
"""
HANDBOOK = f"""# Handbook of maintainers

{"This page is in English, and none of the others is. " * 12}

## 第一章 正确的起点

{"这本手册为新的维护者说明怎样制作软件包，并且给出许多例子和解释。" * 40}
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("quoted")
    for name, text in (("api.md", API), ("limits.txt", LIMITS), ("handbook.md", HANDBOOK)):
        (folder / name).write_text(text, "utf-8")
    context = make_library(tmp_path_factory.mktemp("home"), folder, strategy=small_strategy())
    ingest(context)
    yield context.home
    close_pools()


@pytest.mark.parametrize(
    ("document", "question", "said"),
    [
        (
            "api.md",
            "What is the constructor of the Zephyr client?",
            "The constructor of the Zephyr client is __init__(self, *args, **kwargs) and takes the "
            "key first.",
        ),
        (
            "api.md",
            "How many bytes is the largest window of the Zephyr client?",
            "The largest window of the Zephyr client is 2**20 bytes.",
        ),
        (
            "api.md",
            "What does the Zephyr client return for every gust?",
            "The Zephyr client returns a List<String> for every gust.",
        ),
        (
            "limits.txt",
            "What is the mode of a gust pointer?",
            "The mode of a gust pointer is char *name, and its size is 2**16 * 3 bytes.",
        ),
        (
            "limits.txt",
            "Where do I put the gust file?",
            "Put the gust file under <HOME>/gusts/ and name it <gust>.conf there.",
        ),
        (
            "api.md",
            "I get ETIMEDOUT errors with Zephyr, what should I do?",
            "Check the settings of your firewall.",
        ),
    ],
)
def test_the_words_of_the_file_are_the_words_of_the_answer(
    home: Home, document: str, question: str, said: str
) -> None:
    with open_retriever(home, sinks=()) as retriever:
        answer = Asker(retriever).ask(question, lock=document)
    assert answer.status is AnswerStatus.ANSWERED, answer.text
    assert answer.generation_map[0].text == said


def test_a_document_in_the_questions_language_is_read_by_words_though_its_first_page_is_not(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Retriever, "embed", None)
    with open_retriever(home, sinks=()) as retriever:
        answer = Asker(retriever).ask("这本手册的股票代码是什么？", lock="handbook.md")
    assert answer.status is AnswerStatus.INSUFFICIENT
    assert not answer.warnings
