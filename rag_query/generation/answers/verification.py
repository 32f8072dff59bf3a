"""Checking every sentence of an output against the chunks it names, before anyone sees it.

A sentence passes when its words stand in its chunks, its numbers and their units do, its names
do, and it denies what its source denies. What does not pass is cut.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from rag_query.contracts.answer import Check, CheckResult
from rag_query.generation.answers.instructions import without_orders
from rag_query.generation.passages.sentences import Sentence, SourceChunk, sentences_of
from rag_query.generation.vocabulary.facts import (
    latin_names,
    negated,
    numbers,
    plain,
    quoted,
    stands_in,
)
from rag_query.generation.vocabulary.words import JOINING
from rag_query.providers.registry import Params, register
from rag_query.text.analysis import Analyzer

_GLUED = re.compile(r"(?<=\d)(?=[A-Za-z])")
_SAYS = re.compile(r"[A-Za-z]{2}|[^\W\d_a-zA-Z]")


class VerifierParams(Params):
    """Parameters of ``verifier.rules``.

    Attributes:
        min_wording: share of a sentence's content words that must stand in its chunks.
        min_sequence: share of its neighbouring words that must stand together in its chunks, so
            that true words in another order do not pass.
    """

    min_wording: float = Field(0.9, ge=0.5, le=1)
    min_sequence: float = Field(0.4, ge=0, le=1)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a sentence was found to come from."""

    sentence: Sentence
    overlap: float


class RulesVerifier:
    """Checks sentences. Safe to use from several threads."""

    def __init__(self, params: VerifierParams, *, analyzer: Analyzer) -> None:
        self._params = params
        self._analyzer = analyzer

    def check(
        self, text: str, chunk_ids: Sequence[str], evidence: Mapping[str, SourceChunk]
    ) -> tuple[list[CheckResult], list[Source]]:
        """Every check of one sentence, and the source sentences nearest to it, best first.

        Args:
            chunk_ids: what the sentence names as its source.
            evidence: chunk id -> chunk, of the locked parent alone.
        """
        foreign = [chunk_id for chunk_id in chunk_ids if chunk_id not in evidence]
        if foreign or not chunk_ids:
            said = f"not in the evidence: {', '.join(foreign)}" if foreign else "no chunk named"
            return [CheckResult(check=Check.EVIDENCE, passed=False, detail=said)], []
        chunks = [evidence[chunk_id] for chunk_id in dict.fromkeys(chunk_ids)]
        sources = self._sources(text, chunks)
        verbatim = bool(sources) and sources[0].sentence.text == text
        # What is quoted bears itself out, an order in a document too; nothing else can rest on one.
        held = [text] if verbatim else [without_orders(chunk) for chunk in chunks]
        results = [
            CheckResult(check=Check.EVIDENCE, passed=True),
            self._wording(text, held),
            *_numbers(text, held),
            _names(text, [*held, *(chunk.title for chunk in chunks)]),
            _negation(text, sources),
        ]
        return results, sources

    def _wording(self, text: str, evidence: Sequence[str]) -> CheckResult:
        sources = [self._words(each) for each in evidence]
        held = {token for tokens in sources for token in tokens}
        pairs = {pair for tokens in sources for pair in itertools.pairwise(tokens)}
        tokens = self._words(text)
        content = [token for token in tokens if token not in JOINING]
        if not content:
            # 可以。 answers where the document says so; the letter of an item does not.
            said = text in evidence and _SAYS.search(text) is not None
            detail = "" if said else "nothing is said"
            return CheckResult(check=Check.WORDING, passed=not detail, detail=detail)
        unknown = [token for token in content if token not in held]
        share = 1 - len(unknown) / len(content)
        own = list(itertools.pairwise(tokens))
        together = sum(pair in pairs for pair in own) / len(own) if own else 1.0
        passed = share >= self._params.min_wording and together >= self._params.min_sequence
        detail = f"words {share:.2f}, in sequence {together:.2f}"
        if not passed and unknown:
            detail += f"; not in the evidence: {', '.join(unknown[:8])}"
        return CheckResult(check=Check.WORDING, passed=passed, detail=detail)

    def _words(self, text: str) -> list[str]:
        """Tokens; a number and the unit behind it are two, with or without a blank."""
        return self._analyzer.tokens(_GLUED.sub(" ", plain(text)))

    def _sources(self, text: str, chunks: Sequence[SourceChunk]) -> list[Source]:
        """Source sentences that share words, the nearest first; a verbatim one stands alone."""
        found = sentences_of(chunks)
        for sentence in found:
            if sentence.text == text:
                return [Source(sentence, 1.0)]
        wanted = set(self._analyzer.tokens(text)) - JOINING
        if not wanted:
            return []
        scored = [
            Source(s, len(wanted & set(self._analyzer.tokens(s.text))) / len(wanted)) for s in found
        ]
        return sorted((s for s in scored if s.overlap > 0), key=lambda s: -s.overlap)[:3]


def _numbers(text: str, evidence: Sequence[str]) -> list[CheckResult]:
    held = [number for each in evidence for number in numbers(each)]
    values = {number.value for number in held}
    units = {(number.value, number.unit) for number in held}
    said = numbers(text)
    unknown = sorted({number.value for number in said if number.value not in values})
    misplaced = sorted(
        {
            f"{number.value} {number.unit}"
            for number in said
            if number.unit and number.value in values and (number.value, number.unit) not in units
        }
    )
    return [
        CheckResult(check=Check.NUMBERS, passed=not unknown, detail=", ".join(unknown)),
        CheckResult(check=Check.UNITS, passed=not misplaced, detail=", ".join(misplaced)),
    ]


def _names(text: str, evidence: Sequence[str]) -> CheckResult:
    held = _folded(" ".join(evidence))
    named = [*quoted(text), *latin_names(text)]
    unknown = [name for name in named if not stands_in(_folded(name), held)]
    return CheckResult(check=Check.NAMES, passed=not unknown, detail=", ".join(unknown))


def _negation(text: str, sources: Sequence[Source]) -> CheckResult:
    """A sentence and what it rests on must both deny something, or both not."""
    if not sources:
        return CheckResult(check=Check.NEGATION, passed=False, detail="no source sentence")
    best = sources[0].sentence.text
    said, held = negated(text), negated(best)
    passed = (said > 0) == (held > 0)
    detail = (
        "" if passed else ("denied here, not in its source" if said else "its source denies it")
    )
    return CheckResult(check=Check.NEGATION, passed=passed, detail=detail)


def _folded(text: str) -> str:
    return " ".join(plain(text).casefold().split())


register("verifier.rules", version="4", params=VerifierParams, build=RulesVerifier)
