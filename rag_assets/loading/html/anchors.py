"""The ids of a page's headings and terms, which are what links to a part of it name."""

from __future__ import annotations

from collections.abc import Callable

from rag_assets.loading.html.headings import is_heading
from rag_assets.loading.html.tree import HEADINGS, Element, elements

#: Ids of one page that are kept, and characters of one.
MAX_IDS = 10_000
_MAX_CHARS = 200


def ids_of(
    root: Element, write_heading: Callable[[Element], str], write: Callable[[Element], list[str]]
) -> tuple[dict[str, str], dict[str, str]]:
    """Id -> the heading it leads to, and id -> the first line of the ``<dt>`` it leads to.

    An id leads to a heading or term when it is its own or of something in it, or when no text
    stands between the place it marks and the heading or term: that of a section that begins with
    the heading, or of an ``<a name>`` before it.

    Args:
        write: the blocks of an element's content.
    """
    reader = _Reader(write_heading, write)
    reader.read(root)
    return reader.headings, reader.terms


class _Reader:
    """Reads a tree in order, and notes which heading or term each id leads to.

    Ids of which no text has followed yet wait in ``_pending``.
    """

    def __init__(
        self, write_heading: Callable[[Element], str], write: Callable[[Element], list[str]]
    ) -> None:
        self.headings: dict[str, str] = {}
        self.terms: dict[str, str] = {}
        self._pending: list[str] = []
        self._in_term = False
        self._write_heading = write_heading
        self._write = write

    def read(self, element: Element) -> None:
        self._pending += ids_at(element)
        if element.tag in HEADINGS:
            self._take(element)
            return
        if element.tag == "dt" and not self._in_term:
            self._take_term(element)
            self._in_term = True
            self._read_children(element)
            self._in_term = False
        else:
            self._read_children(element)

    def _read_children(self, element: Element) -> None:
        for child in element.children:
            if isinstance(child, str):
                if self._pending and not child.isspace():
                    self._pending.clear()
            elif child.shown:
                self.read(child)
            elif child.tag == "a":
                # A link to its own place is not shown, but marks it.
                self._pending += ids_at(child)

    def _take(self, heading: Element) -> None:
        for part in elements(heading):
            self._pending += ids_at(part)
        if self._pending and (written := self._write_heading(heading)):
            for name in self._pending[: MAX_IDS - len(self.headings)]:
                self.headings.setdefault(name, written)
            self._pending.clear()

    def _take_term(self, term: Element) -> None:
        """Note the ids of a term; a heading in it takes them as well."""
        names = self._pending + [name for part in elements(term) for name in ids_at(part)]
        written = self._write(term) if names else []
        if written and not is_heading(written[0]):
            line = written[0].partition("\n")[0]
            for name in names[: MAX_IDS - len(self.terms)]:
                self.terms.setdefault(name, line)


def ids_at(element: Element) -> list[str]:
    """The ids that an element gives its place."""
    if not element.given:
        return []
    names = [element.given.get("id", "")]
    if element.tag == "a":
        names.append(element.given.get("name", ""))
    return [name for name in names if 0 < len(name) <= _MAX_CHARS]
