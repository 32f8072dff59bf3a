"""Headings, lists and tables that are ``<div>`` and ``<span>`` with a role (WAI-ARIA 1.2)."""

from __future__ import annotations

from rag_assets.loading.html.tree import Element

#: Elements that mean nothing by themselves.
_GENERIC = frozenset({"div", "span", "p"})
_TAGS = {
    "listitem": "li",
    "table": "table",
    "rowgroup": "tbody",
    "row": "tr",
    "cell": "td",
    "columnheader": "th",
    "rowheader": "th",
}


def name_elements(marked: list[Element]) -> None:
    """Give such elements the tags of what they are, in place.

    Args:
        marked: elements with a role.
    """
    for element in marked:
        role = _role(element)
        if element.tag not in _GENERIC:
            continue
        if role == "heading":
            level = element.given.get("aria-level", "")
            element.tag = f"h{level}" if level in tuple("123456") else "h2"
        elif role == "list":
            if any(isinstance(child, Element) and _is_item(child) for child in element.children):
                element.tag = "ul"
        elif role in _TAGS:
            element.tag = _TAGS[role]


def _is_item(element: Element) -> bool:
    return element.tag == "li" or _role(element) == "listitem"


def _role(element: Element) -> str:
    return element.given.get("role", "").strip().lower()
