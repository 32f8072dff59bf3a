"""What a page's nodes are read into."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rag_assets.loading.pdf.extraction.blocks import PageContent
from rag_assets.loading.pdf.extraction.reading import Reading
from rag_assets.loading.pdf.extraction.stext import PageOf
from rag_assets.loading.pdf.file.tags import Tags
from rag_assets.loading.pdf.pages import page_blocks
from rag_assets.loading.pdf.pages.page_blocks import PageReader
from rag_assets.loading.pdf.pages.pages_before import PagesBefore


def _text(text: str, y: int) -> dict[str, Any]:
    font = {"name": "Helvetica", "family": "sans-serif", "weight": "normal", "style": "normal"}
    line = {
        "bbox": {"x": 7200, "y": 100 * y - 1000, "w": 20000, "h": 1200},
        "font": font | {"size": 1100},
        "x": 7200,
        "y": 100 * y,
        "text": text,
    }
    return {"type": "text", "lines": [line]}


def test_rules_within_a_grid_that_is_no_table_are_none_of_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule = {"type": "vector"}
    within = [_text("in a box", 120), rule, _text("below it", 140)]
    grid = {"type": "structure", "std": "Table", "contents": within}
    above = [_text("above", 80), rule, _text("more", 100)]
    page = {"blocks": [*above, grid, _text("end", 700), rule]}
    nodes = msgspec.json.decode(msgspec.json.encode(page), type=PageOf).blocks
    content = PageContent(1, 59500, 84200, Reading(tables=True))
    reader = PageReader(content, None, PagesBefore(1, Tags(None)))
    reader.read(nodes)
    crossed = ["above", "more", "in a box", "below it", "end"]
    assert [line.text for line in reader.crossed] == crossed
    monkeypatch.setattr(page_blocks, "shapes_of", lambda _page, _nodes, places: places)
    assert reader.drawn_across(None, nodes) == [1, 5]
