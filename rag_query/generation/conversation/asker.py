"""Conversations: each turn locks a parent or asks which, then answers from it alone, and is logged.

Nothing is written before a parent is locked (section 2).
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from rag_query.cancellation import checkpoint
from rag_query.contracts.answer import (
    Answer,
    AnswerStatus,
    Insufficient,
    Lock,
    LockStatus,
    MapEntry,
    Parent,
)
from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.contracts.trace import SpanName
from rag_query.generation.answers.extractive import ExtractiveGenerator, ExtractiveParams
from rag_query.generation.answers.wording import Wording
from rag_query.generation.conversation.answering import Locked, answer_in_parent
from rag_query.generation.conversation.conversations import Conversation, ConversationLog
from rag_query.generation.conversation.reading import Reading
from rag_query.generation.conversation.turn import OnReleased, Turn, lock_decided
from rag_query.generation.parents.bearers import not_of_others, speaking_of
from rag_query.generation.parents.candidates import (
    Found,
    also_named,
    candidates_of,
    chosen_by,
    is_bare_number,
    only_chooses,
    told_apart,
)
from rag_query.generation.parents.lock import Decision, LockEvent, advance
from rag_query.generation.passages.parent import ParentText
from rag_query.generation.questions.question import Question
from rag_query.generation.stages import AnswerStages
from rag_query.library.kept_snapshot import while_kept
from rag_query.library.snapshot import Snapshot
from rag_query.providers.llm.base import Llm
from rag_query.retrieval.pipeline import Retriever
from rag_query.strategies.strategy import Strategy, parse_strategy
from rag_query.text.analysis import analyzer
from rag_query.tracing.context import Trace, span, start

MAX_QUESTION_CHARS = 4000
#: Questions a short one may go on from, each from the one before it.
_REMEMBERED = 5


class Asker:
    """Answers questions in conversations. Safe to use from several threads.

    Args:
        retriever: of the library.
        strategy: of the answering stages; by default the one each snapshot was published with.
        llm: in place of the strategy's.
        wait_for_embedder: false looks by words alone while the embedder is still loading; by
            default as the retriever does.
    """

    def __init__(
        self,
        retriever: Retriever,
        *,
        strategy: Strategy | None = None,
        llm: Llm | None = None,
        wait_for_embedder: bool | None = None,
    ) -> None:
        self._library = retriever.library
        self._sinks = retriever.sinks
        self._reading = Reading(retriever, wait_for_embedder=wait_for_embedder)
        self._strategy = strategy
        self._llm = llm
        self._lock = threading.Lock()
        self._stages: dict[str, AnswerStages] = {}
        self.log = ConversationLog(self._library.home, self._library.settings.library_id)

    def ask(
        self,
        question: str,
        session_id: str | None = None,
        lock: str | None = None,
        *,
        on_released: OnReleased | None = None,
    ) -> Answer:
        """Answer a question, ask which parent is meant, or say what is missing.

        Args:
            question: in any language; after a choice was offered, the choice.
            session_id: of the conversation it continues; None begins one.
            lock: the parent to answer from: a document or version id, a title, file name or URI.
            on_released: hears each sentence that passed, while the rest is being written.

        Raises:
            ExcerptaError: ``INVALID_ARGUMENT`` for an empty or huge question,
                ``LOCK_STATE`` for a choice that none of what is offered fits,
                ``DOCUMENT_NOT_FOUND``, ``SESSION_NOT_FOUND`` and the others of a conversation,
                and what retrieval raises.

        Where the library cannot be written, the answer's warnings say that the turn was not kept.
        """
        said = question.strip()
        if not said or len(said) > MAX_QUESTION_CHARS:
            raise ExcerptaError(
                ErrorCode.INVALID_ARGUMENT,
                f"A question has 1 to {MAX_QUESTION_CHARS} characters; this one has {len(said)}.",
                hint="Ask one thing at a time.",
            )
        with self.log.turn(session_id) as conversation:
            shown: list[MapEntry] = []

            def hear(entry: MapEntry) -> None:
                shown.append(entry)
                if on_released is not None:
                    on_released(entry)

            def attempt(snapshot: Snapshot) -> Answer:
                turn = self._turn(conversation, snapshot, hear if on_released else None)
                turn.trace.replay["question"] = said
                return self._traced(turn, lambda: self._answer(turn, said, lock))

            # Sentences that were heard cannot be taken back for those of another snapshot.
            answer = self._library.read(attempt, repeatable=lambda: not shown)
            try:
                return self._logged(conversation, answer)
            except OSError as exc:
                return _not_kept(answer, exc)
            except ExcerptaError as exc:
                if exc.code is not ErrorCode.SNAPSHOT_NOT_FOUND or shown:
                    raise
            return self._logged(conversation, self._library.read(attempt))

    def release(self, session_id: str) -> Answer:
        """Release a conversation's lock. Raises ``SESSION_NOT_FOUND`` and the like."""
        with self.log.turn(session_id) as conversation:

            def attempt(snapshot: Snapshot) -> Answer:
                turn = self._turn(conversation, snapshot)
                return self._traced(turn, lambda: _release(turn))

            return self._logged(conversation, self._library.read(attempt))

    def again(self, recorded: Answer, before: Conversation, *, extractive: bool) -> Answer:
        """A turn once more on the snapshot it was held on, in the state before it; not logged.

        Args:
            extractive: asks no language model.

        Raises:
            ExcerptaError: ``SNAPSHOT_NOT_FOUND`` when the snapshot is gone.
        """
        turn = self._turn(before, self._library.at(recorded.snapshot))
        if extractive:
            turn.stages = replace(turn.stages, generator=ExtractiveGenerator(ExtractiveParams()))
        if recorded.status is AnswerStatus.RELEASED:
            return _release(turn)
        return self._answer(turn, recorded.asked, recorded.named)

    def _turn(
        self,
        conversation: Conversation,
        snapshot: Snapshot,
        on_released: OnReleased | None = None,
    ) -> Turn:
        stages = self._stages_of(snapshot)
        trace = Trace("query", stages.strategy.config_id)
        trace.snapshot = snapshot.number
        trace.replay = {"session_id": conversation.session_id}
        return Turn(conversation, snapshot, stages, trace, [], time.perf_counter(), on_released)

    def _traced(self, turn: Turn, work: Callable[[], Answer]) -> Answer:
        # Before anything is read, so that nothing is collected in between. What cannot be written
        # can be answered from all the same.
        with contextlib.suppress(OSError):
            self.log.hold(turn.conversation.session_id, turn.snapshot.number)
        with start(turn.trace, self._sinks):
            return work()

    def _logged(self, conversation: Conversation, answer: Answer) -> Answer:
        # A turn whose asker is gone never took place.
        checkpoint()
        with while_kept(self._library.home, answer.snapshot):
            self.log.append(conversation, answer)
        return answer

    def _answer(self, turn: Turn, said: str, named: str | None) -> Answer:
        answer = self._locked_or_not(turn, said, named)
        return answer.model_copy(update={"asked": said, "named": named})

    def _locked_or_not(self, turn: Turn, said: str, named: str | None) -> Answer:
        lock = self._standing(turn)
        snapshot = turn.snapshot
        if named is not None:
            text = self._reading.named(snapshot, named)
            return self._in(turn, said, text, advance(lock, LockEvent.NAMED, parent=text.parent))
        if lock.status is LockStatus.CANDIDATES:
            chosen = chosen_by(said, lock.candidates, analyzer())
            if chosen is not None:
                text = self._reading.parent(snapshot, chosen.parent)
                question = _waiting(turn, said, lock)
                taken = advance(lock, LockEvent.CHOSEN, parent=text.parent)
                return self._in(turn, question, text, taken)
        asks_nothing = is_bare_number if lock.status is LockStatus.LOCKED else only_chooses
        if asks_nothing(said):
            raise _nothing_to_choose(said, lock)
        if lock.status is LockStatus.LOCKED and lock.parent is not None:
            text = self._reading.parent(snapshot, lock.parent)
            before = _asked_of(turn, lock.parent)
            return answer_in_parent(turn, self._reading, said, Locked(lock, text, before=before))
        if lock.status is not LockStatus.UNLOCKED:
            lock = advance(lock, LockEvent.ASKED_ANEW)
        return self._unlocked(turn, said, lock)

    def _in(self, turn: Turn, question: str, text: ParentText, lock: Lock) -> Answer:
        lock_decided(lock)
        return answer_in_parent(turn, self._reading, question, Locked(lock, text))

    def _standing(self, turn: Turn) -> Lock:
        """The lock as it stands; released when its version is no longer in the library."""
        lock = turn.conversation.lock
        if lock.status is not LockStatus.LOCKED or lock.parent is None:
            return lock
        try:
            text = self._reading.parent(turn.snapshot, lock.parent)
        except ExcerptaError as exc:
            if exc.code not in (ErrorCode.DOCUMENT_NOT_FOUND, ErrorCode.NO_TEXT):
                raise
            turn.warnings.append(
                f"“{lock.parent.title}” is no longer in the library; its lock was released."
            )
            return advance(lock, LockEvent.RELEASE)
        return lock.model_copy(update={"parent": text.parent})

    def _unlocked(self, turn: Turn, said: str, lock: Lock) -> Answer:
        """Answer from the document that holds the answer, or ask which of several is meant."""
        reading = self._reading
        with span(SpanName.PARENT_LOCK, turn.stages.refs["parent_lock"]):
            question = reading.question(turn.snapshot, said)
            found = reading.find(turn, said)
            if not found:
                return _nothing_found(turn, question, said, lock)
            decision = self._decision(turn, question, said, found)
            if decision.chosen is None:
                return self._offer(turn, question, said, lock, decision)
            parent = decision.chosen.parent
            lock = advance(lock, decision.event, parent=parent, explanation=decision.explanation)
            lock_decided(lock)
        mine = next(f for f in found if f.parent.parent_id == parent.parent_id)
        others = tuple(f.parent for f in found if f is not mine)
        turn.warnings += [
            f"The question also names “{title}”; only “{parent.title}” was looked into."
            for title in also_named(said, parent, others)
        ]
        text = reading.parent(turn.snapshot, parent)
        return answer_in_parent(turn, reading, said, Locked(lock, text, mine, others))

    def _decision(
        self, turn: Turn, question: Question, said: str, found: Sequence[Found]
    ) -> Decision:
        """Which of the found parents a question is answered from, by what they hold."""
        stages, reading = turn.stages, self._reading
        looked = not_of_others(
            question,
            found,
            lambda p: reading.bound_elsewhere(turn.snapshot, question, p),
            analyzer(),
        )[: stages.lock.params.parents_read]
        looked = speaking_of(
            question, looked, lambda each: reading.parent(turn.snapshot, each.parent).words
        )
        candidates = candidates_of(question, looked, stages.sufficiency, analyzer())
        return stages.lock.decide(candidates, about_whole=stages.kinds.about_whole(said))

    def _offer(
        self, turn: Turn, question: Question, said: str, lock: Lock, decision: Decision
    ) -> Answer:
        """Ask which of the parents that are as good as each other is meant."""
        texts = {
            c.parent.parent_id: self._reading.parent(turn.snapshot, c.parent).chunks
            for c in decision.close
        }
        close = told_apart(decision.close, texts, analyzer())
        lock = advance(
            lock,
            decision.event,
            candidates=close,
            pending_question=said,
            explanation=decision.explanation,
        )
        lock_decided(lock)
        wording = Wording.of(question.language)
        return turn.end(
            said,
            AnswerStatus.CHOICE,
            language=wording.language,
            text=wording.choice(close),
            lock=lock,
        )

    def _stages_of(self, snapshot: Snapshot) -> AnswerStages:
        key = self._strategy.config_id if self._strategy else snapshot.manifest.strategy_config_id
        with self._lock:
            known = self._stages.get(key)
            if known is None:
                strategy = self._strategy or parse_strategy(snapshot.manifest.strategy)
                known = AnswerStages.build(strategy, analyzer(), self._llm)
                self._stages[key] = known
            return known


def _nothing_found(turn: Turn, question: Question, said: str, lock: Lock) -> Answer:
    wording = Wording.of(question.language)
    return turn.end(
        said,
        AnswerStatus.NOTHING_FOUND,
        language=wording.language,
        text=wording.nothing_found(),
        lock=lock,
        insufficient=Insufficient(options=["rephrase"]),
    )


def _not_kept(answer: Answer, exc: OSError) -> Answer:
    told = (
        f"This turn of the conversation was not kept, and the next cannot go on from it: "
        f"{classify(exc).message}"
    )
    return answer.model_copy(update={"warnings": [*answer.warnings, told]})


def _nothing_to_choose(said: str, lock: Lock) -> ExcerptaError:
    """Of a choice that fits nothing: whoever lost the conversation it belongs to would be answered
    from any document that holds such a number. The choice offered stays open."""
    if lock.candidates:
        return ExcerptaError(
            ErrorCode.LOCK_STATE,
            f"“{said}” chooses none of the {len(lock.candidates)} documents offered.",
            hint="Answer with the number or the name of one of them, or ask a whole question.",
        )
    return ExcerptaError(
        ErrorCode.LOCK_STATE,
        f"“{said}” asks nothing, and no choice is open in this conversation.",
        hint="Ask a whole question. A choice needs the session_id of the conversation that offered "
        "it (`excerpta ask --session`).",
    )


def _waiting(turn: Turn, said: str, lock: Lock) -> str:
    """What to answer after a choice: the question that waits, unless the reply asks one itself."""
    pending = lock.pending_question or said
    kinds = turn.stages.kinds
    return said if kinds.about_whole(said) and not kinds.about_whole(pending) else pending


def _asked_of(turn: Turn, parent: Parent) -> tuple[str, ...]:
    """The last questions of a parent in a row, the newest last."""
    found: list[str] = []
    for answer in reversed(turn.conversation.turns[-_REMEMBERED:]):
        if answer.lock.parent is None or answer.lock.parent.parent_id != parent.parent_id:
            break
        found.insert(0, answer.question)
    return tuple(found)


def _release(turn: Turn) -> Answer:
    turns = turn.conversation.turns
    wording = Wording.of(turns[-1].language if turns else "en")
    lock = advance(turn.conversation.lock, LockEvent.RELEASE)
    lock_decided(lock)
    return turn.end(
        "", AnswerStatus.RELEASED, language=wording.language, text=wording.released(), lock=lock
    )
