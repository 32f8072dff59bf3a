"""Scripts and styles in Markdown, and comments of MDX, which no reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_query.text.fences import code_ranges

#: One without a body is what a text says to write. MathJax finds formulas in scripts of TeX.
_ELEMENT = re.compile(
    r"^ {0,3}<(?P<tag>script|style)(?![\w-])(?![^>]*\bmath/)[^>]*>(?!\s*</)"
    r".*?</(?P=tag)>[ \t]*(?:\n|\Z)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_COMMENT = re.compile(r"^[ \t]*\{/\*.*?\*/\}[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def unseen_code(md: str, start: int, *, mdx: bool) -> Iterator[tuple[int, int]]:
    """Ranges of whole lines behind ``start`` that hold nothing else, in order."""
    if "<script" in md or "<style" in md:
        found = [match.span() for match in _ELEMENT.finditer(md, start)]
    else:
        found = []
    if mdx and "{/*" in md:
        found += [match.span() for match in _COMMENT.finditer(md, start)]
    if not found:
        return
    ends = start
    shown = code_ranges(md)
    for begin, end in sorted(found):
        if begin >= ends and not any(first <= begin < last for first, last in shown):
            yield begin, end
            ends = end
