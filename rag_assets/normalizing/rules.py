"""The rules of pre-normalisation; each finds its edits (DEV_SPEC 3.1.7.1).

They change presentation only. Fenced code keeps everything but control characters; indented code
keeps its blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rag_assets.markdown_tree import Spans
from rag_query.text.edits import Edit
from rag_query.text.pictures import asset_uri

#: Read as line ends: vertical tab, form feed, NEL, line and paragraph separator.
_LINE_ENDS = "\x0b\x0c\x85\u2028\u2029"
#: Controls without a meaning in text, invisible characters, directional marks and tags. The
#: joiners U+200C and U+200D stay: Persian spelling and emoji need them.
_INVISIBLE = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_CONTROLS = re.compile(f"(\r\n?|[{_LINE_ENDS}])|[{_INVISIBLE}]+")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_BLANK_RUN = re.compile(r"\n{3,}")
_INDENTED = re.compile(r"(?: {4}|\t)")
#: Where an image written in line leads.
_DESTINATION = re.compile(r"\]\(\s*(<(?:\\.|[^<>\n\\])*>|(?:\\.|[^\s()\\]|\([^\s()]*\))+)")
_CODE = frozenset({"Code", "CodeBlock"})
_SRC = re.compile(r"\bsrc\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_DATA = r"data:(?:[\w.+-]++/[\w.+-]++|(?=;))(?:;[\w.+=-]++)*+,"
_BASE64 = "[A-Za-z0-9+/=%_-]"
#: A further line of it: a short one is its padded end, or else a word or the mark of an item.
_WRAPPED = rf"(?:{_BASE64}{{16,}}+|[A-Za-z0-9+/%_-]*+={{1,2}})"
#: Data URIs (RFC 2397) too long to tell a reader anything. Those in quotes end there, whatever
#: they hold, except for base64: a srcset goes on behind it, and it can be wrapped.
_DATA_URI = re.compile(
    rf"(?<=([\"'])){_DATA}(?<!;base64,)(?:(?!\1)[^\n]){{64,}}+(?=\1)"
    rf"|(?<![A-Za-z0-9_]){_DATA}(?:(?<!;base64,)[^\s\"<>()]{{64,}}+"
    rf"|(?<=;base64,){_BASE64}{{64,}}+(?:(?:\n[ \t]*+{_WRAPPED})++(?=\s*[\"')]))?)",
    re.ASCII,
)
#: What stands before the address of a reference's definition, and behind it.
_NAMED = re.compile(r" {0,3}\[[^\]\n]+\]:[ \t]*<?")
_NAMED_END = re.compile(r">?(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*(?=\n|\Z)")


class Link(NamedTuple):
    """An image reference in the facts; ``asset_id`` is null when its bytes could not be had."""

    start: int
    end: int
    source_type: str
    origin: str
    asset_id: str | None


def controls(text: str) -> Iterator[Edit]:
    """Foreign line ends become ``\\n``; controls and invisible characters go."""
    # Of what Python calls printable nothing is either, and asking is quick.
    if text.replace("\n", "").replace("\t", "").isprintable():
        return
    for found in _CONTROLS.finditer(text):
        yield Edit(found.start(), found.end(), "\n" if found[1] else _instead(text, found))


def _instead(text: str, found: re.Match[str]) -> str:
    """A blank for a control character between letters or digits: it was a sign once, which may
    have told two numbers apart."""
    before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
    return " " if before.isalnum() and after.isalnum() and _CONTROL.search(found[0]) else ""


def trailing_blanks(text: str, code: list[tuple[int, int]]) -> Iterator[Edit]:
    """Blanks at the ends of lines, outside code."""
    inside = _Inside(code)
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if line[-1:].isspace():
            kept = start + len(line.rstrip())
            is_blank = kept == start
            if not inside(kept) and (is_blank or not _INDENTED.match(line)):
                yield Edit(kept, end)
        start = end + 1


def blank_runs(text: str, code: list[tuple[int, int]], longest: int) -> Iterator[Edit]:
    """More than ``longest`` blank lines in a row, and all at either end, outside code."""
    inside = _Inside(code)
    head = len(text) - len(text.lstrip("\n"))
    tail = len(text.rstrip("\n"))
    if head:
        yield Edit(0, head)
    for found in _BLANK_RUN.finditer(text, head, max(tail, head)):
        too_many = found.start() + longest + 1
        if too_many < found.end() and not inside(found.start()):
            # Blank lines within indented code are its own.
            if _INDENTED.match(text, found.end()):
                continue
            yield Edit(too_many, found.end())
    if head < tail < len(text):
        yield Edit(tail, len(text))


def image_links(text: str, links: Iterable[Link]) -> Iterator[Edit]:
    """References become ``asset://<asset_id>``; the data of their data URIs goes."""
    for link in links:
        if link.asset_id is not None:
            target = asset_uri(link.asset_id)
        elif link.origin[:5].lower() == "data:":
            target = "data:,"
        else:
            continue
        yield _rewritten(text[link.start : link.end], link, target)


def data_uris(text: str, rewritten: Iterable[Edit]) -> Iterator[Edit]:
    """The data of long data URIs goes, wherever they stand but in code.

    Args:
        rewritten: what :func:`image_links` found, which is left to it.
    """
    found = list(_DATA_URI.finditer(text)) if "data:" in text else []
    if not found:
        return
    code = Spans(text, _CODE)
    done = _Inside(sorted((edit.start, edit.end) for edit in rewritten))
    for uri in found:
        if done(uri.start()) or code.hold(uri.start()):
            continue
        line = text.rfind("\n", 0, uri.start()) + 1
        # The images a definition was for have addresses of their own by now.
        end = _NAMED_END.match(text, uri.end())
        if end and _NAMED.fullmatch(text, line, uri.start()):
            yield Edit(line, end.end())
        else:
            yield Edit(uri.start(), uri.end(), "data:,")


def _rewritten(written: str, link: Link, target: str) -> Edit:
    if link.source_type == "html":
        if found := _SRC.search(written):
            group = next(g for g in (1, 2, 3) if found[g] is not None)
            return Edit(link.start + found.start(group), link.start + found.end(group), target)
        return Edit(link.start, link.end, f'<img src="{target}">')
    if written.startswith("![["):
        # An embed of Obsidian has no alternative text; its name is better than none.
        return Edit(link.start, link.end, f"![{written[3:-2]}]({target})")
    at = written.find(link.origin, max(written.find("]("), 0) + 1) if link.origin else -1
    if "](" in written and at >= 0:
        end = at + len(link.origin)
        if written[at - 1] == "<" and written[end : end + 1] == ">":
            at, end = at - 1, end + 1
        return Edit(link.start + at, link.start + end, target)
    # With escapes or entities the address reads otherwise than it is written.
    if inline := list(_DESTINATION.finditer(written)):
        start, end = inline[-1].span(1)
        return Edit(link.start + start, link.start + end, target)
    # A reference ("![alt][name]", "![name]"): its definition stands elsewhere and may be shared.
    name = written.rfind("[")
    if name > 1 and written.endswith("]"):
        return Edit(link.start + name, link.end, f"({target})")
    return Edit(link.end, link.end, f"({target})")


class _Inside:
    """Whether offsets, asked for in order, lie in some ranges in order."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self._ranges = ranges
        self._at = 0

    def __call__(self, offset: int) -> bool:
        while self._at < len(self._ranges) and self._ranges[self._at][1] <= offset:
            self._at += 1
        return self._at < len(self._ranges) and self._ranges[self._at][0] <= offset
