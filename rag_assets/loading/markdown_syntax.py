"""The Markdown syntax tree, with the place of every image in the source.

markdown-it gives blocks their lines but inline tokens no place. Two inline rules are wrapped to
note where a token stands in its block's text, and :class:`Source` carries that back to an offset in
the document. Inline text is only parsed where it can hold something wanted, which is what makes
the loader fast. Dialects are read as CommonMark that has the same lines.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.html_inline import html_inline
from markdown_it.rules_inline.image import image
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from rag_assets.html_headings import heading_alone
from rag_assets.loading.markdown_titles import TitleSearch
from rag_assets.loading.mdx_modules import module_lines
from rag_assets.markdown_dialects import as_commonmark, boxed_headings
from rag_assets.sources.formats import names_image
from rag_query.text.heading_attributes import without_attributes

_PLACE = "place"
_IMG_TAG = re.compile(r"<img\b[^>]*>", re.IGNORECASE)
_ATTRIBUTE = r"\b{}\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))"
_SRC = re.compile(_ATTRIBUTE.format("src"), re.IGNORECASE)
_ALT = re.compile(_ATTRIBUTE.format("alt"), re.IGNORECASE)
#: Obsidian's ``![[target|words]]``; in a table its bar is escaped.
_EMBED = re.compile(r"!\[\[([^\[\]|\n]*[^\[\]|\n\\])(?:\\?\|([^\[\]\n]*))?\]\]")
#: The size it is shown at, in place of words.
_SIZE = re.compile(r"\s*\d+(?:x\d+)?\s*")
_MAY_HOLD_IMAGE = re.compile(r"!\[|<img\b", re.IGNORECASE)
_TOML = re.compile(r"\+\+\+[ \t]*\n((?s:.*?)(?<=\n))\+\+\+[ \t]*(?:\n|\Z)")
_YAML = re.compile(
    r"(?:[ \t]*\n)*(-{3,})[ \t]*\n((?s:.*?))^ {0,3}(?:\1-*|\.{3})[ \t]*(?:\n|\Z)", re.MULTILINE
)
_REST_OF_LINE = re.compile(r"[ \t]*\n")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Heading(NamedTuple):
    level: int
    title: str
    char_start: int


class Image(NamedTuple):
    """``source_type`` is ``markdown`` for ``![]()`` and ``![[]]``, ``html`` for an ``<img>``."""

    source_type: str
    src: str
    alt: str
    char_start: int
    char_end: int


class FrontMatter(NamedTuple):
    """``text`` without its fences; the block is ``[0, char_end)`` of the source.

    ``form`` is what it is written in: ``yaml``, ``toml`` or ``json``.
    """

    text: str
    char_end: int
    form: str = "yaml"


class Source:
    """Lines of a document and offsets in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]

    def locate(
        self, inline: str, start: int, end: int, block: list[int], after: int
    ) -> tuple[int, int] | None:
        """Where in the document ``inline[start:end]`` stands.

        A line of a block's text is the end of a line of the source, without the marks of the
        containers it lies in. Where that does not hold (table cells), the first occurrence after
        ``after`` within the block's lines is meant.
        """
        row = inline.count("\n", 0, start)
        number = block[0] + row
        if number < len(self.lines):
            begin = inline.rfind("\n", 0, start) + 1
            stop = inline.find("\n", start)
            content = inline[begin : stop if stop >= 0 else len(inline)]
            line = self.lines[number].rstrip()
            if content and line.endswith(content.rstrip()):
                offset = self.starts[number] + len(line) - len(content.rstrip()) + start - begin
                return offset, offset + end - start
        limit = self.starts[min(block[1], len(self.lines))]
        piece = inline[start:end]
        # Bars in cells are escaped in the document.
        for written in dict.fromkeys((piece, piece.replace("|", "\\|"))):
            found = self.text.find(written, max(after, self.starts[block[0]]), limit)
            if found >= 0:
                return found, found + len(written)
        return None

    def line_at(self, offset: int) -> int:
        """1-based line of an offset."""
        return bisect_right(self.starts, offset)


class Syntax(NamedTuple):
    """``modules`` is the range of the imports and exports at the beginning.

    ``title`` is what :class:`~rag_assets.loading.markdown_titles.TitleSearch` finds.
    """

    front_matter: FrontMatter | None
    headings: list[Heading]
    images: list[Image]
    modules: tuple[int, int] | None
    title: str


def parse(source: Source, *, front_matter: bool = True, mdx: bool = False) -> Syntax:
    """Headings, images and front matter of a document, in order.

    Args:
        front_matter: whether what stands at the beginning can be it.
        mdx: whether exports may follow.
    """
    md = _parser()
    env: dict[str, object] = {}
    front = _front_matter(source.text) if front_matter else None
    begin = front.char_end if front else 0
    modules = module_lines(source.text, begin, mdx=mdx)
    begin = modules[1] if modules else begin
    # Blank lines in place of what is no Markdown.
    text = "\n" * source.text.count("\n", 0, begin) + source.text[begin:]
    headings: list[Heading] = []
    images: list[Image] = []
    title = TitleSearch()
    after = 0
    level = 0
    for token, block in _with_lines(md.parse(as_commonmark(text), env)):
        if token.type == "heading_open" and token.level == 0:
            # One in a quote or list is part of that.
            level = int(token.tag[1])
        elif token.type == "heading_close":
            level = 0
        elif token.type == "inline":
            wants_images = _MAY_HOLD_IMAGE.search(token.content) is not None
            if not (level or wants_images or title.listens):
                continue
            children: list[Token] = []
            md.inline.parse(token.content, md, env, children)
            if level:
                headings.append(
                    Heading(level, _title(token.content, children), source.starts[block[0]])
                )
                title.heading(level, headings[-1].title)
            elif title.listens:
                title.paragraph(_plain(children, pictures=False))
            for found in _inline_images(source, token.content, children, block, after):
                images.append(found)
                after = found.char_end
        elif token.type == "html_block":
            if _MAY_HOLD_IMAGE.search(token.content):
                images.extend(_block_images(source, block))
            if token.level == 0 and (alone := heading_alone(token.content)):
                headings.append(Heading(*alone, source.starts[block[0]]))
            title.html(token.content)
        elif token.type in ("fence", "code_block"):
            title.paragraph(token.content)
    return Syntax(front, _outside_boxes(source.text, headings), images, modules, title.found())


def _outside_boxes(text: str, headings: list[Heading]) -> list[Heading]:
    boxes = boxed_headings(text)
    return [
        heading
        for heading in headings
        if not any(start <= heading.char_start < end for start, end in boxes)
    ]


def inline_title(text: str) -> str:
    """The text of a heading without markup and attributes."""
    md = _parser()
    children: list[Token] = []
    md.inline.parse(text, md, {}, children)
    return _title(text, children)


def _title(text: str, children: list[Token]) -> str:
    title = _plain(children, pictures=False)
    title = " ".join((title if title.strip() else _plain(children)).split())
    return title if text.endswith("`") else without_attributes(title)  # Braces in code are words.


def _front_matter(text: str) -> FrontMatter | None:
    """YAML between rules, also below blank lines, and what Hugo has besides: TOML between plus
    signs, or a JSON object."""
    if found := _YAML.match(text):
        return FrontMatter(found[2].removesuffix("\n"), found.end())
    if found := _TOML.match(text):
        return FrontMatter(found[1], found.end(), "toml")
    if not text.startswith("{"):
        return None
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    line = _REST_OF_LINE.match(text, end)
    return FrontMatter(text[:end], line.end(), "json") if line else None


@cache
def _parser() -> MarkdownIt:
    md = MarkdownIt("commonmark").enable("table").use(footnote_plugin)
    # Blocks only; see the module's docstring. The footnote rule of the core moves tokens about.
    md.core.ruler.enableOnly(["normalize", "block"])
    md.inline.ruler.at("image", _placed(image))
    md.inline.ruler.before("image", "embed", _placed(_embed))
    md.inline.ruler.at("html_inline", _placed(html_inline))
    # References are facts: kept as written, whatever a browser would refuse.
    md.validateLink = _any_link  # type: ignore[method-assign]
    md.normalizeLink = _as_written  # type: ignore[method-assign]
    return md


def _embed(state: StateInline, silent: bool) -> bool:
    """An embedded image as the token of an image; what else is embedded is a link."""
    found = _EMBED.match(state.src, state.pos) if state.src[state.pos] == "!" else None
    if found is None or not names_image(found[1]):
        return False
    if not silent:
        token = state.push("image", "img", 0)
        token.attrs = {"src": found[1].strip()}
        words = found[2] or ""
        if not _SIZE.fullmatch(words):
            token.children = [Token("text", "", 0, content=words.strip())]
    state.pos = found.end()
    return True


def _any_link(url: str) -> bool:
    del url
    return True


def _as_written(url: str) -> str:
    return url


def _placed(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    def placed(state: StateInline, silent: bool) -> bool:
        start = state.pos
        if not rule(state, silent):
            return False
        if not silent:
            state.tokens[-1].meta[_PLACE] = (start, state.pos)
        return True

    return placed


def _with_lines(tokens: list[Token]) -> Iterator[tuple[Token, list[int]]]:
    """Each token with its lines, or those of the nearest token before that has some."""
    block = [0, 0]
    for token in tokens:
        block = token.map or block
        yield token, block


def _inline_images(
    source: Source, text: str, children: list[Token], block: list[int], after: int
) -> Iterator[Image]:
    for child in children:
        if child.type == "image":
            kind, src = "markdown", str(child.attrs.get("src", ""))
            alt = _plain(child.children or [])
        elif child.type == "html_inline" and (tag := _IMG_TAG.match(child.content)):
            kind, src, alt = "html", _attribute(_SRC, tag[0]), _attribute(_ALT, tag[0])
        else:
            continue
        start, end = child.meta[_PLACE]
        place = source.locate(text, start, end, block, after)
        if src and place is not None:
            after = place[1]
            yield Image(kind, src, alt, *place)


def _block_images(source: Source, block: list[int]) -> Iterator[Image]:
    start = source.starts[block[0]]
    text = source.text[start : source.starts[min(block[1], len(source.lines))]]
    hidden = [comment.span() for comment in _COMMENT.finditer(text)]
    for tag in _IMG_TAG.finditer(text):
        if any(begin <= tag.start() < end for begin, end in hidden):
            continue
        if src := _attribute(_SRC, tag[0]):
            alt = _attribute(_ALT, tag[0])
            yield Image("html", src, alt, start + tag.start(), start + tag.end())


def _attribute(pattern: re.Pattern[str], tag: str) -> str:
    found = pattern.search(tag)
    return next((group for group in found.groups() if group is not None), "") if found else ""


def _plain(tokens: list[Token], *, pictures: bool = True) -> str:
    """The text a reader sees, with or without what pictures are described by."""
    parts: list[str] = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image" and pictures:
            parts.append(_plain(token.children or []))
        elif token.type in ("text", "code_inline", "text_special"):
            parts.append(token.content)
    return "".join(parts)
