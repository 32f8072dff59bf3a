"""Imports and exports at the beginning of an MDX document, which are code and no content."""

from __future__ import annotations

import re

_NAMES = r"(?:[\w$]+|\*\s+as\s+[\w$]+|\{[^{}]*\})"
_IMPORT = (
    rf"import\s+(?:type\s+)?(?:{_NAMES}(?:\s*,\s*{_NAMES})?\s+from\s+)?"
    r"(?:\"[^\"\n]+\"|'[^'\n]+')[ \t]*;?[ \t]*(?:\n|\Z)"
)
#: An export goes on to the next blank line.
_EXPORT = (
    r"export\s+(?:const|let|var|function|default|async|\{|\*)[^\n]*(?:\n|\Z)"
    r"(?:[ \t]*\S[^\n]*(?:\n|\Z))*"
)
_IMPORTS = re.compile(rf"(?:(?:[ \t]*\n)*{_IMPORT})+")
_MODULE = re.compile(rf"(?:(?:[ \t]*\n)*(?:{_IMPORT}|{_EXPORT}))+")


def module_lines(md: str, start: int, *, mdx: bool) -> tuple[int, int] | None:
    """The range of imports and exports that begin at ``start`` or below blank lines there.

    Args:
        mdx: whether exports count too; imports stand in Markdown of Docusaurus as well.
    """
    found = (_MODULE if mdx else _IMPORTS).match(md, start)
    return found.span() if found else None
