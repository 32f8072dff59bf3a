"""Ends of lines that a page's styles keep (CSS Text 3, 3): addresses, poems and messages that have
no ``<br>``."""

from __future__ import annotations

import re

from rag_assets.loading.html.tree import Element

_STYLED = re.compile(r"(?:^|;)\s*white-space\s*:\s*([\w-]+)", re.IGNORECASE)
_KEEPING = frozenset({"pre", "pre-line", "pre-wrap", "break-spaces"})
#: Of other styles these say nothing new.
_INHERITED = frozenset({"inherit", "unset"})
#: Keeps them as it is, is code on one line, or says something else than text.
_NO_TEXT = frozenset({"pre", "code", "samp", "kbd", "script", "style", "textarea", "title"})


def keep_line_ends(element: Element, *, kept: bool = False) -> None:
    """Put a ``<br>`` in place of each such end, in place.

    Args:
        kept: whether the styles around ``element`` keep them.
    """
    if element.tag in _NO_TEXT:
        return
    if (styled := _STYLED.search(element.given.get("style", ""))) and (
        said := styled[1].lower()
    ) not in _INHERITED:
        kept = said in _KEEPING
    if kept:
        element.children = [part for child in element.children for part in _parts(child)]
    for child in element.children:
        if isinstance(child, Element):
            keep_line_ends(child, kept=kept)


def _parts(child: Element | str) -> list[Element | str]:
    if isinstance(child, Element):
        return [child]
    first, *lines = child.split("\n")
    return [first, *(part for line in lines for part in (Element("br"), line))]
