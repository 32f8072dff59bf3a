"""What a page strikes out: never glued to what stands there instead.

``<s>20</s>30`` is ``~~20~~ 30``, in code ``20 30``, never ``2030``. The edges are put between marks
while a line is written, and :func:`told_apart` writes them when what stands beside them is known.
"""

from __future__ import annotations

import re

STRUCK = frozenset({"del", "s", "strike"})
#: Characters that are none in any text (Unicode, 23.7); formulas.py has those before them.
_BEGIN, _END = "\ufdd3", "\ufdd4"
#: A struck out text behind a word, and one before a word, an amount or another one; marks of
#: Markdown and the end of a link may stand between.
_GLUED = (
    (re.compile(rf"(?<=\w){_BEGIN}"), f" {_BEGIN}"),
    (re.compile(rf"{_END}(?=(?:\]\([^()\s]*\))?[*`\[\\]*[\w$€£¥{_BEGIN}])"), f"{_END} "),
)


def struck(text: str) -> str:
    """``text`` between marks."""
    return f"{_BEGIN}{text}{_END}"


def told_apart(text: str, written: str = "~~") -> str:
    """``text`` with its marks as ``written``, and a blank where words or amounts would touch."""
    if _END not in text:
        return text
    for glued, edge in _GLUED:
        text = glued.sub(edge, text)
    return text.replace(_BEGIN, written).replace(_END, written)
