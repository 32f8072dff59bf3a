"""What stands around a page's content: navigation, the site's header and footer, sidebars.

HTML's own elements and roles tell it, and the names that generators of documentation give it; what
is named as standing beside a text, and an ``<aside>`` in one, when links are all they hold. Where
a page says which element holds its content (``<main>``), everything outside is furniture. Where
nothing tells it, bars of links and short links are that stand before all text and headings, and so
is a bar of links that is called navigation, or leads to the next page and the one before.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterable

from rag_assets.loading.html.link_bars import (
    is_link_bar,
    is_list_of_links,
    is_short_link,
    leads_on,
)
from rag_assets.loading.html.tree import (
    HEADINGS,
    Element,
    Place,
    Tree,
    elements,
    holds_blocks,
    texts,
)

_ROLES = frozenset({"navigation", "search", "contentinfo", "banner"})
#: Furniture of a page, but not of a part of it.
_AROUND = frozenset({"header", "footer", "aside"})
_PARTS = frozenset(
    {"article", "main", "section", "blockquote", "figure", "details", "dialog", "li", "td"}
)
#: Of the site's name, when it is an outermost heading that leads elsewhere.
_SITES = frozenset({"header", "logo", "masthead", "site-name", "site-title"})
#: Classes and ids, by who writes them.
_NAMES = frozenset(
    [
        "sphinxsidebar",  # Sphinx
        *("navheader", "navfooter", "docnav"),  # DocBook, Publican
        *("topnav", "subnav", "bottomnav", "skipnav", "skip-nav"),  # Javadoc
        *("nav_table", "nav-panel", "tocframe"),  # Texinfo
        *("sitesub", "contentsub", "t-navbar"),  # MediaWiki
        *("printfooter", "catlinks", "p-lang-btn"),
        *("titlearea", "navpath"),  # Doxygen
        *("toplang", "bottomlang"),  # Apache
        *("navbar", "breadcrumb", "breadcrumbs", "pagination"),  # Bootstrap
        *("mainmenu", "submenu", "searchmenu"),  # SQLite
        *("global-nav", "skip-link"),
    ]
)
#: The same by a name that is also given to the foot of a part.
_FOOTERS = frozenset({"footer", "page-footer", "site-footer"})
#: Doxygen has an ``<hr>`` and an ``<address>``.
_WITH_FOOTERS = frozenset({"div", "address", "hr"})
#: An ``<aside>`` of the text itself, and the notes at a text's end.
_NOTE = re.compile(r"note|admonition|tip|warning|caution|callout|alert", re.IGNORECASE)
#: Names of what may stand beside a text or in it and lead elsewhere; it does when links are all
#: that it holds.
_BESIDE = re.compile(r"(?:^|[-_ ])(?:sidebar|widget|related|popular|share|social)(?:$|[-_ ])")
_BESIDE_TAGS = frozenset({"div", "section", "ul"})
#: A list of the page's own headings, when all its links lead to places on the page.
_CONTENTS = re.compile(r"(?:.*[-_])?toc(?:[-_].*)?|table[-_ ]?of[-_ ]?contents\d*")
_OF_DOCUTILS = frozenset({"contents", "topic"})
#: What asks to be let store something, has a button for it and stands in no part of the text.
_CONSENT = re.compile(
    r"(?:^|[-_ ])(?:gdpr|cookies?)[-_]?"
    r"(?:banner|bar|consent|dialog|info|law|message|modal|notice|popup)(?:$|[-_ ])"
)
#: Of the edges of printed pages, by LibreOffice.
_PRINTED = ("header", "footer")
#: The end of one.
_SENTENCE = re.compile(r"\w{2}[)\"'”’»]*[.!?](?:\s|\Z)|[。！？]")
#: What an ``<aside>`` that is no text may ask with.
_CONTROLS = frozenset({"form", "input", "button", "select"})
#: Elements that may be a bar of links.
_BARS = frozenset({"div", "p", "ul", "ol", "table", "center"})
#: Elements that can hold none: their text is content.
_HOLD_NONE = HEADINGS | {"p", "pre", "a", "span", "code", "em", "strong", "b", "i"}


class Furniture:
    """The furniture of a page, taken out of its tree.

    Attributes:
        before: what stood above all text that is left, in order.
        after: the rest.
    """

    def __init__(self, tree: Tree) -> None:
        self.before: list[Element] = []
        self.after: list[Element] = []
        self._taken: list[tuple[Element, list[Element | str]]] = []
        self._says = False
        self._has_headings = any(inner.tag in HEADINGS for inner in elements(tree.root))
        self._places = _places(tree.root)
        main = tree.mains[0] if len(tree.mains) == 1 else None
        self._main = main.element if main else None
        self._around = _same([*main.above, main.element] if main else [])
        self._spared: set[int] = set()
        self._spared = _same(_title(tree.first_headings, self))
        self._read(tree.root, around=main is not None, in_part=False)

    def put_back(self) -> None:
        """Make the tree what it was."""
        for element, children in self._taken:
            element.children = children
        self.before, self.after = [], []

    def holds(self, place: Place) -> bool:
        """Whether what stands at ``place`` is, or would be, furniture."""
        path = [*place.above, place.element]
        if self._main is not None and all(element is not self._main for element in path):
            return True
        in_part = False
        for element in path:
            if _is_furniture(element, in_part, self._places):
                return True
            in_part = in_part or element.tag in _PARTS
        return False

    def _read(self, element: Element, *, around: bool, in_part: bool) -> None:
        """Take the furniture out of an element's children, and out of theirs.

        Args:
            around: whether ``element`` holds the page's ``<main>``.
            in_part: whether it stands in an article or the like.
        """
        kept: list[Element | str] = []
        for run in [[*element.children]] if around or in_part else _lines(element.children):
            if len(run) > 1 and not (around or in_part) and self._is_bar(run):
                self._take(Element("div", children=run))
            else:
                kept += [child for child in run if self._keeps(child, around, in_part)]
        if len(kept) < len(element.children):
            self._taken.append((element, element.children))
            element.children = kept

    def _keeps(self, child: Element | str, around: bool, in_part: bool) -> bool:
        """Read a child that is none of the furniture; take one that is."""
        if isinstance(child, str):
            if around and child.strip():
                self._take(Element("div", children=[child]))
                return False
            self._says = self._says or bool(child.strip())
            return True
        holds_main = around and id(child) in self._around
        spared = id(child) in self._spared
        if not (holds_main or spared) and (
            around
            or _is_furniture(child, in_part, self._places)
            or (not in_part and child.tag in _BARS and self._is_bar([child]))
        ):
            self._take(child)
            return False
        if child.tag in _HOLD_NONE:
            self._says = self._says or any(map(str.strip, texts(child)))
        elif child.shown:
            inside = in_part or spared or child.tag in _PARTS
            self._read(child, around=holds_main and child is not self._main, in_part=inside)
        return True

    def _is_bar(self, children: list[Element | str]) -> bool:
        """Whether these are a bar of links that leads about the site; above all that a page says,
        one short link is one."""
        if self._has_headings and not self._says:
            return is_link_bar(children) or is_short_link(children)
        return is_link_bar(children) and (
            leads_on(children) or any(map(_is_called_navigation, children))
        )

    def _take(self, element: Element) -> None:
        (self.after if self._says else self.before).append(element)


def _title(headings: list[Place], furniture: Furniture) -> list[Element]:
    """The heading that names the page and what it stands in, when that would all be furniture; one
    that is a link names the site."""
    if any(not furniture.holds(place) for place in headings):
        return []
    for place in headings:
        path = [*place.above, place.element]
        inside = any(element.tag == "nav" or element.role == "navigation" for element in path)
        if not (inside or _is_link(place.element)):
            return path
    return []


def _same(elements: Iterable[Element]) -> set[int]:
    return {id(element) for element in elements}


def _is_link(heading: Element) -> bool:
    """Whether all text of a heading leads elsewhere."""
    return all(
        not child.strip()
        if isinstance(child, str)
        else (bool(child.target) and not child.target.startswith("#")) or _is_link(child)
        for child in heading.children
    )


def _is_furniture(element: Element, in_part: bool, places: set[str]) -> bool:
    if element.tag == "nav":
        return True
    if element.tag in _AROUND and not in_part and not _is_of_text(element):
        return True
    if element.given.get("title") in _PRINTED and element.tag == "div" and not in_part:
        return True
    if element.tag == "aside" and is_list_of_links(element) and not _is_of_text(element):
        return True
    given = element.given
    if "role" in given and element.role in _ROLES:
        return True
    if "class" not in given and "id" not in given:
        return False
    if (
        element.tag in _BESIDE_TAGS
        and _BESIDE.search(_named(element).lower())
        and is_list_of_links(element, 1)  # Its title may be a line of text.
    ):
        return True
    names = {*given.get("class", "").lower().split(), given.get("id", "").lower()}
    if element.tag in _BESIDE_TAGS and (
        _is_contents(element, names, places) or (not in_part and _asks_consent(element))
    ):
        return True
    if element.tag == "h1" and not _SITES.isdisjoint(names) and _is_link(element):
        return True
    if element.tag == "table" and "bar" in names:
        return True  # Free Pascal's fpdoc
    if element.tag == "div" and "nav" in names and element.role != "tablist":
        return True
    if element.tag in _WITH_FOOTERS and not in_part and not _FOOTERS.isdisjoint(names):
        return True
    return not _NAMES.isdisjoint(names)


def _is_contents(element: Element, names: set[str], places: set[str]) -> bool:
    """Whether a list is called contents and leads to ``places`` of its page alone; the page may
    stand in its links by name (``page.html#place``)."""
    named = any(map(_CONTENTS.fullmatch, names)) or names >= _OF_DOCUTILS
    is_list = named and is_list_of_links(element, times=0, largest=sys.maxsize)
    return is_list and not _leads_elsewhere(element, places)


def _places(root: Element) -> set[str]:
    """What links to places on a page can name."""
    found = (inner.given.get(name) for inner in elements(root) for name in ("id", "name"))
    return {name for name in found if name}


def _asks_consent(element: Element) -> bool:
    return _CONSENT.search(_named(element).lower()) is not None and any(
        inner.tag == "button" for inner in elements(element)
    )


def _lines(children: list[Element | str]) -> Iterable[list[Element | str]]:
    """What stands on a line of its own: blocks, and what stands between them."""
    line: list[Element | str] = []
    for child in children:
        if isinstance(child, str) or not holds_blocks(child):
            line.append(child)
            continue
        if line:
            yield line
        yield [child]
        line = []
    if line:
        yield line


def _is_called_navigation(child: Element | str) -> bool:
    """Whether a class or id calls it navigation, and a link in it leads to another page, which the
    links of tabs do not."""
    if isinstance(child, str):
        return False
    names = [*child.classes, child.given.get("id", "")]
    return any(name.lower().startswith("nav") for name in names) and _leads_elsewhere(child)


def _named(element: Element) -> str:
    return f"{element.given.get('class', '')} {element.given.get('id', '')}"


def _is_of_text(element: Element) -> bool:
    """Whether it has an article in it, is the title that Pandoc begins a text with, or a note in an
    ``<aside>``: its name says so, or says nothing else and it has sentences, leads nowhere else
    and asks nothing."""
    if element.role.startswith(("doc-", "note")) or _holds_article(element):
        return True
    named = _named(element)
    if element.tag != "aside":
        return named.endswith("title-block-header")
    if _NOTE.search(f"{named} {element.given.get('epub:type', '')}"):
        return True
    return (
        not _BESIDE.search(named.lower())
        and any(map(_SENTENCE.search, texts(element)))
        and not _leads_elsewhere(element)
        and not any(inner.tag in _CONTROLS for inner in elements(element))
    )


def _leads_elsewhere(element: Element, places: Container[str] = ()) -> bool:
    """Whether a link in it leads to another page.

    Args:
        places: the names of those that are on this one.
    """
    targets = (inner.target for inner in elements(element))
    return any(
        target and not target.startswith("#") and target.partition("#")[2] not in places
        for target in targets
    )


def _holds_article(element: Element) -> bool:
    return any(inner.tag == "article" for inner in elements(element))
