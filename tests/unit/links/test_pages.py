"""Links a PDF draws over its pages lead from the chunk under them to the chunk they point at."""

from __future__ import annotations

import json
from pathlib import Path

import pymupdf

import rag_assets.providers  # noqa: F401
from rag_assets.chunks import stage as chunks
from rag_assets.links import stage as links
from rag_assets.loading import stage as loading
from rag_assets.media import stage as media
from rag_assets.normalizing import stage as normalizing
from rag_assets.sections import stage as sections
from tests.fixtures.library import SHARD, make_library

SUBJECTS = ["The gauge", "A ledger", "Every tide", "No harbour", "One buoy", "That chart"]


def write_linked(path: Path, rotation: int = 0) -> None:
    document = pymupdf.open()
    for number in range(3):
        page = document.new_page()
        for part in range(2):
            top = 90 + 300 * part
            page.insert_text((72, top), SUBJECTS[2 * number + part], fontsize=20)
            page.insert_text(
                (72, top + 30),
                f"{SUBJECTS[2 * number + part]} is described here in full.",
                fontsize=11,
            )
            for row in range(4):
                words = f"{SUBJECTS[row - part]} was read at noon on day {number} of {row}."
                page.insert_text((72, top + 80 + 16 * row), words, fontsize=11)
    page = document[0]
    page.insert_text((72, 150), "see the last part", fontsize=11)
    place = {"kind": pymupdf.LINK_GOTO, "page": 2, "to": pymupdf.Point(72, 365)}
    page.insert_link(place | {"from": pymupdf.Rect(72, 138, 160, 154)})
    web = {"kind": pymupdf.LINK_URI, "uri": "https://tides.example/levels"}
    page.insert_link(web | {"from": pymupdf.Rect(72, 108, 260, 126)})
    script = {"kind": pymupdf.LINK_URI, "uri": "javascript:alert(1)"}
    page.insert_link(script | {"from": pymupdf.Rect(72, 108, 260, 126)})
    for page in document:
        page.set_rotation(rotation)
    document.save(path)
    document.close()


def test_links_of_a_pdf_join_its_chunks(tmp_path: Path) -> None:
    for rotation in (0, 90):
        folder = tmp_path / f"docs-{rotation}"
        folder.mkdir()
        write_linked(folder / "linked.pdf", rotation)
        context = make_library(tmp_path / f"home-{rotation}", folder)
        for stage in (loading, media, normalizing, sections, chunks, links):
            stage.run(context, SHARD)
        store = context.store
        (parsed,) = store.read("parsed", SHARD).to_pylist()
        facts = json.loads(parsed["parse_summary"])["links"]
        assert len(facts) == 2
        by_text = {row["chunk_text"]: row for row in store.read("chunks", SHARD).to_pylist()}
        (source,) = [row for text, row in by_text.items() if "see the last part" in text]
        (target,) = [row for text, row in by_text.items() if "That chart is" in text]
        (place,) = [fact[-3:] for fact in facts if fact[-3] is not None]
        if rotation:
            # Of a page displayed turned only the number is known.
            assert place == [3, None, None]
            continue
        assert place == [3, 72.0, 365.0]
        rows = {row["kind"]: row for row in store.read("links", SHARD).to_pylist()}
        assert set(rows) == {"link", "external"}
        assert rows["link"]["chunk_id"] == rows["external"]["chunk_id"] == source["chunk_id"]
        assert rows["link"]["target_doc_id"] == source["doc_id"]
        assert rows["link"]["target_anchor"] == target["chunk_id"]
        assert rows["link"]["text"] == "see the last part"
        assert rows["external"]["target_uri"] == "https://tides.example/levels"
        assert rows["external"]["text"] == "The gauge is described here in full."
