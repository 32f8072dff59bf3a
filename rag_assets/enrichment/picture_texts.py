"""The text read from pictures, dealt to the chunks of their document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.ocr.placing import ChunkPlaces, OcrText, Place, place_lines

_BOX = ("x0", "y0", "x1", "y1")


class PictureTexts:
    """The rows of ``ocr`` of some versions, and where chunks and images stand.

    Args:
        tables: ``chunks``, ``media`` and ``ocr`` of the versions.
        max_chars: see ``EnrichPostParams.ocr_max_chars``.
    """

    def __init__(self, tables: Mapping[str, pa.Table], max_chars: int) -> None:
        self._max_chars = max_chars
        ready = tables["ocr"].filter(pc.equal(tables["ocr"]["status"], "ready"))
        self._read: dict[str, list[dict[str, Any]]] = {}
        for row in ready.to_pylist():
            self._read.setdefault(row["version_id"], []).append(row)
        self._images: dict[tuple[str, str], list[Place]] = {}
        self._anchors: dict[str, list[list[dict[str, Any]]]] = {}
        if not self._read:
            return
        for row in tables["media"].to_pylist():
            if row["asset_id"] and row["page"] is not None and row["x0"] is not None:
                key = (row["version_id"], row["asset_id"])
                place = Place(row["page"], *(row[name] for name in _BOX))
                self._images.setdefault(key, []).append(place)
        versions = pa.array(list(self._read), pa.string())
        chunks = tables["chunks"].select(["version_id", "anchors"])
        chunks = chunks.filter(pc.is_in(chunks["version_id"], value_set=versions))
        for row in chunks.to_pylist():
            self._anchors.setdefault(row["version_id"], []).append(row["anchors"])

    def of(self, version: str, chunks: Sequence[Mapping[str, Any]]) -> list[OcrText]:
        """What was read for each chunk of a version, whose rows come in their stored order."""
        read = self._read.get(version)
        if not read:
            return [OcrText() for _ in chunks]
        places = [
            ChunkPlaces(
                row["chunk_text"],
                row["asset_ids"],
                None if row["page_start"] is None else (row["page_start"], row["page_end"]),
                [
                    Place(anchor["page"], *(anchor[name] for name in _BOX))
                    for anchor in anchors
                    if anchor["x0"] is not None
                ],
            )
            for row, anchors in zip(chunks, self._anchors[version], strict=True)
        ]
        images = {
            asset: found for (holder, asset), found in self._images.items() if holder == version
        }
        return place_lines(places, read, images, self._max_chars)
