"""Scanned pages are found by what is printed on them, and cited with page and box as OCR."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pymupdf
import pytest

import rag_assets.providers  # noqa: F401
from rag_assets.child_processes.pool import close_pools
from rag_assets.chunks import stage as chunks
from rag_assets.context import StageContext
from rag_assets.enrichment import stage as enrichment
from rag_assets.loading import stage as loading
from rag_assets.media import stage as media
from rag_assets.normalizing import stage as normalizing
from rag_assets.publication.gc import collect
from rag_assets.sections import stage as sections
from rag_query.contracts.evidence import EvidenceItem
from rag_query.generation.conversation.asker import Asker
from rag_query.library.snapshot import Library
from rag_query.retrieval.ask import plan_for_question
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.pipeline import Retriever
from rag_query.strategies.strategy import StageConfig, Strategy
from tests.fixtures.library import SHARD, ingest, make_library, row_of
from tests.fixtures.scans import ScanPage, drawn_pdf, picture, scanned_pdf
from tests.hashed_words import small_strategy

ENGLISH = ["The pulley must be oiled", "every fortnight with Castor oil."]
CHINESE = ["浮子滑轮每两周上油一次", "请勿使用煤油清洗。"]
TURNED = ["Storm surge valve", "closes above seven metres."]
DRAWN = ["Plan of the sluice", "drawn to scale in outlines."]
STAMPED = ["Ledger of the harbour", "kept since nineteen hundred."]


def strategy(provider: str = "ocr.rapidocr", **params: object) -> Strategy:
    made = small_strategy()
    post = StageConfig(
        provider="transformer.enrich_post", params={"embedding_view": "chunk_text_or_ocr"}
    )
    stages = {"ocr": StageConfig(provider=provider, params=params), "transform_post": post}
    return made.model_copy(update={"stages": made.stages.model_copy(update=stages)})


@pytest.fixture(scope="module")
def ctx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StageContext]:
    folder = tmp_path_factory.mktemp("docs")
    pages = [
        ScanPage(ENGLISH),
        ScanPage(CHINESE),
        ScanPage(TURNED, turned=90),
        ScanPage(TURNED[::-1], rotation=90),
        ScanPage(STAMPED, words="page 5"),
    ]
    scanned_pdf(folder / "scan.pdf", pages)
    drawn_pdf(folder / "plan.pdf", [DRAWN])
    (folder / "gauge.png").write_bytes(picture(["Gauge serial QX4711"]))
    (folder / "dot.png").write_bytes(picture(["x"], dpi=12))
    (folder / "broken.png").write_bytes(picture(["lost"])[:300])
    (folder / "note.md").write_text(
        "# Gauges\n\nThe label is shown here: ![](gauge.png)\n\n![](dot.png) ![](broken.png)\n",
        encoding="utf-8",
    )
    context = make_library(tmp_path_factory.mktemp("home"), folder, strategy=strategy())
    ingest(context)
    yield context
    close_pools()


@pytest.fixture(scope="module")
def retriever(ctx: StageContext) -> Iterator[Retriever]:
    with open_retriever(ctx.home) as opened:
        yield opened


def first(retriever: Retriever, question: str, mode: str = "exact") -> EvidenceItem:
    return retriever.run(plan_for_question(question, mode)).evidences[0]


def test_every_scanned_page_is_a_chunk_of_its_own_and_the_facts_hold_no_ocr(
    ctx: StageContext,
) -> None:
    parsed = row_of(ctx, "parsed", "scan.pdf")
    assert "pulley" not in str(parsed["md"])
    version = parsed["version_id"]
    rows = [r for r in ctx.store.read("chunks", SHARD).to_pylist() if r["version_id"] == version]
    assert [(row["page_start"], row["page_end"]) for row in rows[:5]] == [
        (page, page) for page in range(1, 6)
    ]
    assert all("asset://" in row["chunk_text"] for row in rows[:5])


def test_lists_of_chunks_show_what_was_read_from_a_scanned_page(
    ctx: StageContext, retriever: Retriever
) -> None:
    del retriever  # It is published.
    catalog = Library.open(ctx.home).snapshot().catalog
    scan = catalog.document_chunks(catalog.resolve_document("scan.pdf"))
    assert scan[0].is_read and ENGLISH[0] in scan[0].words
    assert "asset://" in scan[0].chunk_text and "asset://" not in scan[0].words
    note = catalog.document_chunks(catalog.resolve_document("note.md"))[0]
    # Its own words stay what they are.
    assert not note.is_read and note.words == note.chunk_text


def test_what_was_read_is_a_sidecar_with_boxes_confidence_and_versions(ctx: StageContext) -> None:
    rows = {row["unit"]: row for row in ctx.store.read("ocr", SHARD).to_pylist()}
    page = rows["page:1"]
    assert (page["status"], page["text"]) == ("ready", "\n".join(ENGLISH))
    assert page["engine"] == "rapidocr" and "PP-OCR" in page["engine_version"]
    assert page["confidence"] > 0.9
    assert len(page["ocr_profile_id"]) == 64
    first_line, second_line = page["lines"]
    assert 15 < first_line["x0"] < 35 and 20 < first_line["y0"] < first_line["y1"] < 55
    assert second_line["y0"] > first_line["y0"]
    assert rows["page:2"]["text"].split("\n")[0] == CHINESE[0]
    assert (rows["page:3"]["rotation"], rows["page:3"]["text"]) == (90, "\n".join(TURNED))
    # Nothing but decoration, a broken picture, and pages read whole have no unit of their own.
    images = [row for row in rows.values() if row["asset_id"]]
    assert [row["text"] for row in images] == ["Gauge serial QX4711"]


@pytest.mark.parametrize(
    ("question", "page", "said"),
    [
        ("castor oil", 1, "Castor oil"),
        ("滑轮上油", 2, "滑轮"),
        ("storm surge valve", 3, "Storm surge"),
        ("harbour ledger", 5, "Ledger"),
    ],
)
@pytest.mark.parametrize("mode", ["exact", "hybrid"])
def test_a_scanned_page_is_found_by_its_words(
    retriever: Retriever, question: str, page: int, said: str, mode: str
) -> None:
    found = first(retriever, question, mode)
    assert said in found.snippet
    where = found.metadata
    assert (where.page, where.page_end, where.from_ocr) == (page, page, True)
    assert where.boxes and all(box.page == page for box in where.boxes)
    assert found.raw.content_ref is not None and found.raw.content_ref.startswith("ocr:")


@pytest.mark.parametrize("mode", ["exact", "hybrid"])
def test_a_page_of_outlines_alone_is_found_by_its_words(
    ctx: StageContext, retriever: Retriever, mode: str
) -> None:
    assert "sluice" not in str(row_of(ctx, "parsed", "plan.pdf")["md"])
    found = first(retriever, "plan of the sluice", mode)
    where = found.metadata
    assert DRAWN[0] in found.snippet
    assert (where.page, where.from_ocr) == (1, True)
    box = where.boxes[0]
    assert 15 < box.x0 < 35 and 20 < box.y0 < box.y1 < 85


@pytest.mark.parametrize(
    ("question", "page", "said"),
    [
        ("Must the pulley be oiled every fortnight?", 1, "The pulley must be oiled every"),
        ("浮子滑轮每两周上油吗？", 2, "浮子滑轮每两周上油一次"),
    ],
)
def test_a_scanned_page_answers_and_is_cited_with_its_boxes(
    retriever: Retriever, question: str, page: int, said: str
) -> None:
    answer = Asker(retriever).ask(question, lock="scan.pdf")
    assert answer.status == "answered" and answer.evidence_set is not None
    assert said in answer.generation_map[0].text
    span = answer.generation_map[0].spans[0]
    assert (span.page, span.from_ocr) == (page, True)
    assert span.boxes and {box.page for box in span.boxes} == {page}
    assert all(chunk.from_ocr for chunk in answer.evidence_set.chunks)
    assert any("read by OCR" in warning for warning in answer.warnings)


def test_boxes_lie_on_the_words_also_of_a_rotated_page(ctx: StageContext) -> None:
    with pymupdf.open(
        ctx.home.raw_file(str(row_of(ctx, "documents", "scan.pdf")["raw_sha256"]))
    ) as pdf:
        for number in (3, 4):
            page = pdf[number - 1]
            rows = {row["unit"]: row for row in ctx.store.read("ocr", SHARD).to_pylist()}
            for line in rows[f"page:{number}"]["lines"]:
                box = pymupdf.Rect(*(line[name] for name in ("x0", "y0", "x1", "y1")))
                shown = box * page.rotation_matrix
                dark = pymupdf.Pixmap(page.get_pixmap(clip=shown, dpi=72, colorspace="gray"))
                share = sum(value < 128 for value in dark.samples) / len(dark.samples)
                assert share > 0.05


def test_words_of_a_picture_in_a_text_find_the_passage_that_shows_it(retriever: Retriever) -> None:
    found = first(retriever, "QX4711")
    assert found.metadata.from_ocr and found.snippet == "Gauge serial QX4711"
    assert first(retriever, "label").metadata.from_ocr is None


def test_nothing_is_read_twice(ctx: StageContext) -> None:
    assert enrichment.run(ctx, SHARD).computed == 0
    other = StageContext(ctx.home, ctx.settings, strategy(few_chars=10))
    before = ctx.store.read("ocr", SHARD)["text"].to_pylist()
    held = {path: path.stat().st_mtime_ns for path in ctx.home.sidecar_cache.rglob("*.json")}
    assert held
    # Another policy over the same pictures: every reading comes from the cache.
    enrichment.run(other, SHARD)
    assert ctx.store.read("ocr", SHARD)["text"].to_pylist() == before
    after = {path: path.stat().st_mtime_ns for path in ctx.home.sidecar_cache.rglob("*.json")}
    assert after == held
    enrichment.run(ctx, SHARD)


def test_readings_no_table_names_are_collected(ctx: StageContext) -> None:
    stray = ctx.home.sidecar_cache / "ocr" / "0" / "ab" / f"{'ab' * 32}.json"
    stray.parent.mkdir(parents=True)
    stray.write_text("{}", encoding="utf-8")
    held = {path for path in ctx.home.sidecar_cache.rglob("*.json") if path != stray}
    done = collect(ctx.home, ctx.settings, now=datetime.now(UTC) + timedelta(days=1))
    assert done.files.get("sidecars") == 1 and not stray.exists()
    assert held and all(path.exists() for path in held)


def test_without_ocr_nothing_is_read(ctx: StageContext, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    scanned_pdf(folder / "scan.pdf", [ScanPage(ENGLISH)])
    for made in (strategy("ocr.none"), strategy(read=False)):
        context = make_library(tmp_path / "home", folder, strategy=made)
        for step in (loading, media, normalizing, sections, chunks, enrichment):
            step.run(context, SHARD)
        assert context.store.head("ocr", SHARD) is None
        assert context.store.read("enriched", SHARD)["ocr_text"].to_pylist() == [None]
