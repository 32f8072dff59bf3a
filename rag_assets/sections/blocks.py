"""The top-level blocks of a Markdown text, by its syntax tree and with exact offsets.

pulldown-cmark (through pyromark) parses; this module keeps what cutting needs and turns byte
offsets into code points. Headings inside lists, quotes, code and HTML are no blocks of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from pyromark import Options, events_with_range

#: CommonMark and what GitHub adds to it.
MARKDOWN = Options.ENABLE_TABLES | Options.ENABLE_FOOTNOTES | Options.ENABLE_WIKILINKS

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
_NEWLINE = ord("\n")
#: Where a text or a block begins, a heading and words alone on a line mean nothing else.
_HEADING_OR_WORDS = re.compile(r"\n*(?:(#{1,6} \S[^\n\r]*)|([^\W\d_][^\n\r]*)(?=\n\n|\n?\Z))")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class Block:
    """One top-level block.

    Attributes:
        kind: paragraph, heading, quote, code, list, table, html or rule.
        start: of its first line.
        end: after its last character that is not blank.
        level: of a heading, 1 to 6; otherwise 0.
        title: a heading's text without markup.
        inner: line starts of its items, rows or paragraphs, the first one left out.
    """

    kind: str
    start: int
    end: int
    level: int = 0
    title: str = ""
    inner: Sequence[int] = ()


def parse_events(text: str) -> Iterator[tuple[Any, dict[str, int]]]:
    """pulldown-cmark's events with their byte ranges, for any Python string."""
    try:
        events: Any = events_with_range(text, options=MARKDOWN)
    except UnicodeEncodeError:
        # The replacement is as long in UTF-8, so offsets stay.
        plain = _LONE_SURROGATE.sub("\ufffd", text)
        events = events_with_range(plain, options=MARKDOWN)
    return cast("Iterator[tuple[Any, dict[str, int]]]", events)


def scan_headings(text: str, max_level: int = 6) -> list[Block]:
    """The top-level headings of ``text`` up to a level that have a title, in order."""
    found: list[Block] = []
    titles: list[list[str]] = []
    past = 0
    within = False
    for event, span in parse_events(text):
        start = span["start"]
        if start < past:
            if within:
                titles[-1].append(_visible_text(event))
        elif type(event) is dict and (tag := event.get("Start")) is not None:
            past = span["end"]
            within = type(tag) is dict and "Heading" in tag and (level := _level(tag)) <= max_level
            if within:
                found.append(Block("heading", start, past, level))
                titles.append([])
    for block, title in zip(found, titles, strict=True):
        block.title = " ".join("".join(title).split())
    return _placed(text, [block for block in found if block.title])


def scan_blocks(text: str) -> list[Block]:
    """The top-level blocks of ``text`` in order; link definitions and blank lines are none.

    Titles of headings are left empty.
    """
    blocks: list[Block] = []
    inner: list[int] = []
    past = 0  # The end of what is being passed over: a block, or one child of a container.
    container_end = 0
    for event, span in parse_events(text):
        start = span["start"]
        if start < past or (tag := _opened(event)) is None:
            continue
        if start >= container_end:
            block = _block(tag, start, span["end"])
            blocks.append(block)
            if block.kind in _CONTAINERS:
                container_end = block.end
                block.inner = inner = []
            else:
                past = block.end
        elif tag != "Rule":
            inner.append(start)
            past = span["end"]
    return _placed(text, blocks)


def outline(text: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each block of :func:`scan_blocks`, for who needs no places."""
    plain = 0  # Most texts begin with blocks that need no parser.
    while line := _HEADING_OR_WORDS.match(text, plain):
        heading, words = line.groups()
        yield ("heading", heading.rstrip()) if heading else ("paragraph", words.rstrip())
        plain = line.end()
    rest = text[plain:]
    data = rest.encode("utf-8", "surrogatepass")
    past = 0
    for event, span in parse_events(rest):
        start = span["start"]
        if start < past or (tag := _opened(event)) is None:
            continue
        past = span["end"]
        if start and data[start - 1] != _NEWLINE:
            begin = data.rfind(b"\n", 0, start) + 1
            if not _decoded(data[begin:start]).strip():
                start = begin
        yield _kind(tag), _decoded(data[start:past]).rstrip()


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
    """Of a tag that is its name, or has its name as the only key."""
    return _KINDS.get(tag if type(tag) is str else next(iter(tag)), "paragraph")


def _level(tag: dict[str, Any]) -> int:
    return int(tag["Heading"]["level"][1])


def _placed(text: str, blocks: list[Block]) -> list[Block]:
    """With offsets in code points, from the first line's start to the last visible character."""
    if not text.isascii():
        _to_characters(text, blocks)
    for block in blocks:
        start = block.start
        if start and text[start - 1] != "\n":
            line = text.rfind("\n", 0, start) + 1
            if not text[line:start].strip():
                block.start = start = line
        end = block.end
        while end > start and text[end - 1].isspace():
            end -= 1
        block.end = end
        if block.inner:
            inner = {text.rfind("\n", 0, offset) + 1 for offset in block.inner}
            block.inner = sorted(offset for offset in inner if start < offset < end)
    return blocks


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


def characters_of_bytes(text: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each byte offset of the UTF-8 of ``text``, end included: the offset in code points."""
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    table = np.zeros(len(data) + 1, dtype=np.int64)
    np.cumsum((data & 0xC0) != 0x80, out=table[1:])
    return table
