"""From the bytes of PDFs to chunks: every chunk knows where on which page its words stand."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
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


class Pages:
    """The pages of a PDF as PyMuPDF reads them; each is extracted once."""

    def __init__(self, path: Path) -> None:
        self._document = pymupdf.open(path)
        self._text: dict[int, Any] = {}
        self.count: int = self._document.page_count

    def size(self, number: int) -> tuple[float, float]:
        """Width and height before the page is turned."""
        page = self._document[number - 1]
        flat = pymupdf.Rect(page.rect * page.derotation_matrix).normalize()
        return flat.x1, flat.y1

    def words_in(self, number: int, box: tuple[float, float, float, float]) -> str:
        """The characters whose middle lies in a box, in the order of the page, no blanks."""
        if number not in self._text:
            blocks = self._document[number - 1].get_text("rawdict")["blocks"]
            lines = [line for block in blocks for line in block.get("lines", ())]
            found = [c for line in lines for span in line["spans"] for c in span["chars"]]
            edges = np.array([c["bbox"] for c in found]).reshape(-1, 4)
            self._text[number] = (edges[:, :2] + edges[:, 2:]) / 2, [c["c"] for c in found]
        middles, characters = self._text[number]
        inside = np.all((middles >= box[:2]) & (middles <= box[2:]), axis=1)
        return "".join("".join(characters[at] for at in np.flatnonzero(inside)).split())


def check_chunk(row: dict[str, Any], pages: Pages) -> None:
    text, anchors = row["chunk_text"], row["anchors"]
    assert anchors, text
    held = {anchor["page"] for anchor in anchors}
    assert (row["page_start"], row["page_end"]) == (min(held), max(held))
    assert 1 <= min(held) <= max(held) <= pages.count
    placed = [False] * len(text)
    end = 0
    for anchor in anchors:
        assert end <= anchor["char_start"] < anchor["char_end"] <= len(text)
        end = anchor["char_end"]
        placed[anchor["char_start"] : end] = [True] * (end - anchor["char_start"])
        x0, y0, x1, y1 = (anchor[side] for side in ("x0", "y0", "x1", "y1"))
        width, height = pages.size(anchor["page"])
        assert -1 <= x0 <= x1 <= width + 1 and -1 <= y0 <= y1 <= height + 1
        said = text[anchor["char_start"] : end]
        if said.startswith("![]("):
            continue
        there = pages.words_in(anchor["page"], (x0 - 1, y0 - 1, x1 + 1, y1 + 1))
        for word in said.replace("\\", "").removeprefix("- ").split():
            assert word.removesuffix("-") in there, (word, there)
    # What no box holds is Markdown's own: marks of headings and tables, and blanks.
    rest = "".join(c for c, is_placed in zip(text, placed, strict=True) if not is_placed)
    assert not any(c.isalnum() for c in rest), rest


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
