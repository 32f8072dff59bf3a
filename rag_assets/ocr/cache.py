"""Readings by the sha256 of the picture and the engine's profile.

A reading is written as soon as it is made, so a killed run loses one picture at most, and a page
that is in many versions or documents is read once. Losing the cache loses only time.
"""

from __future__ import annotations

import json
from pathlib import Path

from rag_assets.ocr.base import OcrLine, Reading
from rag_query.library.files import temporary_beside
from rag_query.library.home import Home


class OcrCache:
    """The readings of one engine profile; any number of processes may use it at once."""

    def __init__(self, home: Home, engine_profile_id: str) -> None:
        self._folder = home.ocr_cache / engine_profile_id[:16]

    def get(self, image_sha256: str) -> Reading | None:
        """The reading of a picture, or None. A damaged file counts as none."""
        try:
            held = json.loads(self._path(image_sha256).read_bytes())
            return Reading(held["rotation"], tuple(OcrLine(*line) for line in held["lines"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def put(self, image_sha256: str, reading: Reading) -> None:
        """Raises OSError."""
        path = self._path(image_sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(path)
        value = {"rotation": reading.rotation, "lines": [list(line) for line in reading.lines]}
        try:
            temporary.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

    def _path(self, image_sha256: str) -> Path:
        return self._folder / image_sha256[:2] / f"{image_sha256}.json"
