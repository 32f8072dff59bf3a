"""A question about what stands nowhere in a library is not answered with what stands nearest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag_query.contracts.answer import AnswerStatus
from rag_query.generation.conversation.asker import Asker
from rag_query.retrieval.open import open_retriever
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

OFFICES = SmallDoc(
    "offices.md",
    "# Offices\n\n## Berlin\n\nThe Berlin office is at 14 Linden Street. Its manager is Eva Vogel."
    "\n\n## Oslo\n\nThe Oslo office is at 5 Harbour Street. Its manager is Jonas Lie.\n",
)
OFFICES_ZH = SmallDoc(
    "办事处.md",
    "# 办事处\n\n## 柏林\n\n柏林办公室位于菩提街14号，有四十名员工。\n\n"
    "## 奥斯陆\n\n奥斯陆办公室位于大街5号，有十二名员工。\n",
    language="zh",
)
LAPTOPS = SmallDoc(
    "laptops.md",
    "# Laptops\n\n## Equipment\n\nLaptops run Linux. Every employee gets a laptop. "
    "The laptop is replaced every 3 years.\n\n"
    "## Support\n\nThe IT support has extension 4410.\n",
)
PORK = SmallDoc("pork.md", "# Braised pork\n\n## Steps\n\n1. Cut the pork.\n2. Braise it.\n")


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    home = build_library(tmp_path_factory.mktemp("names"), (OFFICES, OFFICES_ZH, LAPTOPS, PORK))
    with open_retriever(home, sinks=()) as retriever:
        yield Asker(retriever)


@pytest.mark.parametrize(
    ("question", "document", "told"),
    [
        ("Where is the Oslo office?", OFFICES, "The Oslo office is at 5 Harbour Street."),
        ("Where is the OSLO-office?", OFFICES, "The Oslo office is at 5 Harbour Street."),
        ("奥斯陆办公室在哪里？", OFFICES_ZH, "奥斯陆办公室位于大街5号，有十二名员工。"),
        ("奧斯陸辦公室在哪裡？", OFFICES_ZH, "奥斯陆办公室位于大街5号，有十二名员工。"),
    ],
)
def test_what_is_there_is_answered_however_it_is_written(
    question: str, document: SmallDoc, told: str, asker: Asker
) -> None:
    answer = asker.ask(question, lock=document.doc_id)
    assert answer.status is AnswerStatus.ANSWERED and answer.generation_map[0].text == told


@pytest.mark.parametrize(
    ("question", "document", "name"),
    [
        ("Where is the Madrid office?", OFFICES, "Madrid"),
        ("马德里办公室在哪里？", OFFICES_ZH, "马德里"),
        ("What are the steps of Madrid stew?", PORK, "Madrid"),
    ],
)
def test_what_is_nowhere_is_said_to_be_missing(
    question: str, document: SmallDoc, name: str, asker: Asker
) -> None:
    answer = asker.ask(question, lock=document.doc_id)
    assert answer.status is AnswerStatus.INSUFFICIENT and answer.insufficient is not None
    assert name in [each.what for each in answer.insufficient.missing]


def test_neither_is_what_the_next_question_asks_of_it(asker: Asker) -> None:
    first = asker.ask("Where is the Madrid office?", lock=OFFICES.doc_id)
    second = asker.ask("Who is its manager?", first.session_id)
    assert second.status is AnswerStatus.INSUFFICIENT
    third = asker.ask("And of the Oslo office?", second.session_id)
    assert third.status is AnswerStatus.ANSWERED
    assert any("Jonas Lie" in each.text for each in third.generation_map)


def test_but_what_is_told_beside_no_other_name_is(asker: Asker) -> None:
    first = asker.ask("Do laptops run Windows?", lock=LAPTOPS.doc_id)
    assert first.status is AnswerStatus.INSUFFICIENT
    second = asker.ask("How often are they replaced?", first.session_id)
    assert second.status is AnswerStatus.ANSWERED
    assert second.generation_map[0].text == "The laptop is replaced every 3 years."
    third = asker.ask("What is the extension of IT support?", second.session_id)
    assert third.status is AnswerStatus.ANSWERED
