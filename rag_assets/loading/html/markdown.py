"""HTML to Markdown: a small tree from the standard library's parser, written out as blocks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from rag_assets.loading.html import doxygen, roles
from rag_assets.loading.html.anchors import ids_of
from rag_assets.loading.html.flat_lists import nest_lists
from rag_assets.loading.html.formulas import formula, linked, settled, shifted, tex_script
from rag_assets.loading.html.furniture import Furniture
from rag_assets.loading.html.headings import escaped_in_heading, is_heading, without_permalinks
from rag_assets.loading.html.line_ends import keep_line_ends
from rag_assets.loading.html.lists import definition_blocks, list_blocks
from rag_assets.loading.html.places import MARKS, PlaceMarks
from rag_assets.loading.html.ruby import read_out
from rag_assets.loading.html.struck import STRUCK, struck, told_apart
from rag_assets.loading.html.tables import table_blocks
from rag_assets.loading.html.tasks import marked_as_task
from rag_assets.loading.html.tree import (
    HEADINGS,
    VOID,
    Element,
    Tree,
    content,
    flat,
    holds_blocks,
    move_links_into_blocks,
    one_blank,
)
from rag_assets.loading.text_headings import text_as_markdown
from rag_assets.loading.text_outdents import manual_name
from rag_query.text.marks import UNSPACED

_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*"}
#: What begins a block of Markdown, or makes a heading or a rule of a line.
_SYNTAX = re.compile(r"(?=(?:#{1,6}|[-+*>])(?:\s|$)|```|~~~|\||(?:-+|=+|[*_ ]+)$)")
#: What begins a tag, an image or a wiki link within a line; HTML has none of the last.
_INLINE_SYNTAX = re.compile(r"<(?=[A-Za-z/!?])|(?<=!)\[|\[(?=\[)")
#: An end of a line between characters of scripts that set no blanks between words.
_WRAPPED = re.compile(rf"([{UNSPACED}]{MARKS}?)[ \t\f]*\n[ \t\n\f]*(?=[{UNSPACED}])")
_NUMBERED = re.compile(rf"((?:\d{MARKS}*){{1,9}})(?=[.)]\s)")
#: Number signs that would end a heading of Markdown and be none of its words.
_CLOSING = re.compile(r"(?<!\S)#+$")
#: Leads nowhere without the page that runs it.
_SCRIPT = re.compile("javascript:", re.IGNORECASE)
#: Where pictures that are loaded late have their address, and the longest ``data:`` that is none
#: of them, but stands in their place until then.
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-actualsrc")
_PLACEHOLDER = 2000
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_WORD = re.compile(r"\w")

_Plain = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Page:
    """Markdown of a page, its ``<title>`` and what its ``<meta>`` elements say.

    ``anchors`` has the ids that lead to a heading, with the heading's Markdown; ``terms`` those
    that lead to a term of a list of definitions, with the first line of its Markdown; ``places``
    all others, with the line from 0 that their first words stand on. ``before`` and ``after`` are
    what stands around the content, piece by piece.
    """

    md: str
    title: str
    metadata: dict[str, str]
    anchors: dict[str, str]
    terms: dict[str, str]
    places: dict[str, int]
    before: list[str]
    after: list[str]


def to_markdown(html: str) -> Page:
    """Read a page or a fragment. Damaged markup is read as far as it goes."""
    tree = Tree()
    tree.feed(html)
    tree.close()
    doxygen.name_elements(tree.doxygen)
    roles.name_elements(tree.roles)
    title = flat(_unwrapped(_plain_text(tree.title))) if tree.title else ""
    furniture = Furniture(tree)
    title = title or _printed_title(tree.root)
    if "white-space" in html:
        keep_line_ends(tree.root)
    if "lst-kix_" in html:
        nest_lists(tree.root)
    move_links_into_blocks(tree.root)
    anchors, terms = ids_of(tree.root, _heading, _blocks)
    marks = PlaceMarks(html)
    marks.put(tree.root, {*anchors, *terms})
    blocks = _blocks(tree.root)
    if not _says_something(blocks) and (furniture.before or furniture.after):
        # Navigation is all there is, as on a page that lists the contents of others.
        furniture.put_back()
        blocks = _written(tree.root)
        anchors, terms = ids_of(tree.root, _heading, _blocks)
        terms = {name: marks.take(line).md for name, line in terms.items()}
    md, places = marks.take("\n\n".join(blocks))
    before, after = map(_pieces, (furniture.before, furniture.after))
    return Page(md, title, tree.metadata, anchors, terms, places, before, after)


def _printed_title(root: Element) -> str:
    """What an editor that has styles calls the title, above all headings."""
    for node in content(root.children):
        if isinstance(node, str):
            continue
        if node.tag in HEADINGS:
            break
        if node.tag == "p" and "title" in node.classes:
            return flat(_unwrapped(_plain_text(node)))
    return ""


def _pieces(furniture: list[Element]) -> list[str]:
    written = (_written(Element("div", children=[piece])) for piece in furniture)
    return ["\n\n".join(blocks) for blocks in written if blocks]


def _written(element: Element) -> list[str]:
    move_links_into_blocks(element)
    return _blocks(element)


def _says_something(blocks: list[str]) -> bool:
    """Whether there are words besides headings and pictures."""
    return any(not is_heading(block) and _WORD.search(_IMAGE.sub("", block)) for block in blocks)


def _blocks(element: Element) -> list[str]:
    """The blocks of an element's content."""
    found: list[str] = []
    inline: list[Element | str] = []
    for child in element.children:
        if isinstance(child, str) or not holds_blocks(child):
            inline.append(child)
            continue
        found += _paragraph(inline)
        inline = []
        found += _block(child)
    return found + _paragraph(inline)


def _block(element: Element) -> list[str]:
    tag = element.tag
    if not element.shown:
        return []
    if tag in HEADINGS:
        return list(filter(None, [_heading(element)]))
    if tag == "pre":
        return _code(element)
    if tag in ("ul", "ol", "menu"):
        return list_blocks(element, _list_item)
    if tag == "dl":
        return definition_blocks(element, _blocks)
    if tag == "table":
        return table_blocks(element, _blocks)
    if tag == "blockquote":
        quoted = "\n\n".join(_blocks(element))
        return ["\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))] if quoted else []
    if tag == "hr":
        return ["* * *"]
    return _blocks(element)


def _heading(element: Element) -> str:
    """Empty when the heading is."""
    children = without_permalinks(element.children)
    text = flat(_settled(_inline(children, _plain_in_heading)))
    text = _CLOSING.sub(r"\\\g<0>", text)
    return f"{'#' * int(element.tag[1])} {text}" if text else ""


def _paragraph(children: list[Element | str]) -> list[str]:
    """More than one where two ends of lines (``<br><br>``) leave a blank line between them."""
    lines = (line.strip() for line in _settled(_inline(children)).split("\n"))
    return ["\n".join(map(_escaped, said)) for says, said in groupby(lines, bool) if says]


def _escaped(line: str) -> str:
    """Text is no syntax, whatever it begins with."""
    if number := _NUMBERED.match(line):
        return f"{number[1]}\\{line[number.end() :]}"
    return f"\\{line}" if _SYNTAX.match(line) else line


def _plain(text: str) -> str:
    return _INLINE_SYNTAX.sub(r"\\\g<0>", one_blank(_unwrapped(text)))


def _unwrapped(text: str) -> str:
    """``text`` without the ends of lines that stand for no blank (CSS Text 3, 4.1.3)."""
    return _WRAPPED.sub(r"\1", text) if "\n" in text and not text.isascii() else text


def _plain_in_heading(text: str) -> str:
    return _plain(escaped_in_heading(text))


def _inline(children: list[Element | str], plain: _Plain = _plain) -> str:
    """Text on one line, but for ``<br>``. What is raised, lowered or struck out in it still has its
    provisional marks; see :func:`_settled`.

    Args:
        plain: writes text so that it is no syntax.
    """
    parts: list[str] = []
    for child in read_out(_undrawn(children)):
        if isinstance(child, str):
            parts.append(plain(child))
        elif child.tag == "br":
            parts.append("\n")
        elif child.tag == "img":
            parts.append(_image(child))
        elif child.shown and child.tag == "math":
            parts.append(_plain(formula(child)))
        elif child.shown and child.tag == "script":
            parts.append(_plain(tex_script(child)))
        elif child.shown and child.tag not in VOID:
            parts.append(_marked(child, plain))
    return "".join(parts)


def _settled(line: str) -> str:
    """A line whose raised, lowered and struck out parts are written in their final form, which
    depends on what stands beside them."""
    return told_apart(settled(line))


def _undrawn(children: list[Element | str]) -> list[Element | str]:
    """Children without the drawing of a formula (``aria-hidden``) that stands beside its MathML."""
    if not any(map(_is_unspoken, children)):
        return children
    others = [child for child in children if not _is_unspoken(child)]
    formulas = [child for child in others if isinstance(child, Element) or child.strip()]
    return others if formulas and all(map(_holds_formula, formulas)) else children


def _is_unspoken(child: Element | str) -> bool:
    return isinstance(child, Element) and child.given.get("aria-hidden") == "true"


def _holds_formula(child: Element | str) -> bool:
    nodes = content([child])
    return any(isinstance(node, Element) and node.tag == "math" for node in nodes)


def _marked(element: Element, plain: _Plain) -> str:
    text = _inline(element.children, plain)
    core = text.strip()
    if not core:
        return text
    start = len(text) - len(text.lstrip())
    before, after = text[:start], text[start + len(core) :]
    if element.target and not _SCRIPT.match(element.target):
        return f"{before}{linked(flat(core), _address(element.target))}{after}"
    if element.tag in ("sup", "sub"):
        # Blanks before it would tell it from what it belongs to.
        return shifted(element.tag, flat(core)) + after
    if "\n" in core:
        return text
    if element.tag == "button":
        # Buttons stand apart, whatever stands between them.
        return f" {core} "
    if element.tag == "code" and "`" not in core:
        return f"{before}`{flat(_plain_text(element))}`{after}"
    if element.tag in STRUCK:
        return f"{before}{struck(core)}{after}"
    mark = _MARKS.get(element.tag, "")
    return f"{before}{mark}{core}{mark}{after}"


def _image(element: Element) -> str:
    source = _source(element)
    alt = flat(_unwrapped(element.given.get("alt", ""))).replace("[", "(").replace("]", ")")
    return f"![{alt}]({_address(source)})" if source else alt


def _source(image: Element) -> str:
    """Where a picture is, be it for a script that loads it when it comes into view."""
    source = image.given.get("src", "").strip()
    if source and (len(source) > _PLACEHOLDER or not source.lower().startswith("data:")):
        return source
    return next((image.given[name].strip() for name in _LAZY if image.given.get(name)), source)


def _address(target: str) -> str:
    return f"<{target}>" if re.search(r"[\s()]", target) and "<" not in target else target


def _code(element: Element) -> list[str]:
    """A block of code; a manual page as ``man`` prints it is read as one in a file of text is."""
    text = _plain_text(element).strip("\n")
    if manual_name(text.partition("\n")[0].strip()):
        return [text_as_markdown(text).md]
    fence = "```"
    while fence in text:
        fence += "`"
    return [f"{fence}\n{text}\n{fence}"] if text.strip() else []


def _plain_text(element: Element) -> str:
    """The text of an element as it stands, without marks of Markdown."""
    return told_apart(settled(_text(element)), written="")


def _text(element: Element) -> str:
    return "".join(
        child if isinstance(child, str) else "\n" if child.tag == "br" else _shifted_text(child)
        for child in element.children
        if isinstance(child, str) or child.shown
    )


def _shifted_text(element: Element) -> str:
    text = _text(element)
    if element.tag in STRUCK and (core := text.strip()):
        return text.replace(core, struck(core), 1)
    return shifted(element.tag, text)


def _list_item(item: Element | str) -> list[str]:
    if isinstance(item, str):
        return _paragraph([item])
    if item.tag == "li":
        return marked_as_task(item, _blocks(item)) if item.shown else []
    return _block(item) if holds_blocks(item) else _paragraph([item])
