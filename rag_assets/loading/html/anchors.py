"""The ids of a page's headings, which are what links to a part of it name."""

from __future__ import annotations

from collections.abc import Callable

from rag_assets.loading.html.tree import HEADINGS, Element, elements

#: Ids of one page that are kept, and characters of one.
_MAX_IDS = 10_000
_MAX_CHARS = 200


def heading_ids(root: Element, write: Callable[[Element], str]) -> dict[str, str]:
    """Id -> the heading it leads to, as ``write`` writes it.

    An id leads to a heading when it is the heading's own or of something in it, or when no text
    stands between the place it marks and the heading: that of a section that begins with the
    heading, or of an ``<a name>`` before it.
    """
    reader = _Reader(write)
    reader.read(root)
    return reader.found


class _Reader:
    """``pending`` are ids no text has followed yet."""

    def __init__(self, write: Callable[[Element], str]) -> None:
        self.found: dict[str, str] = {}
        self._pending: list[str] = []
        self._write = write

    def read(self, element: Element) -> None:
        self._pending += _ids(element)
        if element.tag in HEADINGS:
            self._take(element)
            return
        for child in element.children:
            if isinstance(child, str):
                if self._pending and not child.isspace():
                    self._pending.clear()
            elif child.shown:
                self.read(child)
            elif child.tag == "a":
                # A link to its own place is not shown, but marks it.
                self._pending += _ids(child)

    def _take(self, heading: Element) -> None:
        for part in elements(heading):
            self._pending += _ids(part)
        if self._pending and (written := self._write(heading)):
            for name in self._pending[: _MAX_IDS - len(self.found)]:
                self.found.setdefault(name, written)
            self._pending.clear()


def _ids(element: Element) -> list[str]:
    if not element.given:
        return []
    names = [element.given.get("id", "")]
    if element.tag == "a":
        names.append(element.given.get("name", ""))
    return [name for name in names if 0 < len(name) <= _MAX_CHARS]
