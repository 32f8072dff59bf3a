"""Words stand on the pages and in the boxes that were noted for them, and on no others."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rag_query.contracts.evidence import Box
from rag_query.library.places import MAX_BOXES, Place, VersionPlaces, boxes_of, place_of
from rag_query.library.served import Anchor, ServedChunk
from rag_query.library.snapshot import Snapshot
from tests.unit.retrieval.test_pack import FIRST, SECOND, chunk

END = len(FIRST)


@pytest.mark.parametrize(
    ("words", "pages"),
    [
        ((0, 5), (4, 4)),
        ((END - 2, END + 2), (4, 5)),
        ((END, END + 5), (5, 5)),
        ((END - 5, END - 1), (4, 4)),
        # What no box was noted for stands somewhere on the pages of its chunk.
        ((END - 1, END), (4, 5)),
        ((3, 3), (4, 4)),
    ],
)
def test_words_are_on_the_page_they_are_printed_on(
    words: tuple[int, int], pages: tuple[int, int]
) -> None:
    found = place_of(chunk(), chunk().anchors, [words])
    assert (found.page, found.page_end) == pages


def test_a_page_is_known_where_no_box_is() -> None:
    anchors = [Anchor(0, 5, 7, None, None, None, None), Anchor(5, END, 8, 1, 2, None, 4)]
    found = place_of(chunk(), anchors, [(0, END)])
    assert found == Place(7, 8, ())


def test_each_box_comes_once_and_not_too_many() -> None:
    anchors = [Anchor(n, n + 1, 1, n // 2, 0, 9, 9) for n in range(4 * MAX_BOXES)]
    boxes = boxes_of(anchors)
    assert len(boxes) == MAX_BOXES
    assert boxes[:2] == (Box(page=1, x0=0, y0=0, x1=9, y1=9), Box(page=1, x0=1, y0=0, x1=9, y1=9))


def test_places_of_a_version_read_each_chunk_once_and_know_no_others() -> None:
    read: list[tuple[list[str], str]] = []
    own = chunk()
    scan = replace(own, chunk_id="scan", chunk_text="![](p.png)", ocr_anchors=[own.anchors[1]])

    def chunks(ids: list[str], version: str) -> list[ServedChunk]:
        read.append((ids, version))
        return [held for held in (own, scan) if held.chunk_id in ids]

    snapshot: Any = SimpleNamespace(chunks=chunks)
    where = VersionPlaces(cast(Snapshot, snapshot), "ver_1")
    assert where(own.chunk_id, 0, 5).page == where(own.chunk_id, 0, 9).page == 4
    assert where("scan", END, END + len(SECOND)).page == 5
    assert where("gone", 0, 5) == where("gone", 0, 5) == Place()
    assert read == [([own.chunk_id], "ver_1"), (["scan"], "ver_1"), (["gone"], "ver_1")]
