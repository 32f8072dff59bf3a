"""What was read from or said of pictures, by what it was made from.

An entry is written as soon as it is made, so a killed run loses one picture at most, and a
picture in many versions or documents is read once. Losing the cache loses only time.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rag_query.library.files import temporary_beside


class SidecarCache:
    """JSON values by a key of hex digits; any number of processes may use it at once.

    Args:
        folder: of one kind and one profile, such as ``cache/sidecars/ocr/<profile>``.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Any:
        """The value, or None. A file that cannot be read, or not as JSON, counts as none."""
        try:
            return json.loads(self._path(key).read_bytes())
        except (OSError, ValueError, RecursionError):
            return None

    def put(self, key: str, value: Any) -> None:
        """Raises OSError."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(path)
        try:
            temporary.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"
