"""The top-level blocks of a Markdown text, by its syntax tree and with exact offsets.

pulldown-cmark (through pyromark) parses; this module keeps what cutting needs and turns byte
offsets into code points. Headings inside lists, quotes, code and HTML are no blocks of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from pyromark import Options, events_with_range

#: CommonMark and what GitHub adds to it.
MARKDOWN = Options.ENABLE_TABLES | Options.ENABLE_FOOTNOTES | Options.ENABLE_WIKILINKS

#: Between two lines of three hyphens at the very beginning of a document.
FRONT_MATTER = re.compile(r"\A---[^\S\n]*\n(?:.*\n)*?---[^\S\n]*(?:\n|\Z)")

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
    inner: list[int] = field(default_factory=list)


def parse_events(text: str) -> Iterator[tuple[Any, dict[str, int]]]:
    """pulldown-cmark's events with their byte ranges, for any Python string."""
    try:
        events: Any = events_with_range(text, options=MARKDOWN)
    except UnicodeEncodeError:
        # The replacement is as long in UTF-8, so offsets stay.
        plain = _LONE_SURROGATE.sub("\ufffd", text)
        events = events_with_range(plain, options=MARKDOWN)
    return cast("Iterator[tuple[Any, dict[str, int]]]", events)


def scan_headings(text: str) -> list[Block]:
    """The top-level headings of ``text`` that have a title, in order."""
    found = [block for block in _scan(text) if block.kind == "heading" and block.title]
    return _placed(text, found)


def scan_blocks(text: str) -> list[Block]:
    """The top-level blocks of ``text`` in order; link definitions and blank lines are none."""
    return _placed(text, _scan(text))


def _scan(text: str) -> list[Block]:
    """Blocks with the parser's own byte ranges."""
    blocks: list[Block] = []
    depth = 0
    title: list[str] | None = None
    inner: list[int] | None = None
    for event, span in parse_events(text):
        if type(event) is not dict:
            if depth == 0 and event == "Rule":
                blocks.append(Block("rule", span["start"], span["end"]))
            elif title is not None:
                title.append(" ")
        elif "Start" in event:
            if depth == 0:
                block = _opened(event["Start"], span)
                blocks.append(block)
                title = [] if block.level else None
                inner = block.inner if block.kind in _CONTAINERS else None
            elif inner is not None and depth == 1:
                inner.append(span["start"])
            depth += 1
        elif "End" in event:
            depth -= 1
            if title is not None and depth == 0:
                blocks[-1].title = " ".join("".join(title).split())
                title = None
        elif title is not None:
            title.append(event.get("Text") or event.get("Code") or "")
    return blocks


def _opened(tag: str | dict[str, Any], span: dict[str, int]) -> Block:
    name = tag if isinstance(tag, str) else next(iter(tag))
    block = Block(_KINDS.get(name, "paragraph"), span["start"], span["end"])
    if isinstance(tag, dict) and name == "Heading":
        block.level = int(tag["Heading"]["level"][1])
    return block


def _placed(text: str, blocks: list[Block]) -> list[Block]:
    """With offsets in code points, from the first line's start to the last visible character."""
    _to_characters(text, blocks)
    for block in blocks:
        line = text.rfind("\n", 0, block.start) + 1
        if not text[line : block.start].strip():
            block.start = line
        block.end = block.start + len(text[block.start : block.end].rstrip())
        if block.inner:
            inner = {text.rfind("\n", 0, offset) + 1 for offset in block.inner}
            block.inner = sorted(offset for offset in inner if block.start < offset < block.end)
    return blocks


def _to_characters(text: str, blocks: list[Block]) -> None:
    if text.isascii() or not blocks:
        return
    starts = characters_of_bytes(text)
    for block in blocks:
        block.start, block.end = int(starts[block.start]), int(starts[block.end])
        block.inner = [int(starts[offset]) for offset in block.inner]


def characters_of_bytes(text: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each byte offset of the UTF-8 of ``text``, end included: the offset in code points."""
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    table = np.zeros(len(data) + 1, dtype=np.int64)
    np.cumsum((data & 0xC0) != 0x80, out=table[1:])
    return table
