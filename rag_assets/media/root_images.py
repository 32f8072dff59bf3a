"""Images of a whole source folder, found by what their paths end with, as Obsidian finds them."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from functools import cached_property
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from rag_assets.sources.formats import names_image


class RootImages:
    """The images of one root. Its folders are listed once, when an image is first looked for;
    hidden ones, linked ones and the library's own are not."""

    def __init__(self, root: Path, library: Path) -> None:
        self._root = root
        self._library = library.resolve()

    def address(self, origin: str) -> str | None:
        """The reference from the root on, such as ``/attached/a.png``, that ``origin`` means: the
        image there, else the only one in the root whose path ends so. Names are compared without
        their case. None without one, and for what is said to begin at the document."""
        path = PurePosixPath(unquote(re.split(r"[?#]", origin, maxsplit=1)[0]).replace("\\", "/"))
        written = str(path).strip("/").casefold()
        if ".." in path.parts or origin.startswith("./") or not names_image(path.name):
            return None
        found = [
            relative
            for relative in self._by_name.get(path.name.casefold(), [])
            if f"/{relative}".casefold().endswith(f"/{written}")
        ]
        there = [relative for relative in found if relative.casefold() == written]
        one = there or found
        return f"/{quote(one[0])}" if len(one) == 1 else None

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """File name -> paths inside the root."""
        found: dict[str, list[str]] = defaultdict(list)
        for place, folders, files in os.walk(self._root):
            folder = Path(place)
            folders[:] = [
                name
                for name in folders
                if not name.startswith(".") and (folder / name).resolve() != self._library
            ]
            for name in filter(names_image, files):
                relative = (folder / name).relative_to(self._root)
                found[name.casefold()].append(relative.as_posix())
        return found
