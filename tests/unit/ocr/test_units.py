"""Which pages and images are read, and to which chunks their lines go."""

import json
from typing import Any

import pyarrow as pa
import pytest
from pydantic import ValidationError

from rag_assets.ocr.base import OcrParams
from rag_assets.ocr.none import NoOcrParams
from rag_assets.ocr.placing import ChunkPlaces, Place, place_lines
from rag_assets.ocr.units import units_of
from rag_query.contracts.columns import ANCHOR

ASSET = "ab" * 32


def parsed(pages: list[str], images: dict[int, tuple[float, float]]) -> tuple[Any, Any]:
    """A row of ``parsed`` with one paragraph a page and images of these sizes, and its anchors."""
    md, anchors, refs = "", [], []
    box = dict.fromkeys(("x0", "y0", "x1", "y1"), 1.0)
    for number, text in enumerate(pages, 1):
        start = len(md)
        md += text + "\n\n"
        anchors.append({"char_start": start, "char_end": start + len(text), "page": number, **box})
        if number in images:
            start, link = len(md), "![](pdf:xref=1:0)"
            md += link + "\n\n"
            place = {"char_start": start, "char_end": start + len(link), "page": number}
            width, height = images[number]
            anchors.append(place | box)
            refs.append(place | {"x0": 0.0, "y0": 0.0, "x1": width, "y1": height})
    row = {"md": md, "pages": len(pages), "media_refs": refs, "parse_summary": None}
    return row, pa.array(anchors, ANCHOR)


def image(**changes: Any) -> dict[str, Any]:
    row = {"asset_id": ASSET, "mime": "image/png", "width": 300, "height": 200, "page": None}
    return row | changes


def keys(row: Any, anchors: Any, media: Any = (), **params: Any) -> list[str]:
    return [unit.key for unit in units_of(row, anchors, media, OcrParams(**params)).units]


def test_auto_reads_pages_without_text_with_hardly_any_and_without_meaning() -> None:
    words = "This page has a paragraph of its own, which is long enough to be no caption."
    row, anchors = parsed(
        ["", words, "Scanned by X", "page 4", "\ue001\ue002\ue003 ab", words],
        {1: (500, 700), 3: (500, 700), 4: (20, 20), 6: (500, 700)},
    )
    assert keys(row, anchors) == ["page:1", "page:3", "page:5"]
    assert keys(row, anchors, read="all") == [f"page:{n}" for n in range(1, 7)]
    assert keys(row, anchors, max_pages=2) == ["page:1", "page:3"]
    assert units_of(row, anchors, (), OcrParams(max_pages=2)).left_out == 1
    told = row | {"parse_summary": json.dumps({"pages_undecodable": [2]})}
    assert keys(told, anchors) == ["page:1", "page:2", "page:3", "page:5"]


def test_images_of_pages_that_are_read_whole_are_not_read_again() -> None:
    row, anchors = parsed(["", "Words enough to be a page of text, with a picture in it."], {})
    media = [
        image(page=1),
        image(page=2, asset_id="cd" * 32),
        image(page=2, asset_id="cd" * 32),
        image(asset_id="ef" * 32, width=20),
        image(asset_id="01" * 32, mime="image/svg+xml", width=None, height=None),
    ]
    assert keys(row, anchors, media) == ["page:1", f"asset:{'cd' * 32}"]
    assert keys(row, anchors, media, max_images=0) == ["page:1"]
    everything = keys(row, anchors, media, read="all", max_pages=0)
    assert everything == [f"asset:{ASSET}", f"asset:{'cd' * 32}", f"asset:{'ef' * 32}"]


def test_pages_after_the_limit_are_not_read_as_images_either() -> None:
    row, anchors = parsed(["", "", ""], {})
    media = [image(page=page, asset_id=f"{page:064d}") for page in (1, 2, 3)]
    chosen = units_of(row, anchors, media, OcrParams(max_pages=1))
    assert ([unit.key for unit in chosen.units], chosen.left_out) == (["page:1"], 2)
    only_images = units_of(row, anchors, media, OcrParams(max_pages=0))
    assert (len(only_images.units), only_images.left_out) == (3, 0)


def test_yaml_reads_off_as_false() -> None:
    assert OcrParams.model_validate({"read": False}).read == "off"
    assert NoOcrParams().read == "off"
    with pytest.raises(ValidationError):
        NoOcrParams.model_validate({"read": "auto"})


def read_row(page: int | None, lines: list[tuple[str, float]], **more: Any) -> dict[str, Any]:
    text = "\n".join(line for line, _ in lines)
    at, boxes = 0, []
    for line, y in lines:
        boxes.append({"char_start": at, "char_end": at + len(line), "confidence": 0.9,
                      "x0": 10.0, "y0": y, "x1": 90.0, "y1": y + 10})  # fmt: skip
        at += len(line) + 1
    return {"page": page, "asset_id": None, "text": text, "lines": boxes} | more


def test_lines_go_to_the_chunk_they_stand_on() -> None:
    chunks = [
        ChunkPlaces("Known words here.", (), (1, 1), [Place(1, 0, 0, 100, 50)]),
        ChunkPlaces("", (), (1, 1), [Place(1, 0, 50, 100, 100)]),
        ChunkPlaces("", (), (4, 4), [Place(4, 0, 0, 100, 100)]),
    ]
    read = [
        read_row(1, [("above", 10), ("known  words, here", 20), ("below", 60), ("far", 500)]),
        read_row(3, [("of page three", 10)]),
    ]
    found = place_lines(chunks, read, {}, 1000)
    assert [one.text for one in found] == ["above", "below\nfar\nof page three", ""]
    pages = [(a["page"], found[1].text[a["char_start"] : a["char_end"]]) for a in found[1].anchors]
    assert pages == [(1, "below"), (1, "far"), (3, "of page three")]


def test_text_of_an_image_goes_to_every_chunk_that_shows_it() -> None:
    chunks = [
        ChunkPlaces("", (ASSET,), (2, 2), []),
        ChunkPlaces("", (ASSET,), None, []),
        ChunkPlaces("", (), None, []),
    ]
    read = [read_row(None, [("label", 1), ("more", 2)], asset_id=ASSET)]
    found = place_lines(chunks, read, {ASSET: [Place(2, 1, 2, 3, 4)]}, 8)
    assert [one.text for one in found] == ["label", "label", ""]
    assert found[0].anchors[0] == {
        "char_start": 0, "char_end": 5, "page": 2, "x0": 1, "y0": 2, "x1": 3, "y1": 4
    }  # fmt: skip
    assert found[1].anchors == []
    assert (
        place_lines([ChunkPlaces("", (), None, [])], [read_row(1, [("x", 1)])], {}, 9)[0].text == ""
    )
