"""From a fused candidate and its served row to an EvidenceItem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from rag_query.contracts.evidence import (
    Boost,
    EvidenceItem,
    EvidenceMetadata,
    Leg,
    LegSignal,
    Provenance,
    Raw,
    Signals,
)
from rag_query.contracts.plan import Mode, RetrievalPlan
from rag_query.library.places import boxes_of, place_of
from rag_query.library.served import Anchor, ServedChunk
from rag_query.retrieval.fusion import Fused, Hit
from rag_query.retrieval.snippets import Snippet, make_snippet
from rag_query.text.analysis import analyzer
from rag_query.text.pictures import only_pictures
from rag_query.text.section_paths import PREAMBLE, SEPARATOR

#: Ids of collapsed candidates an evidence names; it counts all of them.
MAX_DUPLICATES = 20


@dataclass(frozen=True)
class Candidate:
    """A fused candidate and what later stages look at.

    Attributes:
        doc_id: its document.
        section_id: its section.
        source_uri: where the document is from.
        source_type: kind of source.
        created_at: when the document was first seen.
        version_id: the newest version that holds it.
        char_start: first character in that version.
        char_end: one past the last.
        tags: of the document.
        asset_ids: images it shows.
        rerank_score: when a reranker scored it.
        recency: 0 for the oldest candidate to 1 for the newest, when that was asked.
        boosts: of the soft preferences.
        final_score: with the boosts, when there are any.
        same: chunk ids that were collapsed into it.
        counted: the mode whose quota it takes; its strongest query's when None.
    """

    fused: Fused
    doc_id: str
    section_id: str
    source_uri: str
    source_type: str
    created_at: datetime
    version_id: str = ""
    char_start: int = 0
    char_end: int = 0
    tags: Sequence[str] = ()
    asset_ids: Sequence[str] = ()
    rerank_score: float | None = None
    recency: float | None = None
    boosts: tuple[Boost, ...] = ()
    final_score: float | None = None
    same: tuple[str, ...] = ()
    counted: Mode | None = None

    def queries(self, plan: RetrievalPlan) -> list[int]:
        """Queries that found it, strongest first, those of the mode it counts for before all."""
        found = self.fused.queries()
        return sorted(found, key=lambda index: plan.queries[index].mode != (self.counted or ""))


def build_evidence(
    candidate: Candidate,
    row: ServedChunk,
    plan: RetrievalPlan,
    terms: Sequence[frozenset[str]],
    now: datetime,
) -> EvidenceItem:
    """One evidence under the effective plan's ``output``.

    Args:
        row: the chunk in the version that is shown.
        terms: the tokens of each query, for choosing sentences.
        now: ``retrieved_at``.
    """
    output = plan.output
    queries = candidate.queries(plan)
    shown = _shown(row, terms[queries[0]])
    snippet = _snippet(row, shown, plan, terms[queries[0]]) if output.include_snippets else None
    provenances = [
        Provenance(
            mode=plan.queries[index].mode,
            query_text=plan.queries[index].text,
            query_index=index,
            retrieved_at=now,
        )
        for index in queries
    ]
    if not output.include_provenance:
        provenances = [Provenance(mode=plan.queries[queries[0]].mode)]
    text_hash = row.content_hash
    return EvidenceItem(
        id=row.chunk_id if row.is_latest else f"{row.chunk_id}@{row.version_id}",
        document_id=row.doc_id,
        section_id=row.section_id,
        title=row.title,
        source_uri=row.source_uri,
        source_type=row.source_type,
        snippet=snippet.text if snippet else "",
        snippet_policy=snippet.policy if snippet else None,
        language=row.language,
        signals=_signals(candidate, row, plan, queries[0]),
        provenance=provenances[0],
        provenances=provenances if output.include_provenance else [],
        metadata=_metadata(row, shown, snippet, candidate.same),
        raw=Raw(
            content_ref=f"{shown.layer}:{snippet.policy}" if snippet else None,
            content_hash=f"sha256:{text_hash}" if text_hash else None,
            debug_payload=_debug_payload(row) if output.include_raw else None,
        ),
    )


def headings_of(row: ServedChunk) -> tuple[str, ...]:
    """The headings above a chunk, from the top; empty before the first heading."""
    path = row.section_path
    return () if path == PREAMBLE else tuple(path.split(SEPARATOR))


@dataclass(frozen=True, slots=True)
class _Shown:
    """The text of a chunk that is shown: its own, or what was read from its pictures."""

    layer: Literal["chunk", "ocr"]
    text: str
    anchors: Sequence[Anchor]


def _shown(row: ServedChunk, terms: frozenset[str]) -> _Shown:
    """A chunk's own text, unless only the text read from its pictures answers the query better."""
    own = _Shown("chunk", row.chunk_text, row.anchors)
    if not row.ocr_text:
        return own
    read = _Shown("ocr", row.ocr_text, row.ocr_anchors or [])
    if only_pictures(row.chunk_text):
        return read
    tokens = analyzer().tokens
    said = len(terms.intersection(tokens(row.chunk_text)))
    return read if len(terms.intersection(tokens(row.ocr_text))) > said else own


def _snippet(
    row: ServedChunk, shown: _Shown, plan: RetrievalPlan, terms: frozenset[str]
) -> Snippet:
    headings = headings_of(row)
    # The first heading of a document is very often its title.
    title = () if headings and headings[0] == row.title else (row.title,)
    return make_snippet(
        shown.text,
        plan.output.snippet_policy,
        plan.output.max_snippet_chars or 1,
        terms=terms,
        analyzer=analyzer(),
        title_path=(*title, *headings),
    )


def _signals(
    candidate: Candidate, row: ServedChunk, plan: RetrievalPlan, best_query: int
) -> Signals:
    fused = candidate.fused
    if not plan.output.include_signals:
        return Signals(
            rrf_score=fused.rrf_score,
            fused_score=fused.score,
            rerank_score=candidate.rerank_score,
            final_score=candidate.final_score,
        )
    dense, sparse = _best(fused.hits, "dense"), _best(fused.hits, "sparse")
    filters = plan.filters_of(best_query)
    return Signals(
        vector_score=dense.score if dense else None,
        vector_rank=dense.rank if dense else None,
        fts_score=sparse.score if sparse else None,
        fts_rank=sparse.rank if sparse else None,
        rrf_score=fused.rrf_score,
        rerank_score=candidate.rerank_score,
        tag_score=_share(filters.tag_ids, row.tags),
        topic_score=_share(filters.topic_ids, row.topics),
        recency_score=candidate.recency,
        fused_score=fused.score,
        final_score=candidate.final_score,
        boosts=list(candidate.boosts),
        legs=[LegSignal(**hit._asdict()) for hit in fused.hits],
    )


def _best(hits: Sequence[Hit], leg: Leg) -> Hit | None:
    """The leg's best rank over the queries, with the score it had there."""
    found = [hit for hit in hits if hit.leg == leg]
    return min(found, key=lambda hit: (hit.rank, -hit.score), default=None)


def _share(asked: list[str] | None, held: Sequence[str]) -> float | None:
    if not asked:
        return None
    return len(set(asked).intersection(held)) / len(set(asked))


def _metadata(
    row: ServedChunk, shown: _Shown, snippet: Snippet | None, same: Sequence[str]
) -> EvidenceMetadata:
    place = place_of(row, shown.anchors, snippet.ranges if snippet else ())
    from_ocr = shown.layer == "ocr"
    return EvidenceMetadata(
        from_ocr=from_ocr or None,
        chunk_index=row.chunk_index,
        offset_start=row.char_start,
        offset_end=row.char_end,
        page=place.page,
        section_title=row.section_title,
        page_end=place.page_end,
        # The label served is that of the chunk's first page.
        page_label=row.page_label if place.page == row.page_start else None,
        boxes=list(place.boxes or boxes_of(shown.anchors)),
        section_path=row.section_path,
        block_type=row.block_type,
        version_id=row.version_id,
        version_no=row.version_no,
        is_latest=row.is_latest,
        line_start=row.line_start,
        line_end=row.line_end,
        asset_ids=list(row.asset_ids),
        collection=row.collection,
        tags=list(row.tags),
        topics=list(row.topics),
        keywords=list(row.keywords),
        external_id=row.external_id,
        created_at=row.created_at,
        matches=list(snippet.matches) if snippet else [],
        duplicates=list(same[:MAX_DUPLICATES]),
        duplicate_count=len(same),
    )


def _debug_payload(row: ServedChunk) -> dict[str, Any]:
    """The whole text and the columns of the served row that no other field shows."""
    return {
        "chunk_text": row.chunk_text,
        "header_row": row.header_row,
        "ocr_text": row.ocr_text,
        "format": row.format,
        "version_no": row.version_no,
    }
