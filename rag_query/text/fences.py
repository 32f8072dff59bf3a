"""Fenced code in Markdown, without a parse."""

from __future__ import annotations

import re

_FENCE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$", re.MULTILINE
)
_CLOSING = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*$")


def code_ranges(text: str) -> list[tuple[int, int]]:
    """Fenced code, fences included; an unclosed fence reaches to the end."""
    if "```" not in text and "~~~" not in text:
        return []
    ranges: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for line in _FENCE.finditer(text):
        mark = line[1]
        if opened is None:
            opened = (line.start(), mark)
        elif mark[0] == opened[1][0] and len(mark) >= len(opened[1]) and _CLOSING.match(line[0]):
            ranges.append((opened[0], line.end()))
            opened = None
    if opened is not None:
        ranges.append((opened[0], len(text)))
    return ranges
