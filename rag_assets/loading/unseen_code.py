"""Scripts and styles in Markdown, and comments of MDX, which no reader sees."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from rag_query.text.fences import code_ranges, holds

#: Behind what closes, if it ends its line.
_REST = r"(?P<rest>[ \t]*(?:\n|\Z))?"
#: What opens and closes each. An element without a body is what a text says to write; MathJax
#: finds formulas in scripts of TeX.
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
_COMMENT = (re.compile(r"^[ \t]*\{/\*", re.MULTILINE), re.compile(rf"\*/\}}{_REST}"))


def unseen_code(md: str, start: int, *, mdx: bool) -> Iterator[tuple[int, int]]:
    """Ranges of whole lines behind ``start`` that hold nothing else, in order."""
    pairs = _ELEMENTS if "</" in md else []
    if mdx and "*/}" in md:
        pairs = [*pairs, _COMMENT]
    found = sorted(span for pair in pairs for span in _closed(md, start, *pair))
    if not found:
        return
    ends = start
    shown = code_ranges(md)
    for begin, end in found:
        # A close that a fence shows ends nothing; what stands before it is text.
        if begin >= ends and not (holds(shown, begin) or holds(shown, end - 1)):
            yield begin, end
            ends = end


def _closed(
    md: str, start: int, opening: re.Pattern[str], closing: re.Pattern[str]
) -> Iterator[tuple[int, int]]:
    """From what opens to the next that closes, if nothing was opened between and nothing follows
    on the line."""
    closes = list(closing.finditer(md, start))
    places = [close.start() for close in closes]
    opens = [(found.start(), found.end()) for found in opening.finditer(md, start)]
    for (begin, body), (following, _) in pairwise([*opens, (len(md), 0)]):
        at = bisect_right(places, body - 1)
        if at < len(places) and places[at] < following and closes[at]["rest"] is not None:
            yield begin, closes[at].end()
