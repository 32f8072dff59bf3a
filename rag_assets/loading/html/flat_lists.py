"""Lists in lists that Google Docs writes beside each other, with the depth of each in its class."""

from __future__ import annotations

import re

from rag_assets.loading.html.tree import Element

#: The name of a list, and how deep in it a part of it stands.
_NAMED = re.compile(r"lst-kix_\S+-(?P<depth>\d)")


def nest_lists(element: Element) -> None:
    """Put each such list into the last item of the one above it that is less deep, or make it one
    with the one it goes on with, in place."""
    children: list[Element | str] = []
    #: By depth, the lists that one right below may belong to, the outermost first.
    above: dict[int, Element] = {}
    for child in element.children:
        depth = None
        if isinstance(child, Element):
            nest_lists(child)
            depth = _depth(child)
        if isinstance(child, str) or depth is None:
            children.append(child)
            if not isinstance(child, str) or child.strip():
                above = {}
            continue
        same = above.get(depth)
        above = {other: held for other, held in above.items() if other < depth}
        if same is not None and _goes_on(same, child):
            same.children += child.children
            above[depth] = same
            continue
        holder = _last_item(above[max(above)]) if above else None
        (holder.children if holder else children).append(child)
        above[depth] = child
    element.children = children


def _depth(element: Element) -> int | None:
    named = _NAMED.search(element.given.get("class", "")) if element.tag in ("ul", "ol") else None
    return int(named["depth"]) if named else None


def _goes_on(before: Element, element: Element) -> bool:
    """Whether a list is the same as one before, with no other list's item between them."""
    return "start" not in element.classes and {*element.classes} <= {*before.classes}


def _last_item(element: Element) -> Element | None:
    items = (child for child in reversed(element.children) if isinstance(child, Element))
    return next((item for item in items if item.tag == "li"), None)
