"""From a draft to what leaves the house: each sentence checked, mapped, and set for a reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag_query.contracts.answer import CheckResult, MapEntry, OutputSection
from rag_query.generation.answers.draft import DraftSentence
from rag_query.generation.answers.verification import RulesVerifier
from rag_query.generation.answers.wording import Wording
from rag_query.generation.passages.sentences import SourceChunk
from rag_query.library.places import Where


@dataclass(frozen=True, slots=True)
class Released:
    """What passed, and what was cut."""

    sections: list[OutputSection]
    generation_map: list[MapEntry]
    cut: list[MapEntry]
    leads: list[str]


def check_sentence(
    sentence: DraftSentence,
    number: int,
    evidence: dict[str, SourceChunk],
    verifier: RulesVerifier,
    where: Where,
) -> MapEntry:
    """The entry of one sentence, with the result of every check and the places of its sources."""
    results, sources = verifier.check(sentence.text, sentence.chunk_ids, evidence)
    places = sentence.sources or tuple(source.sentence for source in sources[:2])
    return MapEntry(
        output_section=sentence.name,
        sentence=number,
        text=sentence.text,
        heading=sentence.heading,
        used_chunks=[c for c in dict.fromkeys(sentence.chunk_ids) if c in evidence],
        spans=[place.span(where) for place in places],
        checks=[CheckResult.model_validate(result) for result in results],
    )


def release(
    sentences: Sequence[DraftSentence],
    evidence: dict[str, SourceChunk],
    verifier: RulesVerifier,
    wording: Wording,
    where: Where,
) -> Released:
    """Check every sentence; keep those that pass, in their order."""
    kept: list[MapEntry] = []
    leads: list[str] = []
    cut: list[MapEntry] = []
    groups: dict[str, list[int]] = {}
    for sentence in sentences:
        entry = check_sentence(sentence, len(kept), evidence, verifier, where)
        if not entry.passed:
            cut.append(entry)
            continue
        groups.setdefault(sentence.group, []).append(len(kept))
        kept.append(entry)
        leads.append(sentence.lead)
    sections = [
        OutputSection(name=name, title=wording.section(name), sentences=numbers)
        for name, numbers in groups.items()
    ]
    return Released(sections, kept, cut, leads)
