"""What one of two like documents says is no answer to a question that names the other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag_query.contracts.answer import Answer, AnswerStatus
from rag_query.generation.conversation.asker import Asker
from rag_query.retrieval.open import open_retriever
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

OAKFIELD = SmallDoc(
    "oakfield.md",
    "# Oakfield Surgery: Notes for Patients\n\n## Staff\n\nDr. Ruth Amsel is the lead doctor. "
    "Dr. Ivo Brandt gives vaccinations.\n\n## Hours\n\nOn Saturday we open at 9:00.\n\n"
    "## Fees\n\nA missed visit costs 25 euros. Pay within 14 days.\n",
)
BRIARWOOD = SmallDoc(
    "briarwood.md",
    "# Briarwood Surgery: Notes for Patients\n\n## Staff\n\nDr. Hanna Lindh is the lead doctor."
    "\n\n## Parking\n\nThere are 14 parking spaces behind the building.\n",
)
MAPLES = SmallDoc(
    "maples.md",
    "# Lease: 14 Maple Row\n\n## Pets\n\nA cat may be kept in the flat, a dog may not.\n",
)
ELMS = SmallDoc("elms.md", "# Lease: 3 Elm Court\n\n## Rent\n\nThe rent is 900 euros a month.\n")
NORTH = SmallDoc(
    "north.md",
    "# 河北分店员工手册\n\n## 培训\n\n每名员工每年有3000元培训经费。\n",
    language="zh",
)
SOUTH = SmallDoc(
    "south.md",
    "# 青禾公司员工手册\n\n## 年假\n\n员工每年享有10天年假。\n",
    language="zh",
)
LEAVE = SmallDoc("leave.md", "# Leave Policy\n\n## Days\n\nEveryone has 25 days off a year.\n")
TRAVEL = SmallDoc("travel.md", "# Travel Policy\n\n## Trips\n\nA trip is booked by the office.\n")
NEWS = SmallDoc("news.md", "# Newsletter\n\n## May\n\nTwo colleagues travel to Oslo.\n")
LIBRARY = (OAKFIELD, BRIARWOOD, MAPLES, ELMS, NORTH, SOUTH, LEAVE, TRAVEL, NEWS)


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    home = build_library(tmp_path_factory.mktemp("alike"), LIBRARY)
    with open_retriever(home, sinks=()) as retriever:
        yield Asker(retriever)


def missing(answer: Answer) -> str:
    assert answer.status is AnswerStatus.INSUFFICIENT and answer.insufficient is not None
    return " ".join(each.what for each in answer.insufficient.missing)


@pytest.mark.parametrize(
    ("question", "like"),
    [
        ("Who gives vaccinations at Briarwood Surgery?", OAKFIELD),
        ("According to the Briarwood Surgery notes, who gives vaccinations?", OAKFIELD),
        ("How many parking spaces are there at Oakfield?", BRIARWOOD),
        ("May I keep a cat at Elm Court?", MAPLES),
    ],
)
def test_what_the_named_document_leaves_out_is_not_answered_for_by_its_like(
    question: str, like: SmallDoc, asker: Asker
) -> None:
    answer = asker.ask(question)
    assert answer.status is AnswerStatus.INSUFFICIENT
    assert answer.lock.parent is not None and answer.lock.parent.doc_id != like.doc_id


@pytest.mark.parametrize(
    ("document", "question", "name"),
    [
        (OAKFIELD, "Who is the lead doctor of Briarwood Surgery?", "Briarwood"),
        (NORTH, "青禾的培训经费是多少？", "青禾"),
    ],
)
def test_neither_by_the_one_that_is_locked(
    document: SmallDoc, question: str, name: str, asker: Asker
) -> None:
    assert name in missing(asker.ask(question, lock=document.doc_id))


def test_nor_where_a_question_goes_on_from_the_one_before(asker: Asker) -> None:
    first = asker.ask("Who is the lead doctor of Oakfield Surgery?")
    assert first.status is AnswerStatus.ANSWERED
    second = asker.ask("And of Briarwood Surgery?", first.session_id)
    assert "Briarwood" in missing(second)
    assert "Briarwood" in missing(asker.ask("Who gives its vaccinations?", second.session_id))
    back = asker.ask("And of Oakfield Surgery?", second.session_id)
    assert back.status is AnswerStatus.ANSWERED


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("When does Oakfield open on Saturday?", OAKFIELD),
        ("Is there parking at Briarwood?", BRIARWOOD),
        # A number tells nothing: 14 Maple Row is another matter.
        ("Is a missed visit paid within 14 days?", OAKFIELD),
        # What others say too is no name, though a document has it in its title.
        ("How many days off does everyone have when they travel?", LEAVE),
        # Whoever names both may be told of one.
        ("Who gives vaccinations, Oakfield or Briarwood?", OAKFIELD),
    ],
)
def test_its_own_questions_are_answered(question: str, document: SmallDoc, asker: Asker) -> None:
    answer = asker.ask(question, lock=document.doc_id)
    assert answer.status is AnswerStatus.ANSWERED
