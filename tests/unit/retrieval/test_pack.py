"""An evidence shows what its plan asks for, and names the page its own words stand on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from rag_query.contracts.evidence import EvidenceItem
from rag_query.contracts.plan import RetrievalPlan
from rag_query.library.served import Anchor, ServedChunk
from rag_query.retrieval.fusion import Fused, Hit
from rag_query.retrieval.pack import MAX_DUPLICATES, Candidate, build_evidence
from rag_query.text.analysis import analyzer

FIRST = "The float gauge is read at noon. "
SECOND = "The radar gauge is read at midnight."
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def chunk() -> ServedChunk:
    split = len(FIRST)
    return ServedChunk(
        chunk_id="chk_" + "0" * 24,
        version_id="ver_1",
        doc_id="doc_1",
        section_id="sec_1",
        is_latest=True,
        version_no=1,
        title="Gauges",
        source_uri="file://docs/gauges.pdf",
        source_type="file",
        format="pdf",
        collection="docs",
        tags=[],
        topics=[],
        external_id=None,
        created_at=NOW,
        language="en",
        section_path="Gauges",
        section_title="Gauges",
        chunk_index=0,
        block_type="paragraph",
        chunk_text=FIRST + SECOND,
        content_hash="0" * 64,
        char_start=0,
        char_end=split + len(SECOND),
        line_start=1,
        line_end=1,
        page_start=4,
        page_end=5,
        page_label="iv",
        anchors=[
            Anchor(0, split - 1, 4, 72, 700, 300, 712),
            Anchor(split, split + len(SECOND), 5, 72, 72, 300, 84),
        ],
        asset_ids=[],
        keywords=[],
        header_row=None,
    )


def evidence(
    row: ServedChunk,
    hits: tuple[Hit, ...] = (Hit(0, "sparse", 1.0, 1, None, 1.0, 1.0),),
    *,
    question: str = "float noon",
    filters: dict[str, Any] | None = None,
    **output: Any,
) -> EvidenceItem:
    """The evidence of a chunk that queries 0 (exact) and 1 (semantic) may have found."""
    plan = RetrievalPlan.model_validate(
        {
            "queries": [
                {"text": question, "mode": "exact", "filters": filters or {}},
                {"text": question, "mode": "semantic"},
            ],
            "output": {"max_snippet_chars": 60, **output},
        }
    )
    fused = Fused(row.chunk_id, 1.0, 1.0, hits)
    same = tuple(f"c{n}" for n in range(MAX_DUPLICATES + 5))
    candidate = Candidate(fused, "doc_1", "sec_1", "file://docs/g", "file", NOW, same=same)
    terms = [frozenset(analyzer().tokens(question))] * 2
    return build_evidence(candidate, row, plan, terms, NOW)


@pytest.mark.parametrize(
    ("question", "size", "pages", "label"),
    [
        ("midnight radar", 60, (5, 5), None),
        ("float noon", 60, (4, 4), "iv"),
        ("float noon", 400, (4, 5), "iv"),
    ],
)
def test_the_pages_and_boxes_are_those_of_the_words_shown(
    question: str, size: int, pages: tuple[int, int], label: str | None
) -> None:
    made = evidence(chunk(), question=question, max_snippet_chars=size)
    assert (made.metadata.page, made.metadata.page_end) == pages
    assert made.metadata.page_label == label
    assert {box.page for box in made.metadata.boxes} == set(pages)


def test_a_passage_of_an_older_version_has_an_id_of_its_own() -> None:
    assert evidence(chunk()).id == chunk().chunk_id
    assert evidence(replace(chunk(), is_latest=False)).id == f"{chunk().chunk_id}@ver_1"


def test_output_leaves_out_what_a_plan_does_not_want() -> None:
    whole = evidence(chunk(), include_raw=True)
    assert whole.raw is not None and whole.raw.debug_payload is not None
    assert whole.raw.content_ref == f"chunk:{whole.snippet_policy}"
    assert whole.raw.content_hash == f"sha256:{'0' * 64}"
    assert whole.snippet == f"{FIRST}…" and whole.metadata.matches
    assert whole.provenance == whole.provenances[0]
    assert whole.provenance.query_text == "float noon"
    bare = evidence(
        replace(chunk(), content_hash=""),
        include_snippets=False,
        include_provenance=False,
        include_signals=False,
    )
    assert (bare.snippet, bare.snippet_policy, bare.metadata.matches) == ("", None, [])
    assert bare.raw is not None
    assert (bare.raw.content_ref, bare.raw.content_hash, bare.raw.debug_payload) == (None,) * 3
    assert (bare.provenance.query_text, bare.provenances) == (None, [])
    assert (bare.signals.legs, bare.signals.fused_score) == ([], 1.0)


def test_each_leg_is_named_with_its_best_rank_over_the_queries() -> None:
    hits = (
        Hit(0, "sparse", 4.0, 7, None, 1.0, 0.1),
        Hit(1, "dense", 0.8, 3, None, 1.0, 0.5),
        Hit(1, "sparse", 9.0, 2, None, 1.0, 0.2),
    )
    made = evidence(chunk(), hits)
    assert (made.signals.fts_rank, made.signals.fts_score) == (2, 9.0)
    assert (made.signals.vector_rank, made.signals.vector_score) == (3, 0.8)
    assert made.provenance.query_index == 1
    alone = evidence(chunk()).signals
    assert (alone.vector_rank, alone.vector_score) == (None, None)


def test_the_share_of_the_asked_tags_is_told_where_tags_are_asked_for() -> None:
    row = replace(chunk(), tags=["tide", "gauge"])
    asked = evidence(row, filters={"tag_ids": ["tide", "moon"]}).signals
    assert (asked.tag_score, asked.topic_score) == (0.5, None)


def test_few_of_many_duplicates_are_named_and_all_are_counted() -> None:
    metadata = evidence(chunk()).metadata
    assert len(metadata.duplicates) == MAX_DUPLICATES
    assert metadata.duplicate_count == MAX_DUPLICATES + 5


READ = "The float is painted red."


@pytest.mark.parametrize(
    ("own", "question", "from_ocr"),
    [
        (FIRST, "float noon", None),
        (FIRST, "float red", True),
        (FIRST, "float", None),
        ("![](gauge.png)", "gauge", True),
    ],
)
def test_text_read_from_a_picture_is_shown_where_it_alone_answers(
    own: str, question: str, from_ocr: bool | None
) -> None:
    anchors = [Anchor(0, len(READ), 5, 10, 10, 90, 20)]
    row = replace(chunk(), chunk_text=own, anchors=[], ocr_text=READ, ocr_anchors=anchors)
    made = evidence(row, question=question)
    assert made.metadata.from_ocr is from_ocr
    assert (made.snippet == READ) is bool(from_ocr)
    assert bool(made.metadata.boxes) is bool(from_ocr)


def test_the_words_of_a_scan_stand_where_they_were_read() -> None:
    read = [Anchor(0, len(READ), 5, 10, 10, 90, 20)]
    scan = replace(chunk(), chunk_text="![](page.png)", ocr_text=READ, ocr_anchors=read)
    assert scan.places == read
    assert replace(scan, ocr_anchors=[]).places == chunk().anchors
    assert replace(scan, chunk_text=FIRST).places == chunk().anchors


@pytest.mark.parametrize(
    ("title", "section_path", "above"),
    [
        ("Gauges", "Gauges / Float", "Gauges › Float"),
        ("Handbook", "Gauges / Float", "Handbook › Gauges › Float"),
        ("Handbook", "__preamble__", "Handbook"),
    ],
)
def test_the_title_stands_once_above_a_snippet(title: str, section_path: str, above: str) -> None:
    row = replace(chunk(), title=title, section_path=section_path)
    made = evidence(row, snippet_policy="l0", max_snippet_chars=400)
    assert made.snippet.startswith(f"{above}: ")
