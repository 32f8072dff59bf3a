"""Links that a format draws over its pages (PDF): from the chunk under a box to another chunk.

Both ends are found by place, not by words: a link belongs to the chunk whose boxes it covers most
of, and leads to the first chunk at or below the point it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import starmap
from typing import Any

import numpy as np

from rag_assets.links.rows import LinkRows
from rag_assets.loading.base import PageLink
from rag_query.text.ids import doc_id

#: A link's own box may stand a little off its words, in points.
_SLACK = 2.0
#: Share of a line's box that a link covers: less is a neighbour's edge, more is the whole line.
_TOUCHED, _WHOLE = 0.3, 0.75


def page_link_rows(
    links: Sequence[PageLink], chunks: Sequence[dict[str, Any]], version: str, doc: str, uri: str
) -> list[dict[str, Any]]:
    """Rows of ``links`` for one version; links of one chunk to one target are one row.

    Links under which no chunk stands (in running headers) and those that stay inside their chunk
    are left out, as are those to a page no chunk stands on.

    Args:
        chunks: of the version in order, with ``section_id``, ``chunk_id``, ``chunk_text`` and
            ``anchors``.
        uri: the document's own ``source_uri``.
    """
    places = _Places(chunks)
    rows = LinkRows(version, doc)
    for link in links:
        found = places.under(link)
        if found is None:
            continue
        source, text = found
        if link.uri is not None:
            rows.add(source, "external", text, target_uri=link.uri)
            continue
        reached = places.below(link)
        if reached is not None and reached["chunk_id"] != source["chunk_id"]:
            rows.add(
                source,
                "link",
                text,
                target_uri=uri,
                target_doc_id=doc_id(uri),
                target_anchor=reached["chunk_id"],
            )
    return rows.rows()


def page_links(summary: dict[str, Any]) -> list[PageLink]:
    """The links a parse summary lists."""
    return list(starmap(PageLink, summary.get("links", ())))


class _Places:
    """The boxes of chunks by page."""

    def __init__(self, chunks: Iterable[dict[str, Any]]) -> None:
        boxes: dict[int, list[tuple[float, float, float, float]]] = {}
        self._chunks: dict[int, list[dict[str, Any]]] = {}
        self._texts: dict[int, list[str]] = {}
        for chunk in chunks:
            for anchor in chunk["anchors"] or ():
                if anchor["x0"] is None:
                    continue
                page = anchor["page"]
                box = anchor["x0"], anchor["y0"], anchor["x1"], anchor["y1"]
                boxes.setdefault(page, []).append(box)
                self._chunks.setdefault(page, []).append(chunk)
                text = chunk["chunk_text"][anchor["char_start"] : anchor["char_end"]]
                self._texts.setdefault(page, []).append(" ".join(text.split()))
        self._boxes = {page: np.array(found, np.float64) for page, found in boxes.items()}

    def under(self, link: PageLink) -> tuple[dict[str, Any], str | None] | None:
        """The first of the chunks whose boxes the link covers most of, and the link's words.

        A box is a line of text, so the words are known where a link covers whole lines, and left
        unknown where it covers part of one.
        """
        boxes = self._boxes.get(link.page)
        if boxes is None:
            return None
        width = np.minimum(boxes[:, 2], link.x1) - np.maximum(boxes[:, 0], link.x0)
        height = np.minimum(boxes[:, 3], link.y1) - np.maximum(boxes[:, 1], link.y0)
        shared = np.clip(width, 0, None) * np.clip(height, 0, None)
        best = int(shared.argmax())
        if shared[best] <= 0:
            return None
        area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        covered = shared / np.maximum(area, 1e-6)
        if ((covered > _TOUCHED) & (covered < _WHOLE)).any():
            return self._chunks[link.page][best], None
        lines = [self._texts[link.page][at] for at in np.flatnonzero(covered >= _WHOLE)]
        return self._chunks[link.page][best], " ".join(dict.fromkeys(lines)) or None

    def below(self, link: PageLink) -> dict[str, Any] | None:
        """The first chunk, in reading order, at or below the link's target."""
        boxes = self._boxes.get(link.target_page or 0)
        if boxes is None:
            return None
        chunks = self._chunks[link.target_page or 0]
        if link.target_y is None:
            return chunks[0]
        after = boxes[:, 3] > link.target_y + _SLACK
        if link.target_x is not None:
            # Of two columns, the one the target stands in.
            beside = after & (boxes[:, 2] > link.target_x + _SLACK)
            after = beside if beside.any() else after
        return chunks[int(after.argmax())] if after.any() else chunks[-1]
