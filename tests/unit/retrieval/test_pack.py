"""An evidence names the page its own words stand on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rag_query.contracts.plan import RetrievalPlan
from rag_query.library.served import Anchor, ServedChunk
from rag_query.retrieval.exact import analyzer
from rag_query.retrieval.fusion import Fused, Hit
from rag_query.retrieval.pack import Candidate, build_evidence

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
    plan = RetrievalPlan.model_validate(
        {
            "queries": [{"text": question, "mode": "exact"}],
            "output": {"max_snippet_chars": size},
        }
    )
    hit = Hit(0, "sparse", 1.0, 1, None, 1.0, 1.0)
    candidate = Candidate(
        Fused("chk_" + "0" * 24, 1.0, 1.0, (hit,)), "doc_1", "sec_1", "file://docs/g", "file", NOW
    )
    made = build_evidence(candidate, chunk(), plan, [analyzer().tokens(question)], NOW)
    assert (made.metadata.page, made.metadata.page_end) == pages
    assert made.metadata.page_label == label
    assert {box.page for box in made.metadata.boxes} == set(pages)
