"""What Doxygen writes with ``<div>`` where HTML has an element of its own.

``div.fragment`` is code, each ``div.line`` in it a line; ``div.title`` in ``div.headertitle`` is
the page's ``<h1>``, but for the groups the page is in, which stand below it.
"""

from __future__ import annotations

from rag_assets.loading.html.tree import Element, elements


def name_elements(marked: list[Element]) -> None:
    """Give such elements the tags of what they are, in place.

    Args:
        marked: elements of class ``fragment`` or ``headertitle``, which other sites have as well.
    """
    for element in marked:
        if "fragment" in element.classes:
            _name_code(element)
        else:
            _name_title(element)


def _name_code(fragment: Element) -> None:
    lines = [inner for inner in elements(fragment) if "line" in inner.classes]
    if not lines:
        return
    fragment.tag = "pre"
    _drop_breaks(fragment)
    for line in lines:
        line.children.append("\n")


def _drop_breaks(element: Element) -> None:
    """Leave out the blanks between lines: they end one only in the page's source."""
    element.children = [
        child for child in element.children if isinstance(child, Element) or child.strip()
    ]
    for child in element.children:
        if isinstance(child, Element) and child.tag == "div" and "line" not in child.classes:
            _drop_breaks(child)


def _name_title(header: Element) -> None:
    for title in header.children:
        if isinstance(title, Element) and title.tag == "div" and "title" in title.classes:
            groups = [child for child in title.children if _is_groups(child)]
            title.children = [child for child in title.children if not _is_groups(child)]
            title.tag = "h1"
            header.children += groups
            return


def _is_groups(child: Element | str) -> bool:
    return isinstance(child, Element) and "ingroups" in child.classes
