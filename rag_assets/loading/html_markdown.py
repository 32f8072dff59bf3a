"""HTML to Markdown: a small tree from the standard library's parser, written out as blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IGNORED = _names(
    "script style template noscript svg math canvas iframe object select textarea button title"
)
_BLOCKS = _names(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 head header hr html li main menu nav ol p pre section "
    "summary table tbody td tfoot th thead tr ul"
)
_CELLS = _names("td th")
_VOID = _names("area base br col embed hr img input link meta source track wbr")
#: Elements a new one of the same kind ends, as browsers do, up to the element that holds them.
_ENDS = {
    "li": ({"li"}, {"ul", "ol", "menu"}),
    "tr": ({"tr", "td", "th"}, {"table"}),
    "td": ({"td", "th"}, {"tr", "table"}),
    "th": ({"td", "th"}, {"tr", "table"}),
    "dt": ({"dt", "dd"}, {"dl"}),
    "dd": ({"dt", "dd"}, {"dl"}),
}
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*"}
#: What begins a block of Markdown, or makes a heading or a rule of a line.
_SYNTAX = re.compile(r"(?=(?:#{1,6}|[-+*>])(?:\s|$)|```|~~~|\||(?:-+|=+|[*_ ]+)$)")
#: What begins a tag or an image within a line.
_INLINE_SYNTAX = re.compile(r"<(?=[A-Za-z/!?])|(?<=!)\[")
_NUMBERED = re.compile(r"(\d{1,9})(?=[.)]\s)")
_BLANKS = re.compile(r"[ \t\n\f\r]+")
#: Deeper markup is read as if it stood at this depth.
_MAX_DEPTH = 150


@dataclass(slots=True)
class Element:
    """``children`` are elements and text."""

    tag: str
    given: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)


class _Tree(HTMLParser):
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
        if tag in _ENDS:
            self._end_until(*_ENDS[tag])
        element = Element(tag, given)
        if tag == "title" and self.title is None and not self._in_drawing():
            self.title = element
        self._open[-1].children.append(element)
        if tag not in _VOID and len(self._open) < _MAX_DEPTH:
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

    def _end_until(self, ended: set[str], holders: set[str]) -> None:
        at = len(self._open)
        while at > 1 and self._open[at - 1].tag not in holders:
            at -= 1
        for number in range(at, len(self._open)):
            if self._open[number].tag in ended:
                del self._open[number:]
                return


@dataclass(frozen=True, slots=True)
class Page:
    """Markdown of a page, its ``<title>`` and what its ``<meta>`` elements say."""

    md: str
    title: str
    metadata: dict[str, str]


def to_markdown(html: str) -> Page:
    """Read a page or a fragment. Damaged markup is read as far as it goes."""
    tree = _Tree()
    tree.feed(html)
    tree.close()
    title = _flat(_text(tree.title)) if tree.title else ""
    return Page("\n\n".join(_blocks(tree.root)), title, tree.metadata)


def _blocks(element: Element) -> list[str]:
    """The blocks of an element's content."""
    found: list[str] = []
    inline: list[Element | str] = []
    for child in element.children:
        if isinstance(child, str) or not _holds_blocks(child):
            inline.append(child)
            continue
        found += _paragraph(inline)
        inline = []
        found += _block(child)
    return found + _paragraph(inline)


def _holds_blocks(element: Element) -> bool:
    if element.tag in _BLOCKS:
        return True
    return any(isinstance(child, Element) and _holds_blocks(child) for child in element.children)


def _block(element: Element) -> list[str]:
    tag = element.tag
    if tag in _IGNORED or "hidden" in element.given:
        return []
    if len(tag) == 2 and tag[0] == "h" and tag[1].isdecimal():
        text = _flat(_inline(element.children).replace("\n", " "))
        return [f"{'#' * int(tag[1])} {text}"] if text else []
    if tag == "pre":
        return _code(element)
    if tag in ("ul", "ol", "menu"):
        return _list(element)
    if tag == "table":
        return _table(element)
    if tag == "blockquote":
        quoted = "\n\n".join(_blocks(element))
        return ["\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))] if quoted else []
    if tag == "hr":
        return ["* * *"]
    return _blocks(element)


def _paragraph(children: list[Element | str]) -> list[str]:
    lines = [line.strip() for line in _inline(children).split("\n")]
    text = "\n".join(filter(None, lines))
    if not text:
        return []
    return ["\n".join(map(_escaped, text.split("\n")))]


def _escaped(line: str) -> str:
    """Text is no syntax, whatever it begins with."""
    if number := _NUMBERED.match(line):
        return f"{number[1]}\\{line[number.end() :]}"
    return f"\\{line}" if _SYNTAX.match(line) else line


def _inline(children: list[Element | str]) -> str:
    """Text on one line, but for ``<br>``."""
    parts: list[str] = []
    for child in children:
        if isinstance(child, str):
            parts.append(_INLINE_SYNTAX.sub(r"\\\g<0>", _BLANKS.sub(" ", child)))
        elif child.tag == "br":
            parts.append("\n")
        elif child.tag == "img":
            parts.append(_image(child))
        elif child.tag not in _IGNORED and child.tag not in _VOID and "hidden" not in child.given:
            parts.append(_marked(child))
    return "".join(parts)


def _marked(element: Element) -> str:
    text = _inline(element.children)
    core = text.strip()
    if not core or "\n" in core:
        return text
    before, after = text[: text.index(core)], text[text.index(core) + len(core) :]
    if element.tag == "a" and (target := element.given.get("href", "").strip()):
        return f"{before}[{core}]({_address(target)}){after}"
    if element.tag == "code" and "`" not in core:
        return f"{before}`{_flat(_text(element))}`{after}"
    mark = _MARKS.get(element.tag, "")
    return f"{before}{mark}{core}{mark}{after}"


def _image(element: Element) -> str:
    source = element.given.get("src", "").strip()
    alt = _flat(element.given.get("alt", "")).replace("[", "(").replace("]", ")")
    return f"![{alt}]({_address(source)})" if source else alt


def _address(target: str) -> str:
    return f"<{target}>" if re.search(r"[\s()]", target) and "<" not in target else target


def _code(element: Element) -> list[str]:
    text = _text(element).strip("\n")
    fence = "```"
    while fence in text:
        fence += "`"
    return [f"{fence}\n{text}\n{fence}"] if text.strip() else []


def _text(element: Element) -> str:
    return "".join(
        child if isinstance(child, str) else "\n" if child.tag == "br" else _text(child)
        for child in element.children
    )


def _list(element: Element) -> list[str]:
    start = element.given.get("start", "")
    number = int(start) if start.isascii() and start.isdecimal() and len(start) < 9 else 1
    items: list[str] = []
    for child in element.children:
        mark = f"{number}. " if element.tag == "ol" else "- "
        if isinstance(child, str):
            inner = _paragraph([child])
        elif child.tag != "li" and _holds_blocks(child):
            inner = _block(child)
        else:
            inner = _blocks(child) if child.tag == "li" else _paragraph([child])
        if not inner:
            continue
        # A list in an item follows its text at once; further paragraphs stand apart.
        body = inner[0]
        for block in inner[1:]:
            body += ("\n" if re.match(r"(-|\d+\.) ", block) else "\n\n") + block
        indent = " " * len(mark)
        lines = body.split("\n")
        items.append(mark + "\n".join([lines[0], *(indent + x if x else "" for x in lines[1:])]))
        number += 1
    return ["\n".join(items)] if items else []


def _table(element: Element) -> list[str]:
    rows: list[list[Element]] = []
    aside: list[Element | str] = []
    _read_table(element, rows, aside)
    blocks = _blocks(Element("div", children=aside))
    if max(map(len, rows), default=0) <= 1:
        # Tables of one column are layout.
        return blocks + [block for row in rows for cell in row for block in _blocks(cell)]
    cells = [[_cell(cell) for cell in row] for row in rows]
    cells = [row for row in cells if any(row)]
    if not cells:
        return blocks
    width = max(map(len, cells))
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in cells]
    return [*blocks, "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])]


def _read_table(
    element: Element, rows: list[list[Element]], aside: list[Element | str], in_row: bool = False
) -> None:
    """The cells of each row, whatever rows and cells are wrapped in; everything else, a caption
    or text that stands in no cell, is ``aside``."""
    for child in element.children:
        if isinstance(child, str) or not (child.tag in _CELLS or _holds_cells(child)):
            aside.append(child)
        elif child.tag in _CELLS:
            if not in_row:
                rows.append([])
                in_row = True
            rows[-1].append(child)
        elif child.tag == "tr":
            rows.append([])
            _read_table(child, rows, aside, in_row=True)
            in_row = False
        else:
            _read_table(child, rows, aside, in_row)


def _holds_cells(element: Element) -> bool:
    return element.tag == "tr" or any(
        isinstance(child, Element)
        and child.tag != "table"
        and (child.tag in _CELLS or _holds_cells(child))
        for child in element.children
    )


def _cell(element: Element) -> str:
    text = " ".join(_blocks(element)).replace("\n", " ")
    return _flat(text).replace("|", "\\|")


def _flat(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
