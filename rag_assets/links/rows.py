"""Rows of the table ``links``: links of one chunk to one target are one row, weighted by number."""

from __future__ import annotations

from typing import Any


class LinkRows:
    """Gathers the rows of one version."""

    def __init__(self, version: str, doc: str) -> None:
        self._version = version
        self._doc = doc
        self._rows: dict[tuple[str | None, str, str | None], dict[str, Any]] = {}

    def add(
        self,
        chunk: dict[str, Any] | None,
        kind: str,
        text: str | None,
        *,
        target_uri: str,
        target_doc_id: str | None = None,
        target_anchor: str | None = None,
    ) -> None:
        """One link; the first of several to a target gives its words.

        Args:
            chunk: with ``section_id`` and ``chunk_id``; None where no chunk holds the link.
        """
        chunk_id = chunk["chunk_id"] if chunk else None
        key = chunk_id, target_uri, target_anchor
        if key in self._rows:
            self._rows[key]["weight"] += 1.0
            return
        self._rows[key] = {
            "doc_id": self._doc,
            "version_id": self._version,
            "section_id": chunk["section_id"] if chunk else None,
            "chunk_id": chunk_id,
            "kind": kind,
            "text": text,
            "target_uri": target_uri,
            "target_doc_id": target_doc_id,
            "target_anchor": target_anchor,
            "weight": 1.0,
        }

    def rows(self) -> list[dict[str, Any]]:
        """In the order in which their first links were added."""
        return list(self._rows.values())
