"""The top-level blocks of a Markdown text, by its syntax tree and with exact offsets.

pulldown-cmark (through pyromark) parses; this module keeps what cutting needs and turns byte
offsets into code points. Headings inside lists, quotes, code and HTML are no blocks of their own;
code and tables there are known to the block that holds them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from rag_assets.html_headings import heading_alone, may_hold_headings
from rag_assets.markdown_tree import name_of, parse_events

_KINDS = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "BlockQuote": "quote",
    "CodeBlock": "code",
    "List": "list",
    "Table": "table",
    "HtmlBlock": "html",
    "Rule": "rule",
}
#: Blocks whose children are places to cut: items, rows, paragraphs.
_CONTAINERS = frozenset({"list", "table", "quote"})
#: What code and tables inside a list, a quote or a footnote may be.
_NESTED = frozenset({"CodeBlock", "Table", "HtmlBlock"})
_HOLDERS = frozenset({"List", "BlockQuote", "FootnoteDefinition"})
#: Blocks of which the parser does not tell all: what HTML holds, which row heads a table.
_TO_BE_READ = frozenset({"html", "table"})
#: HTML that is read as code or as a table.
_HTML_KIND = re.compile(r"\s*<(?:(table)|pre)(?=[\s>])", re.IGNORECASE)
_HTML_ROW = re.compile(r"<tr\b(.*?)(?=</?(?:tr|thead|tbody|table)\b|\Z)", re.I | re.S)
_HTML_CELL = re.compile(r"<t[hd]\b[^<>]*>", re.I)
_HTML_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.S)
#: The first row of an HTML table is looked for in so many characters.
_HTML_HEAD = 4000
#: A line that begins with words, or with what stands among words and begins no other block.
_WORDS = (
    r"(?:[A-Za-z]|[^\s\x00-\x7f\ufeff]|\*\*[^\W_]|`[^`\s]|!\[|\[[^\]\n\r^][^\]\n\r]*+\]\()"
    r"[^\n\r]*+"
)
#: An item of a list, less its mark; what is left of a rule is none.
_ITEM = r"(?![-*_ \t]++(?:\n|\Z))[^\s][^\n\r]*+"
#: What ends a list: the text, or what can be no part of it behind a blank line.
_BEHIND = rf"(?=\n*+\Z|\n\n++(?:{_WORDS}|#{{1,6}} |```))"
#: Where a text or a block begins, these mean nothing else: a heading, lines of words, a fence
#: without another one in it, and a list whose lines between its items are indented.
_PLAIN_BLOCK = re.compile(
    r"\n*+(?:(?P<heading>#{1,6} \S[^\n\r]*+)(?=\n|\Z)"
    rf"|(?P<paragraph>{_WORDS}(?:\n{_WORDS})*+)(?=\n\n|\n?\Z|\n[-*+] [^\s])"
    r"|(?P<code>```[^`\n\r]*+\n(?:(?! {0,3}```)[^\n\r]*+\n)*+```[ \t]*+)(?=\n|\Z)"
    rf"|(?P<list>(?P<mark>[-*+]) {_ITEM}"
    rf"(?:\n{{1,2}}+(?:(?P=mark) {_ITEM}|  ++[^\s][^\n\r]*+))*+{_BEHIND}"
    rf"|\d{{1,9}}\. {_ITEM}(?:\n{{1,2}}+\d{{1,9}}\. {_ITEM})*+{_BEHIND}))"
)


class Block(msgspec.Struct, gc=False):
    """One top-level block.

    Attributes:
        kind: paragraph, heading, quote, code, list, table, html or rule.
        start: of its first line.
        end: after its last character that is not blank.
        level: of a heading, 1 to 6; otherwise 0.
        title: a heading's text without markup.
        inner: line starts of its items, rows or paragraphs, the first one left out.
        nested: the code and tables in a list, a quote or a footnote, from line starts and in
            order, without overlaps.
        header: of a table, the first row.
    """

    kind: str
    start: int
    end: int
    level: int = 0
    title: str = ""
    inner: Sequence[int] = ()
    nested: Sequence[Block] = ()
    header: str | None = None


def scan_headings(text: str, max_level: int = 6) -> list[Block]:
    """The top-level headings of ``text`` up to a level that have a title, in order.

    One written as HTML counts when it is all of its block. What pictures are described by is of a
    title only when there is nothing else.
    """
    found: list[Block] = []
    contents: list[list[tuple[Any, Any]]] = []
    in_html = may_hold_headings(text)
    past = 0
    within = False
    for each in parse_events(text):
        event, span = each
        start = span["start"]
        if start < past:
            if within:
                contents[-1].append(each)
        elif type(event) is dict and (tag := event.get("Start")) is not None:
            past = span["end"]
            if type(tag) is dict and "Heading" in tag:
                level = _level(tag)
                within = level <= max_level
            else:
                level, within = 0, in_html and tag == "HtmlBlock"
            if within:
                found.append(Block("heading", start, past, level))
                contents.append([])
    for block, content in zip(found, contents, strict=True):
        if block.level:
            block.title = _title_of(content)
        else:
            html = "".join([_html_of(event) for event, _ in content])
            block.level, block.title = heading_alone(html) or (0, "")
    return _placed(text, [block for block in found if block.title and block.level <= max_level])


def _title_of(content: list[tuple[Any, Any]]) -> str:
    """The words of a heading, or what its pictures are described by where it has none."""
    words: list[str] = []
    described: list[str] = []
    picture_end = 0
    for event, span in content:
        if type(event) is dict and _is_picture(event):
            picture_end = span["end"]
        elif span["start"] < picture_end:
            described.append(_visible_text(event))
        else:
            words.append(_visible_text(event))
    title = "".join(words)
    return " ".join((title if title.strip() else "".join(described)).split())


def _is_picture(event: dict[str, Any]) -> bool:
    tag = event.get("Start")
    return type(tag) is dict and "Image" in tag


def _html_of(event: Any) -> str:
    return (event.get("Html") or event.get("Text") or "") if type(event) is dict else ""


def scan_blocks(text: str) -> list[Block]:
    """The top-level blocks of ``text`` in order; link definitions and blank lines are none.

    Titles of headings are left empty.
    """
    blocks: list[Block] = []
    inner: list[int] = []
    nested: list[Block] = []
    past = 0  # The end of what is being passed over: a block, or one child of a container.
    container_end = holder_end = 0  # A holder is what has nested blocks.
    for event, span in parse_events(text):
        start = span["start"]
        if start < past:
            # Most events are bits of text, and this is asked of each.
            if start < holder_end and type(event) is dict:
                tag = event.get("Start")
                if tag is not None and name_of(tag) in _NESTED:
                    nested.append(_block(tag, start, span["end"]))
            continue
        if (tag := _opened(event)) is None:
            continue
        if start >= container_end:
            block = _block(tag, start, span["end"])
            blocks.append(block)
            if block.kind in _CONTAINERS:
                container_end = block.end
                block.inner = inner = []
            else:
                past = block.end
            if type(tag) is dict and not _HOLDERS.isdisjoint(tag):
                holder_end = block.end
                block.nested = nested = []
            continue
        if start < holder_end and name_of(tag) in _NESTED:
            nested.append(_block(tag, start, span["end"]))
        if tag != "Rule":
            inner.append(start)
            past = span["end"]
    # A block of control characters is text to the parser, and nothing but blanks to Python.
    return [block for block in _placed(text, blocks) if block.end > block.start]


def outline(text: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each block of :func:`scan_blocks`, for callers that need no offsets."""
    plain = 0  # Most texts begin with blocks that need no parser.
    while block := _PLAIN_BLOCK.match(text, plain):
        kind = str(block.lastgroup)
        yield kind, block[kind].rstrip()
        plain = block.end()
    rest = text[plain:]
    if rest.isspace():
        return
    # The parser counts bytes, which are characters in most texts.
    plain_ascii = rest.isascii()
    data: Any = rest if plain_ascii else rest.encode("utf-8", "surrogatepass")
    newline = "\n" if plain_ascii else b"\n"
    past = 0
    for event, span in parse_events(rest):
        start = span["start"]
        if start < past or (tag := _opened(event)) is None:
            continue
        past = span["end"]
        if start and data[start - 1 : start] != newline:
            begin = data.rfind(newline, 0, start) + 1
            if not (data[begin:start] if plain_ascii else _decoded(data[begin:start])).strip():
                start = begin
        piece = data[start:past] if plain_ascii else _decoded(data[start:past])
        piece, kind = piece.rstrip(), _kind(tag)
        if piece:  # Else a paragraph of nothing but blanks that Markdown does not know as such.
            yield kind if kind != "html" else _html_kind(piece, 0), piece


def _opened(event: Any) -> Any:
    """The tag of the block that begins with ``event``, or None."""
    if type(event) is not dict:
        return event if event == "Rule" else None
    tag = event.get("Start")
    # An empty cell fills up a table's last row, behind the table's end.
    return None if tag == "TableCell" else tag


def _visible_text(event: Any) -> str:
    if type(event) is not dict:
        return " "
    return event.get("Text") or event.get("Code") or ""


def _block(tag: Any, start: int, end: int) -> Block:
    kind = _kind(tag)
    return Block(kind, start, end, _level(tag) if kind == "heading" else 0)


def _kind(tag: Any) -> str:
    return _KINDS.get(name_of(tag), "paragraph")


def _html_kind(text: str, start: int) -> str:
    """The kind a reader sees in a block of HTML at ``start``: it can be code or a table."""
    match = _HTML_KIND.match(text, start)
    if match is None:
        return "html"
    return "table" if match[1] else "code"


def _header(text: str, block: Block) -> str | None:
    """The first row of a table that begins at ``block.start``, by the cells when it is HTML."""
    if not _HTML_KIND.match(text, block.start):
        line_end = text.find("\n", block.start, block.end)
        return text[block.start : line_end if line_end >= 0 else block.end].strip()
    head = text[block.start : min(block.end, block.start + _HTML_HEAD)]
    row = _HTML_ROW.search(head)
    cells = _HTML_CELL.split(row[1])[1:] if row else ()
    shown = [" ".join(html.unescape(_HTML_TAG.sub(" ", cell)).split()) for cell in cells]
    return f"| {' | '.join(shown)} |" if any(shown) else None


def _level(tag: dict[str, Any]) -> int:
    return int(tag["Heading"]["level"][1])


def _placed(text: str, blocks: list[Block]) -> list[Block]:
    """With offsets in code points, from the first line's start to the last visible character."""
    nested = [inside for block in blocks for inside in block.nested]
    if not text.isascii():
        _to_characters(text, blocks)
        _to_characters(text, nested)
    for block in blocks:
        start = block.start
        if start and text[start - 1] != "\n":
            line = text.rfind("\n", 0, start) + 1
            if not text[line:start].strip():
                block.start = start = line
        end = block.end
        if text[end - 1].isspace() or block.kind in _TO_BE_READ:
            _read(text, block)
            end = block.end
        if block.inner:
            inner = {text.rfind("\n", 0, offset) + 1 for offset in block.inner}
            block.inner = sorted(offset for offset in inner if start < offset < end)
    end = 0
    for block in nested:
        _read(text, block)
        # What stands before it in its line are the marks of what it is in.
        block.start = max(end, text.rfind("\n", 0, block.start) + 1)
        end = block.end
    if nested:
        for block in blocks:
            if block.nested:
                block.nested = [inside for inside in block.nested if inside.kind != "html"]
    return blocks


def _read(text: str, block: Block) -> None:
    """Leave out the blanks at the end, and see what kind of HTML it is and what heads a table."""
    end = block.end
    while end > block.start and text[end - 1].isspace():
        end -= 1
    block.end = end
    if block.kind == "html":
        block.kind = _html_kind(text, block.start)
    if block.kind == "table":
        block.header = _header(text, block)


def _to_characters(text: str, blocks: list[Block]) -> None:
    """Counts the characters between one offset and the next, which are in order."""
    data = text.encode("utf-8", "surrogatepass")
    at = characters = 0
    for block in blocks:
        characters += len(_decoded(data[at : block.start]))
        at, block.start = block.start, characters
        if block.inner:
            placed = []
            for offset in block.inner:
                characters += len(_decoded(data[at:offset]))
                at = offset
                placed.append(characters)
            block.inner = placed
        characters += len(_decoded(data[at : block.end]))
        at, block.end = block.end, characters


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
