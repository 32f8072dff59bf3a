"""An answer inside a locked parent: name the evidence, write, check, say what is missing.

``stage.evidence_set`` -> ``stage.generate`` -> ``stage.verify``, each with its span and the events
of section 9. Nothing outside the evidence set can be cited; nothing that fails a check is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rag_query.contracts.answer import (
    Answer,
    AnswerStatus,
    GeneratorRun,
    Insufficient,
    Lock,
    MapEntry,
    Parent,
)
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.trace import EventKind, SpanName
from rag_query.generation.answers.compose import answer_text
from rag_query.generation.answers.contradictions import about_question, contradictions
from rag_query.generation.answers.draft import Draft, DraftSentence
from rag_query.generation.answers.instructions import reads_like_order
from rag_query.generation.answers.release import Released, check_sentence, release
from rag_query.generation.answers.wording import Wording
from rag_query.generation.conversation.reading import Reading
from rag_query.generation.conversation.turn import Turn
from rag_query.generation.evidence.evidence_set import Asked, Built, build_evidence
from rag_query.generation.parents.candidates import Found
from rag_query.generation.passages.parent import ParentText
from rag_query.generation.passages.sentences import SourceChunk
from rag_query.generation.questions.question import Question
from rag_query.generation.scoring.scored import Scored
from rag_query.library.places import VersionPlaces, Where
from rag_query.text.analysis import analyzer
from rag_query.text.section_paths import PREAMBLE, SEPARATOR
from rag_query.tracing.context import event, span

#: Chunks of a parent beyond which only those retrieval finds in it are read.
_WHOLE_PARENT = 400
#: Other documents named when a parent does not hold what is asked.
_OTHERS = 3
_MORE = re.compile(
    r"还有|补充|更多|详细|再说|\bmore\b|\belse\b|\bfurther\b|\bdetails?\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Locked:
    """A parent that is locked, with what the first look has found of it.

    Attributes:
        found: its passages, when the parent was locked by evidence just now.
        others: further parents that look found; None when no look was made.
        before: the last questions asked of it in this conversation, the newest last.
    """

    lock: Lock
    text: ParentText
    found: Found | None = None
    others: tuple[Parent, ...] | None = None
    before: tuple[str, ...] = ()


def answer_in_parent(turn: Turn, reading: Reading, said: str, locked: Locked) -> Answer:
    """Answer a question from a locked parent, or say why there is no answer."""
    text = locked.text
    if not text.parent.is_latest:
        turn.warnings.append(
            f"Version {text.parent.version_no} of “{text.parent.title}” is not its newest."
        )
    asked, built = _evidence(turn, reading, said, locked)
    wording = Wording.of(asked.question.language)
    if not built.sufficiency.sufficient:
        return _insufficient(turn, reading, asked, locked, built)
    where = VersionPlaces(turn.snapshot, text.parent.parent_id)
    draft, released = _written(turn, asked, built, wording, where)
    run = draft.run.model_copy(update={"cut": released.cut})
    _completed(released, run)
    if not released.generation_map:
        return _insufficient(turn, reading, asked, locked, built, run=run)
    seen = (*built.scored, *built.elsewhere)
    against = contradictions(
        asked.question, _used(built, released.generation_map), seen, analyzer(), where
    )
    body = answer_text(
        released,
        text.parent,
        built.chunks,
        against,
        wording,
        structured=asked.kind.output == "structured",
    )
    return turn.end(
        said,
        AnswerStatus.ANSWERED,
        language=wording.language,
        text=body,
        lock=locked.lock,
        evidence_set=built.evidence,
        sufficiency=built.sufficiency,
        sections=released.sections,
        generation_map=released.generation_map,
        contradictions=against,
        generator=run,
    )


def _evidence(turn: Turn, reading: Reading, said: str, locked: Locked) -> tuple[Asked, Built]:
    stages, text = turn.stages, locked.text
    question = reading.question(turn.snapshot, said, locked.before)
    with span(SpanName.EVIDENCE_SET, stages.refs["evidence_set"]) as opened:
        asked, built = _built(turn, reading, question, locked)
        alone = bool(question.before) and question.asking == said and not built.is_of_rival
        if alone and not built.sufficiency.sufficient:
            # It asks something by itself; what "it" was taken for may have been wrong.
            asked, built = _built(turn, reading, reading.question(turn.snapshot, said), locked)
        opened.set(chunks=len(built.chunks), sufficient=built.sufficiency.sufficient)
        event(
            EventKind.EVIDENCE_BUILT,
            parent_id=text.parent.parent_id,
            chunk_ids=built.evidence.chunk_ids,
            question_kind=asked.kind.name,
            sufficient=built.sufficiency.sufficient,
        )
    if built.left_out:
        turn.warnings.append(
            f"{built.left_out} passages beyond the limit of the evidence were left out."
        )
    if built.left_unsaid:
        turn.warnings.append(f"The document does not answer: {built.left_unsaid}")
    if any(chunk.is_read for chunk in built.chunks.values()):
        turn.warnings.append(
            "Words of this evidence were read by OCR from pictures; compare them with the page."
        )
    if any(reads_like_order(chunk.text) for chunk in built.chunks.values()):
        turn.warnings.append(
            "The document holds text that reads like an instruction; it was treated as text."
        )
    return asked, built


def _built(turn: Turn, reading: Reading, question: Question, locked: Locked) -> tuple[Asked, Built]:
    """The evidence of a question, by words and, where they do not suffice, by meaning."""
    stages, text, found = turn.stages, locked.text, locked.found
    kind = stages.kinds.kind_of(question.text, text.block_types)
    pool = text.chunks
    if kind.output == "sentences":
        if found is None:
            found = reading.find_in(turn, question.whole, text.parent)
        if len(pool) > _WHOLE_PARENT:
            pool = reading.pool(turn, question.whole, text.parent, found)
    asked = Asked(
        question,
        kind,
        stands_out=found.stands_out if found is not None else None,
        rebuilt_because=_rebuilt(turn, question.text, kind.name, text),
        bound_elsewhere=frozenset(
            reading.bound_elsewhere(turn.snapshot, question, text.parent, locked.before)
        ),
    )
    built = build_evidence(asked, text, pool, stages.sufficiency, analyzer())
    # Words first: a document of another language may hold passages in the question's.
    embed = None
    if not built.sufficiency.sufficient:
        embed = reading.embed_for(turn.snapshot, question, text.parent)
    if embed is not None:
        try:
            across = replace(asked, embed=embed)
            built = build_evidence(
                across, text, _as_found(pool, found), stages.sufficiency, analyzer()
            )
        except ExcerptaError as exc:
            if exc.code is ErrorCode.CANCELED:
                raise
            turn.warnings.append(f"Meaning could not be looked at: {exc.message}")
    return asked, built


def _as_found(pool: Sequence[SourceChunk], found: Found | None) -> list[SourceChunk]:
    """The chunks of a pool, those that retrieval found with their scores."""
    scored = {chunk.chunk_id: chunk for chunk in found.chunks} if found is not None else {}
    return [scored.get(chunk.chunk_id, chunk) for chunk in pool]


def _written(
    turn: Turn, asked: Asked, built: Built, wording: Wording, where: Where
) -> tuple[Draft, Released]:
    stages = turn.stages
    with span(SpanName.GENERATE, stages.refs["generate"]):
        event(EventKind.GENERATION_STARTED, evidence_size=len(built.chunks))
        heard = _releasing(turn, built, where)
        draft = stages.generator.generate(asked.question, asked.kind, built, heard)
    turn.warnings += draft.warnings
    with span(SpanName.VERIFY, stages.refs["verify"]) as opened:
        released = release(draft.sentences, built.chunks, stages.verifier, wording, where)
        opened.set(sentences=len(released.generation_map), cut=len(released.cut))
    if released.cut:
        turn.warnings.append(
            f"Sentences that were cut, as the evidence does not bear them out: {len(released.cut)}."
        )
    return draft, released


def _completed(released: Released, run: GeneratorRun) -> None:
    event(
        EventKind.GENERATION_COMPLETED,
        output_sections=[section.name for section in released.sections],
        evidence_mapping=[
            {"output_section": entry.output_section, "used_chunks": entry.used_chunks}
            for entry in released.generation_map
        ],
        cut=len(released.cut),
        model=run.model,
        model_version=run.model_version,
        prompt_profile_id=run.prompt_profile_id,
        usage={
            "input_tokens": run.input_tokens,
            "output_tokens": run.output_tokens,
            "cost": run.cost,
        },
        generation_failed=run.generation_failed,
        fallback_mode=run.fallback_mode,
    )


def _insufficient(
    turn: Turn,
    reading: Reading,
    asked: Asked,
    locked: Locked,
    built: Built,
    *,
    run: GeneratorRun | None = None,
) -> Answer:
    parent, question = locked.text.parent, asked.question
    wording = Wording.of(question.language)
    others = locked.others
    if others is None:
        # Only to say where to go on; no word of theirs enters the answer.
        found = reading.find(turn, question.whole)
        others = tuple(each.parent for each in found)
    shown = [each for each in others if each.doc_id != parent.doc_id][:_OTHERS]
    versions = reading.other_versions(turn.snapshot, parent)
    options: list[Any] = ["release"]
    options += ["other_version"] if versions else []
    options += ["rephrase"]
    options += ["other_document"] if shown else []
    holds = [p.rpartition(SEPARATOR)[2] for p in locked.text.sections if p != PREAMBLE]
    against = []
    if run is None:  # What was cut from a written answer must not come back by this door.
        seen = (*built.scored, *built.elsewhere)
        where = VersionPlaces(turn.snapshot, parent.parent_id)
        best = about_question(built.scored)
        against = contradictions(question, best, seen, analyzer(), where)
    found_missing = Insufficient(
        missing=built.sufficiency.missing,
        parent_holds=holds,
        options=options,
        other_versions=versions,
        other_documents=shown,
    )
    return turn.end(
        question.text,
        AnswerStatus.INSUFFICIENT,
        language=wording.language,
        text=wording.insufficient(parent.title, found_missing, against),
        lock=locked.lock,
        evidence_set=built.evidence,
        sufficiency=built.sufficiency,
        insufficient=found_missing,
        contradictions=against,
        generator=run,
    )


def _releasing(turn: Turn, built: Built, where: Where) -> Callable[[DraftSentence], None]:
    """Shows each sentence that passes, as soon as it is there."""

    def heard(sentence: DraftSentence) -> None:
        if turn.on_released is None:
            return
        entry = check_sentence(sentence, 0, built.chunks, turn.stages.verifier, where)
        if entry.passed:
            turn.on_released(entry)

    return heard


def _rebuilt(turn: Turn, said: str, kind: str, text: ParentText) -> str:
    """Section 7.2: why the evidence is not simply chosen anew inside the same parent."""
    last = turn.conversation.turns[-1] if turn.conversation.turns else None
    before = last.evidence_set if last is not None else None
    if last is None or before is None or before.parent_id != text.parent.parent_id:
        return "first"
    if before.question_kind != kind:
        return "kind_changed"
    if _MORE.search(said):
        return "asked_for_more"
    return "insufficient" if last.sufficiency and not last.sufficiency.sufficient else ""


def _used(built: Built, entries: Sequence[MapEntry]) -> list[Scored]:
    shown = {(place.chunk_id, place.start) for entry in entries for place in entry.spans}
    return [s for s in built.scored if (s.sentence.chunk.chunk_id, s.sentence.start) in shown]
