"""From the bytes of PDFs to chunks: every chunk knows where on which page its words stand."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import pymupdf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rag_assets.providers  # noqa: F401
from rag_assets.chunks import stage as chunks
from rag_assets.loading import stage as loading
from rag_assets.media import stage as media
from rag_assets.normalizing import stage as normalizing
from rag_assets.sections import stage as sections
from tests.fixtures.library import SHARD, make_library
from tests.fixtures.places import Pages, check_chunk, words_elsewhere

SAMPLES = Path(__file__).parents[3] / "data" / "samples"
WORDS = """
    tide gauge station harbour level float radar record noon storm surge valve weekly
    calibration pulley intake reading drift datum chart current buoy ledger
""".split()  # noqa: SIM905
HAN = "潮位站每天记录海面高度浮子雷达校准误差毫米风暴滑轮手册数据备份加密"


@st.composite
def pages(draw: st.DrawFn) -> dict[str, Any]:
    """What a page is made of; its words are chosen by a seed, so that shrinking stays quick."""
    return {
        "seed": draw(st.integers(0, 10_000)),
        "rotation": draw(st.sampled_from([0, 0, 90, 180, 270])),
        "columns": draw(st.integers(1, 2)),
        "rows": draw(st.integers(1, 30)),
        "heading": draw(st.booleans()),
        "header": draw(st.booleans()),
        "table": draw(st.booleans()),
        "script": draw(st.sampled_from(["latin", "latin", "han"])),
        "crop": draw(st.booleans()),
    }


def draw_page(document: pymupdf.Document, number: int, made: dict[str, Any]) -> None:
    """Set one page."""
    choose = random.Random(made["seed"])
    page = document.new_page(width=595, height=842)
    if made["header"]:
        page.insert_text((72, 50), "Annual notes of the station", fontsize=9)
        page.insert_text((290, 810), str(number), fontsize=9)
    y = 100
    if made["heading"]:
        page.insert_text((72, y), f"Part {number} of the {choose.choice(WORDS)}", fontsize=20)
        y += 30
    for column in range(made["columns"]):
        for row in range(made["rows"]):
            if made["script"] == "han":
                text = "".join(choose.choices(HAN, k=18)) + "。"
            else:
                text = " ".join(choose.choices(WORDS, k=6)) + choose.choice(["", ".", ",", "-"])
            font = "china-s" if made["script"] == "han" else "helv"
            at = (72 + 250 * column, y + 14 * row)
            page.insert_text(at, text, fontsize=9, fontname=font)
    if made["table"]:
        top = y + 14 * made["rows"] + 20
        for line in range(4):
            page.draw_line((72, top + 20 * line), (372, top + 20 * line))
            page.draw_line((72 + 100 * line, top), (72 + 100 * line, top + 60))
        for line in range(3):
            for column in range(3):
                place = (76 + 100 * column, top + 14 + 20 * line)
                page.insert_text(place, choose.choice(WORDS), fontsize=9)
    if made["crop"]:
        page.set_cropbox(pymupdf.Rect(20, 30, 595, 842))
    page.set_rotation(made["rotation"])


def check_places(folder: Path, home: Path) -> int:
    """Ingest every PDF of a folder as far as chunks and check all of them; returns how many."""
    context = make_library(home, folder)
    for stage in (loading, media, normalizing, sections, chunks):
        stage.run(context, SHARD)
    store = context.store
    names = {d["version_id"]: d["name"] for d in store.read("documents", SHARD).to_pylist()}
    text_of = {r["version_id"]: r["md_norm"] for r in store.read("normalized", SHARD).to_pylist()}
    in_section = {r["section_id"]: r["text"] for r in store.read("sections", SHARD).to_pylist()}
    rows = store.read("chunks", SHARD).to_pylist()
    read = {version: Pages(folder / name) for version, name in names.items()}
    assert set(text_of) == set(names)
    for row in rows:
        text = row["chunk_text"]
        assert text == text_of[row["version_id"]][row["char_start"] : row["char_end"]]
        section = in_section[row["section_id"]]
        assert text == section[row["section_start"] : row["section_end"]]
        check_chunk(row, read[row["version_id"]])
    return len(rows)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.lists(pages(), min_size=1, max_size=4), min_size=1, max_size=3))
def test_every_chunk_of_every_pdf_knows_its_place(documents: list[list[dict[str, Any]]]) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "docs")
        folder.mkdir()
        for index, made in enumerate(documents):
            document = pymupdf.open()
            for number, page in enumerate(made, 1):
                draw_page(document, number, page)
            document.save(folder / f"{index}.pdf")
            document.close()
        assert check_places(folder, Path(temporary, "home")) >= len(documents)


def test_every_chunk_of_the_samples_knows_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for path in SAMPLES.glob("*.pdf"):
        (folder / path.name).write_bytes(path.read_bytes())
    assert check_places(folder, tmp_path / "home") >= 9


def test_the_sign_of_a_box_to_tick_stands_where_the_box_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 72), "Which of the gauges were read this week:", fontsize=11)
        for number, gauge in enumerate(("Mill bridge", "Lower lock", "Old harbour")):
            box = pymupdf.Widget()
            box.field_type, box.field_name = pymupdf.PDF_WIDGET_TYPE_CHECKBOX, gauge
            box.rect = pymupdf.Rect(72, 100 + 24 * number, 84, 112 + 24 * number)
            box.field_value = number == 1
            page.add_widget(box)
            page.insert_text((90, 110 + 24 * number), gauge, fontsize=11)
        document.save(tmp_path / "docs" / "form.pdf")
    assert check_places(tmp_path / "docs", tmp_path / "home") == 1
    rows = make_library(tmp_path / "home", tmp_path / "docs").store.read("chunks", SHARD)
    (row,) = rows.to_pylist()
    assert "☒ Lower lock" in row["chunk_text"]
    form = Pages(tmp_path / "docs" / "form.pdf")
    unticked = row["chunk_text"].replace("☒", "☐")
    assert words_elsewhere(unticked, row["anchors"], form) == ["☐"]
