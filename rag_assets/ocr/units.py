"""What of a document is read: pages of a PDF and images, as the policy says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rag_assets.ocr.base import OcrParams
from rag_query.library.media_type import NO_PIXELS

#: Square points that images must cover on a page with hardly any text to make it a scan: what
#: they hold is then read with the page.
_PICTURED = 10_000.0


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing to read: a page of the document's PDF (1-based), or an image."""

    page: int | None = None
    asset_id: str | None = None

    @property
    def key(self) -> str:
        """Its name within the document version."""
        return f"page:{self.page}" if self.page is not None else f"asset:{self.asset_id}"


@dataclass(frozen=True, slots=True)
class Selection:
    """What is read, pages first, and how many pages and images a limit leaves out."""

    units: list[Unit]
    left_out: int


def units_of(
    parsed: Mapping[str, Any],
    anchors: pa.StructArray | None,
    media: Iterable[Mapping[str, Any]],
    policy: OcrParams,
) -> Selection:
    """What to read of one document version.

    Args:
        parsed: its row with ``md``, ``pages``, ``media_refs`` and ``parse_summary``.
        anchors: of the facts.
        media: its rows that are ready: ``asset_id``, ``mime``, ``width``, ``height``, ``page``.
    """
    found = _pages(parsed, anchors, policy) if policy.max_pages else []
    pages = found[: policy.max_pages]
    # A page that is read whole shows its images too, and what is left out is so with its images.
    whole = {unit.page for unit in found}
    images: dict[str, Unit] = {}
    for row in media:
        if row["page"] in whole or not _is_readable(row, policy):
            continue
        images.setdefault(row["asset_id"], Unit(asset_id=row["asset_id"]))
    chosen = pages + list(images.values())[: policy.max_images]
    return Selection(chosen, len(found) + len(images) - len(chosen))


def _is_readable(row: Mapping[str, Any], policy: OcrParams) -> bool:
    width, height = row["width"], row["height"]
    if row["mime"] in NO_PIXELS or not width or not height:
        return False
    return policy.read == "all" or min(width, height) >= policy.min_image_side


def _pages(
    parsed: Mapping[str, Any], anchors: pa.StructArray | None, policy: OcrParams
) -> list[Unit]:
    count = parsed["pages"] or 0
    if policy.read == "all":
        return [Unit(page=page) for page in range(1, count + 1)]
    said = json.loads(parsed["parse_summary"] or "{}")
    told = {*said.get("pages_without_text", ()), *said.get("pages_undecodable", ())}
    visible, undecodable = _characters(parsed["md"] or "", anchors, parsed["media_refs"], count)
    pictured = np.zeros(count + 1)
    for ref in parsed["media_refs"]:
        if ref["page"] is not None and ref["x0"] is not None:
            pictured[ref["page"]] += (ref["x1"] - ref["x0"]) * (ref["y1"] - ref["y0"])
    units = []
    for page in range(1, count + 1):
        seen, lost = int(visible[page]), int(undecodable[page])
        sparse = seen < policy.few_chars and pictured[page] >= _PICTURED
        if page in told or not seen or sparse or lost > policy.undecodable_share * seen:
            units.append(Unit(page=page))
    return units


def _characters(
    md: str, anchors: pa.StructArray | None, refs: Iterable[Mapping[str, Any]], pages: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Visible characters of each page (index 0 is none), and those without a meaning; the
    references of images are no text of a page."""
    visible = np.zeros(pages + 1, np.int64)
    undecodable = np.zeros(pages + 1, np.int64)
    if anchors is None or not len(anchors):
        return visible, undecodable
    points = np.frombuffer(md.encode("utf-32-le", "surrogatepass"), np.uint32)
    is_text = points > 32
    for ref in refs:
        if ref["char_start"] is not None:
            is_text[ref["char_start"] : ref["char_end"]] = False
    lost = is_text & (
        (points == 0xFFFD) | ((points >= 0xE000) & (points <= 0xF8FF)) | (points >= 0xF0000)
    )
    seen_before = np.concatenate(([0], np.cumsum(is_text)))
    lost_before = np.concatenate(([0], np.cumsum(lost)))
    start, end, page = (
        np.asarray(anchors.field(name), np.int64) for name in ("char_start", "char_end", "page")
    )
    np.add.at(visible, page, seen_before[end] - seen_before[start])
    np.add.at(undecodable, page, lost_before[end] - lost_before[start])
    return visible, undecodable
