"""Building the evidence set: before anything is written, all that may be used is named.

Rules of section 4.1, which nothing here can break: only chunks of the locked parent, each once,
each with its block type. The smaller the set, the steadier the answer, so for a question about
sentences chunks are added, best first, until the set suffices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag_query.contracts.answer import EvidenceChunk, EvidenceSet, Missing, Sufficiency
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.generation.evidence.absent import absent_from
from rag_query.generation.evidence.kinds import QuestionKind
from rag_query.generation.evidence.rivals import without_idle_names
from rag_query.generation.evidence.sufficiency import ByFeatures, missing
from rag_query.generation.passages.parent import ParentText
from rag_query.generation.passages.sentences import SourceChunk, sentences_of, statements_of
from rag_query.generation.questions.question import Question
from rag_query.generation.scoring.meaning import Embed
from rag_query.generation.scoring.precedence import begins_with_answer, first_of
from rag_query.generation.scoring.scored import Scored
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.generation.vocabulary.facts import stands_in
from rag_query.text.analysis import Analyzer
from rag_query.text.ids import sha256_text

#: Kinds of what is missing that is called by its name.
_NAMED = ("name", "number")


@dataclass(frozen=True, slots=True)
class Built:
    """An evidence set with what later steps use of it.

    Attributes:
        chunks: chunk id -> chunk: the set's, and nothing else.
        scored: the sentences of the set; empty for kinds that keep whole blocks.
        elsewhere: the best sentences of the rest of the parent, to look for contradictions.
        left_out: chunks of required types beyond the kind's limit.
        parts: of a question for two things, each that was found with its evidence.
        left_unsaid: the one of the two that was not.
        is_of_rival: they speak of another than a name of the question that stands nowhere, or in
            another document alone.
    """

    evidence: EvidenceSet
    sufficiency: Sufficiency
    chunks: dict[str, SourceChunk]
    scored: tuple[Scored, ...] = ()
    elsewhere: tuple[Scored, ...] = ()
    left_out: int = 0
    is_of_rival: bool = False
    parts: tuple[tuple[Question, Built], ...] = ()
    left_unsaid: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as its evidence is chosen.

    Attributes:
        stands_out: see :class:`rag_query.generation.parents.candidates.Found`.
        embed: where question and parent have no words in common.
        rebuilt_because: see section 7.2.
        bound_elsewhere: its names that are another document's, see :mod:`.bearers`.
    """

    question: Question
    kind: QuestionKind
    stands_out: float | None = None
    embed: Embed | None = None
    rebuilt_because: str = ""
    bound_elsewhere: frozenset[str] = frozenset()

    def named(self, question: Question) -> Question:
        """A reading of the question with the names of others among those that must be said."""
        return replace(question, unknown=question.unknown | self.bound_elsewhere)


def build_evidence(
    asked: Asked,
    text: ParentText,
    pool: Sequence[SourceChunk],
    judge: ByFeatures,
    analyzer: Analyzer,
) -> Built:
    """The evidence set of a question in a locked parent.

    Args:
        pool: chunks of the parent to choose from.
    """
    foreign = [chunk.chunk_id for chunk in pool if chunk.version_id != text.parent.parent_id]
    if foreign:
        raise ExcerptaError(
            ErrorCode.INTERNAL, "Evidence was offered that is not of the locked parent."
        )
    kind, question = asked.kind, asked.named(asked.question)
    if kind.output == "sentences":
        whole = _by_sentences(asked, text, pool, judge, analyzer)
        if not asked.question.parts or asked.embed is not None:
            return whole
        each = [
            (part, _by_sentences(replace(asked, question=part), text, pool, judge, analyzer))
            for part in asked.question.parts
        ]
        return _of_both(asked, text, whole, each)
    chunks = _heads(pool) if kind.output == "summary" else _of_types(kind, pool)
    kept, left_out = chunks[: kind.max_chunks], len(chunks) - kind.max_chunks
    absent = _absent(asked, question, text) + [
        Missing(kind="block_type", what=name)
        for name in kind.required
        if all(chunk.block_type != name for chunk in kept)
    ]
    if not any(sentences_of([chunk]) for chunk in kept):
        absent.append(Missing(kind="text", what="no text"))
    sufficiency = Sufficiency(
        sufficient=not absent, confidence=float(not absent), threshold=1.0, missing=absent
    )
    return Built(
        _set(asked, text, kept),
        sufficiency,
        _by_id(kept),
        left_out=max(0, left_out),
        is_of_rival=any(each.what in question.unknown for each in absent),
    )


def _by_sentences(
    asked: Asked,
    text: ParentText,
    pool: Sequence[SourceChunk],
    judge: ByFeatures,
    analyzer: Analyzer,
) -> Built:
    question = asked.question
    scored = score_sentences(question, statements_of(pool), analyzer, embed=asked.embed)
    question = asked.named(without_idle_names(question, scored, analyzer))
    absent = _absent(asked, question, text)
    best: dict[str, float] = {}
    for each in sorted(scored, key=lambda s: s.precedence, reverse=True):
        best.setdefault(each.sentence.chunk.chunk_id, each.score)
    chosen: list[str] = []
    verdict = judge.judge(question, [], asked.stands_out)
    inside: list[Scored] = []
    for chunk_id in list(best)[: asked.kind.max_chunks]:
        chosen.append(chunk_id)
        inside = [s for s in scored if s.sentence.chunk.chunk_id in chosen]
        verdict = judge.judge(question, inside, asked.stands_out)
        if verdict.sufficient:
            break
    if absent:
        verdict = verdict.model_copy(update={"sufficient": False})
    if verdict.sufficient:
        further = (
            _of_first(question, scored),
            _list_beyond(scored, inside),
            _of_rarest(question, scored, inside),
        )
        chosen += dict.fromkeys(f for f in further if f and f not in chosen)
        chosen = chosen[: asked.kind.max_chunks]
        inside = [s for s in scored if s.sentence.chunk.chunk_id in chosen]
        verdict = verdict.model_copy(update={"sufficient": begins_with_answer(question, inside)})
    if not verdict.sufficient:
        # What only other passages hold is not missing.
        others = [
            each for each in missing(asked.named(asked.question), scored) if each not in absent
        ]
        verdict = verdict.model_copy(update={"missing": _each_once(absent + others)})
    known = _by_id(pool)
    chunks = sorted((known[c] for c in chosen), key=lambda chunk: chunk.chunk_index)
    outside = sorted(
        (s for s in scored if s.sentence.chunk.chunk_id not in chosen), key=lambda s: -s.score
    )
    return Built(
        _set(asked, text, chunks, best),
        verdict,
        _by_id(chunks),
        tuple(inside),
        tuple(outside[:20]),
        is_of_rival=bool(question.unknown),
    )


def _of_both(
    asked: Asked, text: ParentText, whole: Built, each: Sequence[tuple[Question, Built]]
) -> Built:
    """The evidence of two things asked for at once; where one of them is not there, that of the
    other, and which one is left unsaid."""
    found = [(part, built) for part, built in each if built.sufficiency.sufficient]
    chunks = {k: v for _, built in found for k, v in built.chunks.items()}
    if not found or len(chunks) > asked.kind.max_chunks:
        return whole
    ordered = sorted(chunks.values(), key=lambda chunk: chunk.chunk_index)
    scores = {c.chunk_id: c.score for _, b in found for c in b.evidence.chunks if c.score}
    scored = {s.sentence.order: s for _, built in reversed(found) for s in built.scored}
    unsaid = [part.text for part, built in each if not built.sufficiency.sufficient]
    return replace(
        found[0][1],
        evidence=_set(
            asked, text, ordered, {c.chunk_id: scores.get(c.chunk_id, 0.0) for c in ordered}
        ),
        sufficiency=min((b.sufficiency for _, b in found), key=lambda s: s.confidence),
        chunks=_by_id(ordered),
        scored=tuple(scored[order] for order in sorted(scored)),
        parts=tuple(found),
        left_unsaid=next(iter(unsaid), ""),
    )


def _absent(asked: Asked, question: Question, text: ParentText) -> list[Missing]:
    """What the question is about and the parent does not speak of; across languages a name is
    written otherwise."""
    return [] if asked.embed else absent_from(question, text)


def _each_once(found: Sequence[Missing]) -> list[Missing]:
    """What is missing, without what is part of something else that is."""
    named = [each.what for each in found if each.kind in _NAMED]

    def is_part(missed: Missing) -> bool:
        alike = [each.what for each in found if each.kind == missed.kind]
        others = named if missed.kind in _NAMED else alike
        return any(missed.what != other and stands_in(missed.what, other) for other in others)

    return [each for each in found if not is_part(each)]


def _of_first(question: Question, scored: Sequence[Scored]) -> str:
    """The chunk of the sentence that goes first of all: it may tell better than one that suffices,
    as a name does where someone is asked for."""
    ranked = sorted(scored, key=lambda s: s.precedence, reverse=True)
    return ranked[first_of(question, ranked)].sentence.chunk.chunk_id


def _list_beyond(scored: Sequence[Scored], inside: Sequence[Scored]) -> str | None:
    """The chunk that begins with the list which the best sentence, the last of its own, opens."""
    best = max(inside, key=lambda s: s.precedence, default=None)
    if best is None or not best.leads:
        return None
    after = scored[scored.index(best) + 1 :]
    chunk, own = (after or [best])[0].sentence.chunk, best.sentence.chunk
    near = chunk.section_path == own.section_path and chunk.chunk_index == own.chunk_index + 1
    return chunk.chunk_id if near else None


def _of_rarest(
    question: Question, scored: Sequence[Scored], inside: Sequence[Scored]
) -> str | None:
    """The chunk with the best of the sentences that hold a word of the question rarer than all
    those of the chosen ones: 产假 of 产假期间工资, where 病假期间工资 has sufficed."""
    known = max((question.terms[t] for s in inside for t in s.terms), default=0.0)
    rarer = [s for s in scored if any(question.terms[t] > known for t in s.terms)]
    best = max(rarer, key=lambda s: s.precedence, default=None)
    return best.sentence.chunk.chunk_id if best is not None else None


def _of_types(kind: QuestionKind, pool: Sequence[SourceChunk]) -> list[SourceChunk]:
    wanted = {*kind.required, *kind.optional}
    return [chunk for chunk in _ordered(pool) if chunk.block_type in wanted]


def _heads(pool: Sequence[SourceChunk]) -> list[SourceChunk]:
    """The first chunk with text of every section."""
    heads: dict[str, SourceChunk] = {}
    for chunk in _ordered(pool):
        if chunk.section_path not in heads and sentences_of([chunk]):
            heads[chunk.section_path] = chunk
    return list(heads.values())


def _ordered(pool: Sequence[SourceChunk]) -> list[SourceChunk]:
    return sorted(_by_id(pool).values(), key=lambda chunk: (chunk.chunk_index, chunk.char_start))


def _by_id(chunks: Sequence[SourceChunk]) -> dict[str, SourceChunk]:
    return {chunk.chunk_id: chunk for chunk in chunks}


def _set(
    asked: Asked,
    text: ParentText,
    chunks: Sequence[SourceChunk],
    scores: dict[str, float] | None = None,
) -> EvidenceSet:
    kind = asked.kind
    return EvidenceSet(
        parent_id=text.parent.parent_id,
        doc_id=text.parent.doc_id,
        question_kind=kind.name,
        required=list(kind.required),
        optional=list(kind.optional),
        rebuilt_because=asked.rebuilt_because,
        chunks=[
            EvidenceChunk(
                chunk_id=chunk.chunk_id,
                block_type=chunk.block_type,
                section_path=chunk.section_path,
                text=chunk.text,
                content_hash=sha256_text(chunk.text),
                char_start=chunk.char_start,
                char_end=chunk.char_end,
                page=chunk.page_start,
                score=round(scores[chunk.chunk_id], 4) if scores else None,
                from_ocr=chunk.is_read or None,
            )
            for chunk in chunks
        ],
    )
