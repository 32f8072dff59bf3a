"""Lists of a page as lists of Markdown, or as plain blocks where a list only lays out a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from rag_assets.loading.html.headings import is_heading
from rag_assets.loading.html.tree import Element

_Write = Callable[[Element], list[str]]

#: What begins an item of a list in one, which follows the text above it at once.
_ITEM = re.compile(r"(?:-|\d+\.) ")
#: A list that may follow a paragraph at once.
_FIRST_ITEM = re.compile(r"(?:-|1\.) ")
#: As HTML reads whole numbers, whatever follows them (2.3.4.1).
_INTEGER = re.compile(r"[ \t\n\f\r]*([+-]?[0-9]{1,12})")
#: Numbers of items in Markdown have nine digits at most.
_TOO_LARGE = 10**9
#: What an item would narrow: code and tables.
_WIDE = ("```", "| ")


def list_blocks(element: Element, write: Callable[[Element | str], list[str]]) -> list[str]:
    """The list as one block; its items' blocks when one of them has a heading, which would be none
    inside an item.

    Args:
        write: the blocks of what stands in a list.
    """
    contents = [(child, write(child)) for child in element.children]
    if any(is_heading(block) for _, blocks in contents for block in blocks):
        return [block for _, blocks in contents for block in blocks]
    if element.tag == "ol":
        return _ordered(element, contents)
    items = [_item("- ", blocks) for _, blocks in contents if blocks]
    return ["\n".join(items)] if items else []


def _ordered(element: Element, contents: Sequence[tuple[Element | str, list[str]]]) -> list[str]:
    """Items with the numbers that the page shows; what stands between two belongs to the first."""
    has_items = any(_is_item(child) for child, _ in contents)
    before: list[str] = []
    items: list[tuple[Element | str, list[str]]] = []
    for child, blocks in contents:
        if _is_item(child) if has_items else blocks:
            items.append((child, [*blocks]))
        elif items:
            items[-1][1].extend(blocks)
        else:
            before += blocks
    numbers = _numbers(element, [child for child, _ in items])
    lines = [
        _item(f"{number}. ", blocks)
        for number, (_, blocks) in zip(numbers, items, strict=True)
        if blocks
    ]
    return [*before, "\n".join(lines)] if lines else before


def _is_item(child: Element | str) -> bool:
    return isinstance(child, Element) and child.tag == "li" and child.shown


def _numbers(element: Element, items: Sequence[Element | str]) -> Sequence[int]:
    """The ordinal value of each item (HTML 4.4.5 and 4.4.8); from 1 on where one of them is none
    that Markdown knows."""
    step = -1 if "reversed" in element.given else 1
    number = _integer(element, "start", len(items) if step < 0 else 1)
    numbers = []
    for item in items:
        if isinstance(item, Element):
            number = _integer(item, "value", number)
        numbers.append(number)
        number += step
    known = all(0 <= number < _TOO_LARGE for number in numbers)
    return numbers if known else range(1, len(items) + 1)


def _integer(element: Element, name: str, otherwise: int) -> int:
    found = _INTEGER.match(element.given.get(name, ""))
    return int(found[1]) if found else otherwise


def definition_blocks(element: Element, write: _Write) -> list[str]:
    """The list with each term and its definition as one item, so that no cut parts them.

    From the first code, table, heading or list of definitions on, a definition stands below its
    item by itself. A list without terms or with headings as terms lays out a page.

    Args:
        write: the blocks of an element's content.
    """
    groups = [_Group()]
    _gather(element, groups)
    terms = [list(filter(None, map(write, group.terms))) for group in groups]
    is_layout = any(is_heading(block) for names in terms for name in names for block in name)
    found: list[str] = []
    items: list[str] = []
    for group, names in zip(groups, terms, strict=True):
        held, apart = _definition(group.rest, write)
        if is_layout or not names:
            apart = [*(block for name in names for block in name), *held, *apart]
        elif held:
            items.append(_item("- ", _terms_with_definition(names, held)))
        else:
            items += [_item("- ", name) for name in names]
        if apart and items:
            found.append("\n".join(items))
            items = []
        found += apart
    return [*found, "\n".join(items)] if items else found


class _Group:
    """Terms, and what follows them up to the next."""

    def __init__(self) -> None:
        self.terms: list[Element] = []
        self.rest: list[Element] = []


def _gather(element: Element, groups: list[_Group]) -> None:
    """The groups of a list, also through a ``<div>`` around each, as HTML allows."""
    for child in element.children:
        if isinstance(child, str):
            if child.strip():
                groups[-1].rest.append(Element("div", children=[child]))
        elif not child.shown:
            continue
        elif child.tag == "dt":
            if groups[-1].rest:
                groups.append(_Group())
            groups[-1].terms.append(child)
        elif child.tag == "div":
            _gather(child, groups)
        elif child.tag == "dd":
            groups[-1].rest.append(child)
        else:
            groups[-1].rest.append(Element("div", children=[child]))


def _definition(parts: list[Element], write: _Write) -> tuple[list[str], list[str]]:
    """The blocks that an item can hold, and from the first on that it cannot."""
    held: list[str] = []
    apart: list[str] = []
    for part in parts:
        for piece in _pieces(part):
            blocks = write(piece)
            fit = 0
            if not apart and not _is_nested(piece):
                fits = (at for at, block in enumerate(blocks) if _stands_apart(block))
                fit = next(fits, len(blocks))
            held += blocks[:fit]
            apart += blocks[fit:]
    return held, apart


def _pieces(part: Element) -> Iterator[Element]:
    """A definition, and apart from it the lists of definitions in it."""
    run: list[Element | str] = []
    for child in part.children:
        if isinstance(child, Element) and child.tag == "dl":
            yield Element("div", children=run)
            yield Element("div", children=[child])
            run = []
        else:
            run.append(child)
    yield Element("div", children=run)


def _is_nested(piece: Element) -> bool:
    first = piece.children[0] if piece.children else ""
    return isinstance(first, Element) and first.tag == "dl"


def _stands_apart(block: str) -> bool:
    return block.startswith(_WIDE) or is_heading(block)


def _terms_with_definition(names: list[list[str]], held: list[str]) -> list[str]:
    """Terms, a line each, and at once the beginning of their definition."""
    lines = [block for name in names for block in name]
    if _FIRST_ITEM.match(held[0]) or not _ITEM.match(held[0]):
        return ["\n".join([*lines, held[0]]), *held[1:]]
    return ["\n".join(lines), *held]


def _item(mark: str, blocks: list[str]) -> str:
    # A list in an item follows its text at once; further paragraphs stand apart, and so do lists
    # that begin with another number than 1: they would go on with the text.
    body = blocks[0]
    for block in blocks[1:]:
        body += ("\n" if _FIRST_ITEM.match(block) else "\n\n") + block
    indent = " " * len(mark)
    lines = body.split("\n")
    return mark + "\n".join([lines[0], *(indent + line if line else "" for line in lines[1:])])
