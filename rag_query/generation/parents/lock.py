"""The parent lock of a conversation: which one document version answers may be taken from.

An explicit state machine ("Evidence-driven generation", sections 2 and 7)::

    unlocked  --clear evidence / a document id-->  locked
    unlocked  --close evidence-->                  candidates
    candidates --the user's choice / an id-->      locked
    candidates --another question-->               unlocked, then as above
    locked    --release / the version is gone-->   released
    released  --any question-->                    unlocked, then as above

Nothing else is possible; :func:`advance` refuses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import Field

from rag_query.contracts.answer import Candidate, Lock, LockDecider, LockStatus, Parent
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import Params, register


class LockEvent(StrEnum):
    """What can happen to a lock."""

    CLEAR_EVIDENCE = "clear_evidence"
    CLOSE_EVIDENCE = "close_evidence"
    NAMED = "named"
    CHOSEN = "chosen"
    RELEASE = "release"
    ASKED_ANEW = "asked_anew"


_TRANSITIONS: dict[tuple[LockStatus, LockEvent], LockStatus] = {
    (LockStatus.UNLOCKED, LockEvent.CLEAR_EVIDENCE): LockStatus.LOCKED,
    (LockStatus.UNLOCKED, LockEvent.CLOSE_EVIDENCE): LockStatus.CANDIDATES,
    (LockStatus.UNLOCKED, LockEvent.NAMED): LockStatus.LOCKED,
    (LockStatus.UNLOCKED, LockEvent.RELEASE): LockStatus.RELEASED,
    (LockStatus.CANDIDATES, LockEvent.CHOSEN): LockStatus.LOCKED,
    (LockStatus.CANDIDATES, LockEvent.NAMED): LockStatus.LOCKED,
    (LockStatus.CANDIDATES, LockEvent.ASKED_ANEW): LockStatus.UNLOCKED,
    (LockStatus.CANDIDATES, LockEvent.RELEASE): LockStatus.RELEASED,
    (LockStatus.LOCKED, LockEvent.NAMED): LockStatus.LOCKED,
    (LockStatus.LOCKED, LockEvent.RELEASE): LockStatus.RELEASED,
    (LockStatus.RELEASED, LockEvent.ASKED_ANEW): LockStatus.UNLOCKED,
    (LockStatus.RELEASED, LockEvent.NAMED): LockStatus.LOCKED,
    (LockStatus.RELEASED, LockEvent.RELEASE): LockStatus.RELEASED,
}
_DECIDERS = {
    LockEvent.CLEAR_EVIDENCE: LockDecider.EVIDENCE,
    LockEvent.CHOSEN: LockDecider.USER,
    LockEvent.NAMED: LockDecider.DOCUMENT_ID,
}


def advance(
    lock: Lock,
    event: LockEvent,
    *,
    parent: Parent | None = None,
    candidates: Sequence[Candidate] = (),
    pending_question: str | None = None,
    explanation: dict[str, Any] | None = None,
) -> Lock:
    """The lock after an event.

    Raises:
        ExcerptaError: ``LOCK_STATE`` when the event cannot happen in this state.
    """
    try:
        status = _TRANSITIONS[lock.status, event]
    except KeyError:
        raise ExcerptaError(
            ErrorCode.LOCK_STATE,
            f"A lock that is {lock.status} cannot take {event}.",
            details={"status": str(lock.status), "event": str(event)},
        ) from None
    return Lock(
        status=status,
        parent=parent if status is LockStatus.LOCKED else None,
        decided_by=_DECIDERS.get(event) if status is LockStatus.LOCKED else None,
        candidates=list(candidates) if status is LockStatus.CANDIDATES else [],
        pending_question=pending_question if status is LockStatus.CANDIDATES else None,
        explanation=explanation or {},
    )


class LockParams(Params):
    """Parameters of ``parent_lock.by_evidence``.

    Attributes:
        min_margin: how far, in shares of the best parent's score, the next one must be behind for
            a question about a fact.
        min_margin_whole: the same for a question about a document as a whole ("how is it made?"),
            where a wrong parent is wholly wrong.
        named_margin: a parent whose title holds that much more of the question than every other's
            is meant, whatever the scores.
        max_candidates: shown when parents are close.
        parents_read: best parents whose found passages are looked into.
    """

    min_margin: float = Field(0.02, ge=0, le=1)
    min_margin_whole: float = Field(0.25, ge=0, le=1)
    named_margin: float = Field(0.08, gt=0, le=1)
    max_candidates: int = Field(6, ge=2, le=20)
    parents_read: int = Field(8, ge=2, le=50)


@dataclass(frozen=True, slots=True)
class Decision:
    """Which event the evidence makes, with the figures behind it."""

    event: LockEvent
    chosen: Candidate | None
    close: tuple[Candidate, ...]
    explanation: dict[str, Any]


class ByEvidence:
    """Decides from the retrieval evidence of each parent."""

    def __init__(self, params: LockParams) -> None:
        self.params = params

    def decide(self, candidates: Sequence[Candidate], *, about_whole: bool) -> Decision:
        """Lock the one parent that stands out, or name those that are close.

        Of parents that are close, none of which holds the fact asked for, the best is locked; where
        that is not known of one of them, as across languages, they are named.

        Args:
            candidates: best first, at least one; scores relative to the best (1).
            about_whole: the question is about a document as a whole.
        """
        params = self.params
        margin = params.min_margin_whole if about_whole else params.min_margin
        best = candidates[0]
        figures: dict[str, Any] = {
            "margin": 1.0 if len(candidates) == 1 else round(best.score - candidates[1].score, 4),
            "min_margin": margin,
            "about_whole": about_whole,
            "scores": {c.parent.parent_id: round(c.score, 4) for c in candidates},
        }
        named = sorted(candidates, key=lambda c: -c.names_question)
        lead = named[0].names_question - (named[1].names_question if len(named) > 1 else 0.0)
        figures |= {"named_lead": round(lead, 4), "named_margin": params.named_margin}
        if len(candidates) == 1 or figures["margin"] >= margin:
            return self._clear(best, figures, "margin")
        if about_whole and lead >= params.named_margin:
            return self._clear(named[0], figures, "title")
        close = [c for c in candidates if best.score - c.score < margin]
        if about_whole:
            # Parents whose titles say nothing of what is asked are not what is meant.
            top = named[0].names_question
            close = [c for c in close if c.names_question >= top - params.named_margin] or close
            if len(close) == 1:
                return self._clear(close[0], figures, "title")
        else:
            sufficient = [c for c in close if c.sufficient]
            if len(sufficient) == 1:
                return self._clear(sufficient[0], figures, "sufficiency")
            if all(c.sufficient is False for c in close):
                # To choose among documents none of which answers helps nobody: the best says so.
                return self._clear(best, figures, "none_sufficient")
        return Decision(
            LockEvent.CLOSE_EVIDENCE, None, tuple(close[: params.max_candidates]), figures
        )

    @staticmethod
    def _clear(candidate: Candidate, figures: dict[str, Any], by: str) -> Decision:
        return Decision(LockEvent.CLEAR_EVIDENCE, candidate, (), figures | {"decided_by": by})


register("parent_lock.by_evidence", version="2", params=LockParams, build=ByEvidence)
