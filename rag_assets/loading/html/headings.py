"""What of a heading is its words, and how they read the same as a heading of Markdown."""

from __future__ import annotations

import re

from rag_assets.loading.html.tree import PERMALINKS, Element, elements, texts

_HEADING = re.compile(r"#{1,6} ")
#: What a link to its own place says where it says anything.
_SAYS_LINK = re.compile(r"(?:permanent |direct )?(?:perma)?link\b.*|anchor|#.*", re.IGNORECASE)
#: What such a link shows in place of words, wherever it leads.
_LINK_SIGN = re.compile(r"[#¶§🔗⚓∞\ufe0f]+")
#: What may be markup: a bar below that is not within a word, a star that is not between blanks.
_SYNTAX = re.compile(
    r"`|(?<!\w)_++|_++(?![^\W_])|(?<!\s)\*++|\*++(?!\s)|\\(?=[!-/:-@\[-`{-~]|$)|&(?=#?\w+;)"
)


def is_heading(block: str) -> bool:
    """Whether a block that was written is a heading; text that begins so is escaped."""
    return _HEADING.match(block) is not None


def escaped_in_heading(text: str) -> str:
    """``text`` so that nothing in it is read as markup, since a heading is a title as well."""
    return _SYNTAX.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"\\{character}" for character in found[0])


def without_permalinks(children: list[Element | str]) -> list[Element | str]:
    """A heading's content without a link to itself at its end or beginning, unless that is all."""
    kept = _trimmed(children)
    return children if all(map(_is_blank, kept)) else kept


def _trimmed(
    children: list[Element | str], edges: tuple[int, ...] = (-1, 0)
) -> list[Element | str]:
    """Args:
    edges: the ends that are those of the heading, last and first; blanks at others part words.
    """
    kept = list(children)
    for at in edges:
        while kept and _is_blank(kept[at]):
            del kept[at]
    # What is both edges is trimmed once.
    for at in edges if len(kept) > 1 else edges[-1:]:
        edge = kept[at] if kept else ""
        if isinstance(edge, str):
            continue
        if _is_permalink(edge):
            del kept[at]
        elif edge.tag in ("span", "div"):
            inner = _trimmed(edge.children, (at,) if len(kept) > 1 else edges)
            kept[at] = Element(edge.tag, edge.given, inner, edge.shown)
    return kept


def _is_permalink(element: Element) -> bool:
    text = "".join(texts(element)).strip()
    if element.tag == "a" and _LINK_SIGN.fullmatch(text):
        return True
    if not element.target.startswith("#"):
        return False
    if not any(map(str.isalnum, text)):
        return not _has_image(element)
    names = element.classes
    if "anchor" in names:
        # It may as well be around the heading's words.
        return _SAYS_LINK.fullmatch(text) is not None
    return not PERMALINKS.isdisjoint(names)


def _is_blank(child: Element | str) -> bool:
    if isinstance(child, str):
        return not child.strip()
    # Such as an ``<a name>`` that marks the place.
    return not _has_image(child) and all(map(_is_blank, texts(child)))


def _has_image(element: Element) -> bool:
    return any(inside.tag == "img" for inside in (element, *elements(element)))
