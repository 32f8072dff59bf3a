"""The parents that retrieval found, what speaks for each, and what tells them apart."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rag_query.contracts.answer import Candidate, Parent
from rag_query.contracts.pack import EvidencePack
from rag_query.generation.evidence.rivals import without_idle_names
from rag_query.generation.evidence.sufficiency import ByFeatures
from rag_query.generation.passages.parent import parent_of, source_of
from rag_query.generation.passages.sentences import SourceChunk, sentences_of, statements_of
from rag_query.generation.questions.question import Question
from rag_query.generation.scoring.precedence import begins_with_answer
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.generation.vocabulary.facts import plain, stands_in
from rag_query.generation.vocabulary.words import CHOOSING
from rag_query.library.snapshot import Snapshot
from rag_query.text.analysis import Analyzer
from rag_query.text.numerals import HAN_UP_TO_TEN, numeral_value

#: Longest sentence shown to tell one candidate from another.
_REASON_CHARS = 80
#: Other parents below which nothing is said of how far one stands out.
_FEWEST_OTHERS = 5
#: Cosines that differ by less are equal but for rounding.
_NO_SPREAD = 1e-6
#: Characters of a Chinese title that is no mere word.
_FEWEST_CHARACTERS = 5
#: What sufficiency counts beside the retrieval score, both 0 to 1.
_SUFFICIENCY_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Found:
    """A parent retrieval found.

    Attributes:
        chunks: its found chunks, best first, each with its fused score.
        dense: the best cosine of its chunks; None without a dense leg.
        stands_out: how many standard deviations that is above the mean of the other parents' best;
            None where too few were found to say.
        language: of the parent, None where it is not known.
    """

    parent: Parent
    chunks: tuple[SourceChunk, ...]
    score: float
    dense: float | None
    stands_out: float | None = None
    language: str | None = None


def found_parents(
    pack: EvidencePack, snapshot: Snapshot, version_id: str | None = None
) -> list[Found]:
    """The parents of a pack's evidence, best first; of one version alone when it is named."""
    scores = {e.chunk_id: e.signals.fused_score or 0.0 for e in pack.evidences}
    cosines = {e.chunk_id: e.signals.vector_score for e in pack.evidences}
    rows = snapshot.chunks(list(scores), version_id)
    groups: dict[str, list[SourceChunk]] = {}
    parents: dict[str, Parent] = {}
    languages: dict[str, str] = {}
    for row in rows:
        parents.setdefault(row.version_id, parent_of(row))
        languages.setdefault(row.version_id, row.language)
        groups.setdefault(row.version_id, []).append(source_of(row, scores[row.chunk_id]))
    found = []
    for parent_id, chunks in groups.items():
        known = [c for chunk in chunks if (c := cosines.get(chunk.chunk_id)) is not None]
        found.append(
            Found(
                parents[parent_id],
                tuple(sorted(chunks, key=lambda c: -c.score)),
                max(chunk.score for chunk in chunks),
                max(known, default=None),
                language=languages[parent_id],
            )
        )
    return sorted(compared(found), key=lambda f: (-f.score, f.parent.parent_id))


def compared(found: Sequence[Found]) -> list[Found]:
    """Found parents, each with how far it stands out from the others.

    Cosines of one embedder lie close together, and where depends on language and subject; what
    holds an answer is far above the rest that was found on the question.
    """
    return [replace(each, stands_out=_stands_out(each, found)) for each in found]


def _stands_out(mine: Found, found: Sequence[Found]) -> float | None:
    others = [f.dense for f in found if f is not mine and f.dense is not None]
    if mine.dense is None or len(others) < _FEWEST_OTHERS:
        return None
    mean = statistics.fmean(others)
    spread = math.sqrt(statistics.fmean((each - mean) ** 2 for each in others))
    return (mine.dense - mean) / spread if spread > _NO_SPREAD else None


def candidates_of(
    question: Question, found: Sequence[Found], judge: ByFeatures, analyzer: Analyzer
) -> list[Candidate]:
    """The found parents as candidates, best first, the best with score 1.

    Words alone are looked at, so of a parent in another language nothing is said but that it
    suffices, unless no question is answered from one.
    """
    top = max((f.score for f in found), default=0.0) or 1.0
    rated: list[tuple[float, Found, bool | None]] = []
    for each in found:
        scored = score_sentences(question, statements_of(each.chunks), analyzer)
        asked = without_idle_names(question, scored, analyzer)
        verdict = judge.judge(asked, scored, each.stands_out)
        rating = (1 - _SUFFICIENCY_SHARE) * each.score / top
        sufficient: bool | None = verdict.sufficient and begins_with_answer(asked, scored)
        if not sufficient and judge.answers_across and question.is_across(each.language):
            sufficient = None
        rated.append((rating + _SUFFICIENCY_SHARE * verdict.confidence, each, sufficient))
    rated.sort(key=lambda r: (-r[0], r[1].parent.parent_id))
    best = rated[0][0] if rated and rated[0][0] > 0 else 1.0
    return [
        Candidate(
            parent=each.parent,
            number=number,
            score=max(0.0, rating / best),
            names_question=_named(question, each.parent.title, analyzer),
            sufficient=sufficient,
        )
        for number, (rating, each, sufficient) in enumerate(rated, 1)
    ]


def told_apart(
    candidates: Sequence[Candidate], texts: Mapping[str, Sequence[SourceChunk]], analyzer: Analyzer
) -> list[Candidate]:
    """The candidates, numbered anew, each with a sentence and words that only it has.

    Args:
        texts: parent id -> its chunks.
    """
    words = {
        parent_id: {t for c in chunks for t in analyzer.tokens(c.text) if len(t) > 1}
        for parent_id, chunks in texts.items()
    }
    made = []
    for number, candidate in enumerate(candidates, 1):
        parent_id = candidate.parent.parent_id
        mine = texts.get(parent_id, ())
        others = set().union(*(w for p, w in words.items() if p != parent_id), set())
        own = [t for t in dict.fromkeys(_tokens(mine, analyzer)) if t not in others and len(t) > 1]
        first = next(iter(sentences_of(mine)), None)
        made.append(
            candidate.model_copy(
                update={
                    "number": number,
                    "reason": _short(first.text) if first else "",
                    "reason_chunk": first.chunk.chunk_id if first else None,
                    "terms": own[:5],
                }
            )
        )
    return made


_ORDINAL = re.compile(
    r"^\s*(?:第|选择?|要|no\.?|number|#|option)?\s*"
    rf"(\d{{1,2}}|[{HAN_UP_TO_TEN}])\s*(?:个|号|种|份|篇|项|道)?\s*[.。!！]?\s*$",
    re.IGNORECASE,
)
#: A year alone, and words that only go on from what stands before them, ask nothing either.
_GOES_ON = re.compile(
    r"(?:19|20)\d{2}年?|(?:the\s+)?(?:next|previous|other|last)(?:\s+one)?|(?:show\s+)?more|continue|go\s+on"
    r"|[上下另]一[个份篇项种条]|更多|继续|其[他它]的?",
    re.IGNORECASE,
)
#: What a document itself may number.
_OF_A_DOCUMENT = re.compile(r"no\b|number|#|option|[号项条篇道]", re.IGNORECASE)
_ENGLISH_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def chosen_by(reply: str, candidates: Sequence[Candidate], analyzer: Analyzer) -> Candidate | None:
    """The candidate a reply chooses: by number, by id, or by words of one title alone."""
    said = plain(reply).strip()
    for candidate in candidates:
        if said in (candidate.parent.doc_id, candidate.parent.parent_id):
            return candidate
    titled = [c for c in candidates if said.casefold() == plain(c.parent.title).casefold()]
    if len(titled) == 1:
        return titled[0]
    number = _ordinal(said)
    if number is not None:
        return next((c for c in candidates if c.number == number), None)
    tokens = [t for t in analyzer.tokens(reply) if t not in CHOOSING]
    if not tokens:
        return None
    titles = {c.number: _title_text(c.parent.title, analyzer) for c in candidates}
    held = {
        number: sum(t in tokens_of or t in plain_title for t in tokens)
        for number, (tokens_of, plain_title) in titles.items()
    }
    best = max(held.values())
    fits = [c for c in candidates if held[c.number] == best]
    whole = best == len(tokens)
    return fits[0] if len(fits) == 1 and whole else None


def only_chooses(reply: str) -> bool:
    """Whether a reply means nothing by itself, but only one of what was offered: 2, the second one,
    2025, next."""
    said = plain(reply).strip()
    return _ordinal(said) is not None or _GOES_ON.fullmatch(said.rstrip(".!?。！？ ")) is not None


def is_bare_number(reply: str) -> bool:
    """Whether a reply is the number of what it means, and no more: not rule no. 5, 第二项."""
    said = plain(reply).strip()
    return _ordinal(said) is not None and _OF_A_DOCUMENT.search(said) is None


def _ordinal(said: str) -> int | None:
    for number, word in enumerate(_ENGLISH_ORDINALS, 1):
        if re.fullmatch(rf"(?:the\s+)?{word}(?:\s+one)?[.!]?", said, re.IGNORECASE):
            return number
    match = _ORDINAL.match(said)
    return numeral_value(match[1]) if match else None


def _title_text(title: str, analyzer: Analyzer) -> tuple[frozenset[str], str]:
    return frozenset(analyzer.tokens(title)), plain(title).casefold()


def also_named(said: str, chosen: Parent, others: Sequence[Parent]) -> list[str]:
    """The titles of other parents that a question holds word for word, of those found on it. A
    title of one word, and what is part of the chosen one's, names a thing rather than a document.
    """
    question = plain(said).casefold()
    titles = dict.fromkeys(other.title for other in others)
    return [
        title
        for title in titles
        if stands_in(name := plain(title).casefold(), question)
        and name not in plain(chosen.title).casefold()
        and (" " in name or (not name.isascii() and len(name) >= _FEWEST_CHARACTERS))
    ]


def _named(question: Question, title: str, analyzer: Analyzer) -> float:
    """Share of the question's weight that stands in a title."""
    tokens = frozenset(analyzer.tokens(title))
    held = sum(weight for term, weight in question.terms.items() if term in tokens)
    return held / question.weight if question.weight else 0.0


def _tokens(chunks: Sequence[SourceChunk], analyzer: Analyzer) -> list[str]:
    return [token for chunk in chunks for token in analyzer.tokens(chunk.text)]


def _short(text: str) -> str:
    return text if len(text) <= _REASON_CHARS else text[: _REASON_CHARS - 1].rstrip() + "…"
