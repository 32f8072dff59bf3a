"""Scripts, styles and comments in Markdown, which no reader sees."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise

from rag_query.text.fences import code_ranges, holds

#: What follows a close: matched only where the close ends its line.
_REST = r"(?P<rest>[ \t]*(?:\n|\Z))?"
#: What opens and closes each element. One without a body is an example that the text shows, and
#: scripts of the type ``math/…`` hold formulas.
_ELEMENTS = [
    (
        re.compile(
            rf"^ {{0,3}}<{tag}(?![\w-])(?![^<>]*\bmath/)[^<>]*>(?!\s*</)",
            re.IGNORECASE | re.MULTILINE,
        ),
        re.compile(rf"</{tag}>{_REST}", re.IGNORECASE),
    )
    for tag in ("script", "style")
]
_COMMENT_OF_MDX = (re.compile(r"^[ \t]*\{/\*", re.MULTILINE), re.compile(rf"\*/\}}{_REST}"))
_COMMENT = (re.compile(r"^ {0,3}<!--(?!-?>)", re.MULTILINE), re.compile(rf"-->{_REST}"))
#: One of Obsidian, on lines of its own; a blank line below the marks leaves them a word of text.
_COMMENT_OF_OBSIDIAN = re.compile(
    r"^%%(?:[ \t]*\n(?![ \t]*\n)(?:(?!%%).*\n)*|[^%\n]+)%%[ \t]*(?:\n|\Z)", re.MULTILINE
)
#: Behind a comment: blank lines and the next one, which would go on with what stands above.
_GOES_ON = re.compile(r"(?:[ \t]*\n)*[ \t]+\S")
#: Above a comment: a heading, or HTML.
_NO_TEXT = re.compile(r"#{1,6}(?:\s|\Z)|<")
_BLANK_LINE = re.compile(r"[ \t]*(?:\n|\Z)")


def unseen_code(md: str, start: int, *, mdx: bool) -> Iterator[tuple[int, int]]:
    """Ranges of whole lines behind ``start`` that hold nothing but such code, in order."""
    pairs = _ELEMENTS if "</" in md else []
    if mdx and "*/}" in md:
        pairs = [*pairs, _COMMENT_OF_MDX]
    found = [span for pair in pairs for span in _closed(md, start, *pair)]
    if "-->" in md:
        found += _removable_comments(md, _closed(md, start, *_COMMENT))
    if "%%" in md:
        spans = (comment.span() for comment in _COMMENT_OF_OBSIDIAN.finditer(md, start))
        found += _removable_comments(md, spans)
    if not found:
        return
    found.sort()
    ends = start
    shown = code_ranges(md)
    for begin, end in found:
        # A close that is shown in fenced code ends nothing, and what stands before it is text.
        if begin >= ends and not (holds(shown, begin) or holds(shown, end - 1)):
            yield begin, end
            ends = end


def _closed(
    md: str, start: int, opening: re.Pattern[str], closing: re.Pattern[str]
) -> Iterator[tuple[int, int]]:
    """Ranges from an opening to the next close, where no other opening stands between them and
    nothing follows the close on its line."""
    closes = list(closing.finditer(md, start))
    places = [close.start() for close in closes]
    opens = [(found.start(), found.end()) for found in opening.finditer(md, start)]
    for (begin, body), (following, _) in pairwise([*opens, (len(md), 0)]):
        at = bisect_right(places, body - 1)
        if at < len(places) and places[at] < following and closes[at]["rest"] is not None:
            yield begin, closes[at].end()


def _removable_comments(md: str, comments: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The comments that may be left out. Others part two paragraphs or tables, which would be one
    without them."""
    runs: list[list[tuple[int, int]]] = []
    for comment in comments:
        if runs and runs[-1][-1][1] == comment[0]:
            runs[-1].append(comment)
        else:
            runs.append([comment])
    for run in runs:
        begin, end = run[0][0], run[-1][1]
        above = md[md.rfind("\n", 0, max(begin - 1, 0)) + 1 : begin].strip()
        alone = not above or _NO_TEXT.match(above) or _BLANK_LINE.match(md, end)
        if alone and not _GOES_ON.match(md, end):
            yield from run
