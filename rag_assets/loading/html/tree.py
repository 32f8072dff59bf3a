"""A page as a small tree of elements, from the standard library's parser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IGNORED = _names(
    "script style template noscript svg canvas iframe object select textarea button title"
)
_BLOCKS = _names(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 head header hr html li main menu nav ol p pre section "
    "summary table tbody td tfoot th thead tr ul"
)
VOID = _names("area base br col embed hr img input link meta source track wbr")
HEADINGS = _names("h1 h2 h3 h4 h5 h6")
#: Elements a new one of the same kind ends, as browsers do, up to the element that holds them.
_ENDS = {
    "li": ({"li"}, {"ul", "ol", "menu"}),
    "tr": ({"tr", "td", "th"}, {"table"}),
    **dict.fromkeys(
        ["thead", "tbody", "tfoot"], ({"thead", "tbody", "tfoot", "tr", "td", "th"}, {"table"})
    ),
    "td": ({"td", "th"}, {"tr", "table"}),
    "th": ({"td", "th"}, {"tr", "table"}),
    "dt": ({"dt", "dd"}, {"dl"}),
    "dd": ({"dt", "dd"}, {"dl"}),
}
_BLANKS = re.compile(r"[ \t\n\f\r]+")
#: Deeper markup is read as if it stood at this depth.
_MAX_DEPTH = 150


@dataclass(slots=True)
class Element:
    """``children`` are elements and text."""

    tag: str
    given: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    @property
    def shown(self) -> bool:
        """Whether it is content."""
        return self.tag not in _IGNORED and "hidden" not in self.given

    @property
    def target(self) -> str:
        """Where it leads as a link; empty when it is none."""
        return self.given.get("href", "").strip() if self.tag == "a" else ""


class Tree(HTMLParser):
    """``root`` is there when all of a page was fed; damaged markup is read as far as it goes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("html")
        self.title: Element | None = None
        self.metadata: dict[str, str] = {}
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "meta" and given.get("name") and given.get("content"):
            self.metadata[given["name"].lower()] = given["content"].strip()
        if tag == "html":
            if given.get("lang"):
                self.metadata["lang"] = given["lang"]
            return
        if tag in _BLOCKS:
            self._end_paragraph()
            self._end_formula()
        if tag in _ENDS:
            self._end_until(*_ENDS[tag])
        element = Element(tag, given)
        if tag == "title" and self.title is None and not self._in_drawing():
            self.title = element
        self._open[-1].children.append(element)
        if tag not in VOID and len(self._open) < _MAX_DEPTH:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, 0, -1):
            if self._open[at].tag == tag:
                del self._open[at:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)

    def _in_drawing(self) -> bool:
        """Whose title is not the page's."""
        return any(element.tag == "svg" for element in self._open)

    def _end_paragraph(self) -> None:
        if self._open[-1].tag == "p":
            self._open.pop()

    def _end_formula(self) -> None:
        """No block stands in a formula; one that was not closed ends here."""
        for at, element in enumerate(self._open):
            if element.tag == "math":
                del self._open[at:]
                return

    def _end_until(self, ended: set[str], holders: set[str]) -> None:
        at = len(self._open)
        while at > 1 and self._open[at - 1].tag not in holders:
            at -= 1
        for number in range(at, len(self._open)):
            if self._open[number].tag in ended:
                del self._open[number:]
                return


def flat(text: str) -> str:
    """``text`` on one line; a no-break space is no blank."""
    return one_blank(text).strip()


def one_blank(text: str) -> str:
    return _BLANKS.sub(" ", text)


def holds_blocks(element: Element) -> bool:
    """Whether an element is a block or has one within."""
    if element.tag in _BLOCKS:
        return True
    return any(isinstance(child, Element) and holds_blocks(child) for child in element.children)


def content(children: list[Element | str]) -> Iterator[Element | str]:
    """Shown elements and text at any depth, in order."""
    for child in children:
        if isinstance(child, str):
            yield child
        elif child.shown:
            yield child
            yield from content(child.children)


def move_links_into_blocks(element: Element, target: str = "") -> str:
    """A link around blocks becomes one of the first text in them: Markdown has no others.

    Args:
        target: of a link around ``element`` that found no text before it.

    Returns:
        ``target``, empty when it found text.
    """
    own = element.target or target
    children: list[Element | str] = []
    run: list[Element | str] = []
    for child in [*element.children, None]:
        if isinstance(child, str) or (child is not None and not holds_blocks(child)):
            run.append(child)
            continue
        if own and _can_be_linked(run):
            run, own = [Element("a", {"href": own}, run)], ""
        children += run
        run = []
        if child is not None:
            children.append(child)
            # Code holds no link.
            if child.shown and child.tag != "pre":
                own = move_links_into_blocks(child, own)
    element.children = children
    return target if element.target else own


def _can_be_linked(run: list[Element | str]) -> bool:
    says = False
    for node in content(run):
        if isinstance(node, Element) and node.target:
            return False
        says |= bool(node.strip()) if isinstance(node, str) else node.tag == "img"
    return says
