"""The lock's state machine, and what evidence makes of it."""

from __future__ import annotations

import pytest

from rag_query.contracts.answer import Candidate, Lock, LockDecider, LockStatus, Parent
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.generation.parents.lock import ByEvidence, LockEvent, LockParams, advance


def parent(name: str) -> Parent:
    return Parent(
        parent_id=f"ver_{name}", doc_id=f"doc_{name}", title=name, version_no=1, is_latest=True,
        source_uri=f"inbox/{name}.md",
    )  # fmt: skip


def candidate(name: str, score: float, named: float = 0.0, ok: bool | None = True) -> Candidate:
    return Candidate(
        parent=parent(name), number=1, score=score, names_question=named, sufficient=ok
    )


def test_a_conversation_is_locked_released_and_locked_again() -> None:
    lock = Lock()
    lock = advance(
        lock, LockEvent.CLOSE_EVIDENCE, candidates=[candidate("a", 1.0)], pending_question="Why?"
    )
    assert lock.status is LockStatus.CANDIDATES and lock.parent is None
    assert [c.parent for c in lock.candidates] == [parent("a")]
    assert lock.pending_question == "Why?"
    lock = advance(lock, LockEvent.CHOSEN, parent=parent("a"))
    assert lock.status is LockStatus.LOCKED and not lock.candidates
    assert lock.decided_by is LockDecider.USER and lock.pending_question is None
    lock = advance(lock, LockEvent.RELEASE, parent=parent("a"), candidates=[candidate("a", 1.0)])
    assert lock.status is LockStatus.RELEASED
    assert (lock.parent, lock.decided_by, lock.candidates) == (None, None, [])
    lock = advance(lock, LockEvent.ASKED_ANEW)
    lock = advance(lock, LockEvent.CLEAR_EVIDENCE, parent=parent("b"))
    assert lock.parent == parent("b") and lock.decided_by is LockDecider.EVIDENCE


@pytest.mark.parametrize(
    ("status", "event"),
    [
        (LockStatus.LOCKED, LockEvent.CLEAR_EVIDENCE),
        (LockStatus.LOCKED, LockEvent.CLOSE_EVIDENCE),
        (LockStatus.UNLOCKED, LockEvent.CHOSEN),
        (LockStatus.RELEASED, LockEvent.CLEAR_EVIDENCE),
    ],
)
def test_nothing_else_can_happen(status: LockStatus, event: LockEvent) -> None:
    with pytest.raises(ExcerptaError) as raised:
        advance(Lock(status=status), event, parent=parent("a"))
    assert raised.value.code is ErrorCode.LOCK_STATE


DECIDE = ByEvidence(LockParams(min_margin=0.05, min_margin_whole=0.25, named_margin=0.1))


def test_a_parent_far_ahead_is_locked_and_the_figures_are_told() -> None:
    decision = DECIDE.decide([candidate("a", 1.0), candidate("b", 0.9)], about_whole=False)
    assert decision.chosen is not None and decision.chosen.parent == parent("a")
    assert decision.explanation["margin"] == pytest.approx(0.1)
    assert decision.explanation["min_margin"] == 0.05


def test_close_parents_for_a_whole_document_are_a_choice_unless_one_is_named() -> None:
    close = [candidate("a", 1.0, 0.5), candidate("b", 0.9, 0.5), candidate("c", 0.2, 0.0)]
    decision = DECIDE.decide(close, about_whole=True)
    assert decision.chosen is None
    assert [c.parent.title for c in decision.close] == ["a", "b"]
    named = [candidate("a", 1.0, 0.5), candidate("b", 0.9, 1.0)]
    decision = DECIDE.decide(named, about_whole=True)
    assert decision.chosen is not None and decision.chosen.parent == parent("b")


def test_of_close_parents_the_one_that_holds_the_fact_is_taken() -> None:
    close = [candidate("a", 1.0, ok=False), candidate("b", 0.99, ok=True)]
    decision = DECIDE.decide(close, about_whole=False)
    assert decision.chosen is not None and decision.chosen.parent == parent("b")
    both = [candidate("a", 1.0), candidate("b", 0.99)]
    assert DECIDE.decide(both, about_whole=False).chosen is None


def test_no_choice_is_offered_among_documents_none_of_which_answers() -> None:
    close = [candidate("a", 1.0, ok=False), candidate("b", 0.99, ok=False)]
    decision = DECIDE.decide(close, about_whole=False)
    assert decision.chosen is not None and decision.chosen.parent == parent("a")
    assert decision.explanation["decided_by"] == "none_sufficient"
    assert DECIDE.decide(close, about_whole=True).chosen is None


def test_documents_of_which_words_cannot_tell_whether_they_answer_are_a_choice() -> None:
    close = [candidate("a", 1.0, ok=None), candidate("b", 0.99, ok=False)]
    assert DECIDE.decide(close, about_whole=False).chosen is None


def test_a_lead_decides_though_nobody_knows_who_answers() -> None:
    ahead = [candidate("a", 1.0, ok=None), candidate("b", 0.9, ok=None)]
    decision = DECIDE.decide(ahead, about_whole=False)
    assert decision.chosen is not None and decision.chosen.parent == parent("a")
    assert decision.explanation["decided_by"] == "margin"
    alone = DECIDE.decide(ahead[:1], about_whole=True)
    assert alone.chosen is not None and alone.explanation["margin"] == 1.0


def test_a_fact_is_not_answered_from_a_document_because_of_its_title() -> None:
    close = [candidate("a", 1.0, 0.2, ok=None), candidate("b", 0.99, 0.9, ok=None)]
    assert DECIDE.decide(close, about_whole=False).chosen is None


def test_of_close_parents_for_a_whole_document_those_that_are_not_named_are_left_out() -> None:
    close = [candidate("a", 1.0, 0.0), candidate("b", 0.95, 0.5), candidate("c", 0.9, 0.45)]
    decision = DECIDE.decide(close, about_whole=True)
    assert [c.parent.title for c in decision.close] == ["b", "c"]
    hardly = [candidate("a", 1.0, 0.0), candidate("b", 0.95, 0.09), candidate("c", 0.1, 0.05)]
    assert [c.parent.title for c in DECIDE.decide(hardly, about_whole=True).close] == ["a", "b"]
