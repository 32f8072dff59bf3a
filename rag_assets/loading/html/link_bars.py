"""Bars and lists of links that lead about a site, told by what they hold: hardly a word that is no
link."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_assets.loading.html.tree import HEADINGS, Element, content, texts

_LETTER = re.compile(r"\w")
#: Words before the links of a bar, such as ``Next: <a>``.
_WAYS = re.compile(r"\b(?:next|prev(?:ious)?|up|home|top|contents|index)\s*:", re.IGNORECASE)
_NEIGHBOURS = re.compile(r"\b(?:next|prev(?:ious)?|up)(?=\s*:)", re.IGNORECASE)
_ADDRESS = re.compile(r"\w://")
#: So many letters in links for each one that is in none.
_LINKED_TIMES = 4
#: Letters in links of the largest bar, and letters in none. What has more is a list to be read.
_MAX_LINKED = 2000
_MAX_UNLINKED = 100
#: Bytes of UTF-8 in a link of few words; those of ten Chinese characters.
_MAX_SHORT = 30
#: What no bar holds, when it says anything.
_TEXT = HEADINGS | {"pre", "form", "blockquote"}
#: In the name of a link to the next page or the one before.
_WAY = re.compile(r"(?:^|[-_ ])(next|prev)(?:ious)?(?:$|[-_ ])")


def is_link_bar(children: list[Element | str]) -> bool:
    """Whether these are two links or more and next to nothing else."""
    return _holds_links(children, 2, _LINKED_TIMES)


def is_short_link(children: list[Element | str]) -> bool:
    """Whether these are a link of few words and next to nothing else: a longer one is a notice, or
    names what it leads to, and is to be read."""
    said = [text for text, in_link in _texts(children) if text and in_link]
    return len("".join(said).encode()) <= _MAX_SHORT and _holds_links(children, 1, _LINKED_TIMES)


def is_list_of_links(
    element: Element, times: int = _LINKED_TIMES, largest: int = _MAX_LINKED
) -> bool:
    """Whether an element holds a link or more and, but for headings over them, little else.

    Args:
        times: so many letters in links for each one that is in none.
        largest: so many letters in links at most.
    """
    return _holds_links(_below_headings(element.children)[0], 1, times, largest)


def _holds_links(
    children: list[Element | str], least: int, times: int, largest: int = _MAX_LINKED
) -> bool:
    links = linked = unlinked = 0
    for text, in_link in _texts(children):
        if text is None:
            return False
        letters = len(_LETTER.findall(text if in_link else _WAYS.sub("", text)))
        if in_link:
            links, linked = links + bool(letters), linked + letters
        else:
            unlinked += letters
        if linked > largest or unlinked > _MAX_UNLINKED:
            return False
    return links >= least and linked >= times * unlinked


def _below_headings(children: list[Element | str]) -> tuple[list[Element | str], bool]:
    """What is no heading, out of the elements that hold one; and whether any is among them."""
    found: list[Element | str] = []
    any_heading = False
    for child in children:
        if isinstance(child, str):
            found.append(child)
            continue
        within, holds = _below_headings(child.children)
        if not holds and child.tag not in HEADINGS:
            found.append(child)
        elif child.shown and holds:
            found += within
        any_heading |= holds or child.tag in HEADINGS
    return found, any_heading


def leads_on(children: list[Element | str]) -> bool:
    """Whether two words before links, or names of links, say that they lead to the next page, the
    one before or the one above."""
    said = " ".join(text for text, in_link in _texts(children) if text and not in_link)
    links = (child for child in content(children) if isinstance(child, Element) and child.target)
    names = " ".join(f"{a.given.get('rel', '')} {a.given.get('class', '')}" for a in links)
    ways = [*_NEIGHBOURS.findall(said), *_WAY.findall(names.lower())]
    return len({way[:4].lower() for way in ways}) > 1


def _texts(
    children: list[Element | str], in_link: bool = False
) -> Iterator[tuple[str | None, bool]]:
    """Text, blanks aside, and whether a link holds it; None for what is in no bar. The links of a
    bar have names: an address that is spelled out makes none, and leaves one a bar."""
    for child in children:
        if isinstance(child, str):
            if child.strip():
                yield child, in_link
        elif child.tag in _TEXT and any(map(str.strip, texts(child))):
            yield None, in_link
        elif child.shown and not (child.target and any(map(_ADDRESS.search, texts(child)))):
            yield from _texts(child.children, in_link or bool(child.target))
