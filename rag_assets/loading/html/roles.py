"""Headings, lists and tables that are ``<div>`` and ``<span>`` with a role (WAI-ARIA 1.2)."""

from __future__ import annotations

import re

from rag_assets.loading.html.tree import Element, holds_blocks

#: Elements that mean nothing by themselves.
_GENERIC = frozenset({"div", "span", "p"})
_LEVEL = re.compile(r"[1-9]\d*")
_TAGS = {
    "listitem": "li",
    **dict.fromkeys(("table", "grid", "treegrid"), "table"),
    "rowgroup": "tbody",
    "row": "tr",
    **dict.fromkeys(("cell", "gridcell"), "td"),
    "columnheader": "th",
    "rowheader": "th",
}


def name_elements(marked: list[Element]) -> None:
    """Give such elements the tags of what they are, in place.

    Args:
        marked: elements with a role.
    """
    for element in marked:
        role = element.role
        if element.tag not in _GENERIC:
            continue
        if role == "heading":
            if _is_one_block(element):
                element.tag = _heading_tag(element.given.get("aria-level", "").strip())
        elif role == "list":
            if any(isinstance(child, Element) and _is_item(child) for child in element.children):
                element.tag = "ul"
        elif role in _TAGS:
            element.tag = _TAGS[role]


def _heading_tag(level: str) -> str:
    """Markdown has no deeper headings than HTML; one whose level is not said is of the second."""
    if level in tuple("123456"):
        return f"h{level}"
    return "h6" if _LEVEL.fullmatch(level) else "h2"


def _is_one_block(element: Element) -> bool:
    """Whether all of an element can stand on one line: a heading would glue blocks together."""
    said = [child for child in element.children if not isinstance(child, str) or child.strip()]
    blocks = [child for child in said if isinstance(child, Element) and holds_blocks(child)]
    return not blocks or (len(said) == 1 and _is_one_block(blocks[0]))


def _is_item(element: Element) -> bool:
    return element.tag == "li" or element.role == "listitem"
