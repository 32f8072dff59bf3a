"""What should have been found, resolved against the library.

A case names documents or passages. A passage is named by its chunk id in the library as it is
published; in a generation cut into other chunks, a chunk hits it when it covers at least half of
the shorter of the two. So cases stay valid when the chunk size is what is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import EvalCase, Ranked
from rag_query.library.served import ServedChunk
from rag_query.library.snapshot import Snapshot
from rag_query.text.ids import CHUNK_PREFIX

#: Share of the shorter of two ranges that must lie in both.
MIN_OVERLAP = 0.5


@dataclass(frozen=True, slots=True)
class Target:
    """Something that should be found.

    Attributes:
        target_id: a doc_id or a chunk id; as the case has it when the library holds no such thing.
        grade: 1 and up.
        doc_id: None for what the library does not hold.
        passage: the chunk; None when the whole document is meant.
    """

    target_id: str
    grade: int
    doc_id: str | None
    passage: ServedChunk | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The targets of one case.

    Attributes:
        unknown: references of the case that the library does not hold.
        scope: ids of the documents, versions and collections of ``doc_scope``.
    """

    case: EvalCase
    targets: tuple[Target, ...]
    unknown: tuple[str, ...] = ()
    scope: frozenset[str] = field(default_factory=frozenset)

    @property
    def by_document(self) -> bool:
        """Whether the case asks for documents, so that a ranking is one of documents."""
        return bool(self.targets) and all(target.passage is None for target in self.targets)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a found passage stands; offsets are of the normalised Markdown of its version."""

    chunk_id: str
    doc_id: str
    version_id: str
    start: int
    end: int


def looked_up(cases: Sequence[EvalCase], reference: Snapshot) -> list[Judgement]:
    """The targets of every case, in order, whether the library holds any of them or not.

    Args:
        reference: the published snapshot, whose chunk ids the cases name.
    """
    names = reference.catalog.references()
    wanted = {chunk for case in cases for chunk in _chunks_of(case)}
    chunks = {chunk.chunk_id: chunk for chunk in reference.served.get(sorted(wanted))}
    return [_judge(case, names, chunks) for case in cases]


def resolve(cases: Sequence[EvalCase], reference: Snapshot) -> list[Judgement]:
    """Like :func:`looked_up`.

    Raises:
        ExcerptaError: ``INVALID_DATASET`` when cases name things, and the library holds none of
            them: it is the wrong library, or the wrong dataset.
    """
    made = looked_up(cases, reference)
    named = [judgement for judgement in made if judgement.targets]
    if named and not any(t.doc_id for judgement in named for t in judgement.targets):
        example = named[0].targets[0].target_id
        raise ExcerptaError(
            ErrorCode.INVALID_DATASET,
            f"The library holds nothing of what the cases expect; for example not {example!r}.",
            hint="Check that the dataset was made for this library.",
            details={"unknown": [t.target_id for t in named[0].targets][:20]},
        )
    return made


def rank(judgement: Judgement, found: Sequence[Ranked], places: dict[str, Place]) -> list[str]:
    """The ranking as ids that can be compared with the targets': the target a passage hits first,
    else its own id (its document's when documents are asked for).

    A document that comes again takes no further rank; a passage of a target that was hit before
    keeps its rank, as it takes room in an answer.
    """
    ranked: list[str] = []
    for item in found:
        place = places.get(item.chunk_id)
        hits = [t.target_id for t in judgement.targets if place and hit(t, place)]
        fresh = [target for target in hits if target not in ranked]
        if judgement.by_document:
            ranked += [d for d in hits or [item.doc_id or item.chunk_id] if d not in ranked]
        else:
            ranked += fresh or [item.chunk_id if not hits else f"{item.chunk_id} again"]
    return ranked


def hit(target: Target, place: Place) -> bool:
    """Whether a found passage is of the target."""
    if target.doc_id != place.doc_id:
        return False
    passage = target.passage
    if passage is None or passage.chunk_id == place.chunk_id:
        return True
    if passage.version_id != place.version_id:
        return False
    both = min(passage.char_end, place.end) - max(passage.char_start, place.start)
    shorter = min(passage.char_end - passage.char_start, place.end - place.start)
    return shorter > 0 and both >= MIN_OVERLAP * shorter


def places_of(snapshot: Snapshot, found: Iterable[Ranked]) -> dict[str, Place]:
    """Where the passages of a ranking stand."""
    chunks = snapshot.served.get(list(dict.fromkeys(item.chunk_id for item in found)))
    return {
        c.chunk_id: Place(c.chunk_id, c.doc_id, c.version_id, c.char_start, c.char_end)
        for c in chunks
    }


def in_scope(judgement: Judgement, doc_id: str, version_id: str, collection: str) -> bool:
    """Whether a passage of that origin lies in the case's ``doc_scope``."""
    return not judgement.scope.isdisjoint((doc_id, version_id, f"collection:{collection}"))


def _chunks_of(case: EvalCase) -> list[str]:
    cited = [name for name in case.expected_citations if name.startswith(CHUNK_PREFIX)]
    return case.expected_chunk_ids or ([] if case.relevant else cited)


def _judge(
    case: EvalCase, names: dict[str, list[str]], chunks: dict[str, ServedChunk]
) -> Judgement:
    targets: dict[str, Target] = {}
    unknown: list[str] = []
    for name in _chunks_of(case):
        chunk = chunks.get(name)
        targets[name] = Target(name, 1, chunk.doc_id if chunk else None, chunk)
        if chunk is None:
            unknown.append(name)
    graded = dict(case.relevant)
    if not graded and not targets:
        graded = dict.fromkeys(case.expected_citations, 1)
    for name, grade in graded.items():
        held = names.get(name, [])
        if not held:
            unknown.append(name)
            targets[name] = Target(name, grade, None)
        for doc in held:
            before = targets.get(doc)
            best = max(grade, before.grade if before else 0)
            targets[doc] = Target(doc, best, doc)
    return Judgement(case, tuple(targets.values()), tuple(unknown), _scope(case, names))


def _scope(case: EvalCase, names: dict[str, list[str]]) -> frozenset[str]:
    scope = case.doc_scope
    if scope is None:
        return frozenset()
    documents = [doc for name in scope.documents for doc in names.get(name, [])]
    collections = [f"collection:{name}" for name in scope.collections]
    return frozenset([*documents, *scope.versions, *collections])
