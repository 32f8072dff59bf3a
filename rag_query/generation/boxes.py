"""Lines that open and close the boxes and tabs of Markdown's dialects, and what they are called.

MkDocs begins them with ``!!! note "Title"``, ``??? question "Title"`` and ``=== "Tab"``, VitePress
and Docusaurus with ``::: warning Title`` or ``:::tip[Title]`` up to ``:::``, and Docusaurus' tabs
are ``<TabItem label="Tab">``. Such a line is no sentence: its title is read with what follows it.
"""

from __future__ import annotations

import re

#: What any of them begins with; asked first, as few lines do.
_BEGINS = ("!!!", "???", "===", ":::", "<TabItem", "</TabItem")
_MKDOCS = re.compile(
    r"(?:!!!|\?\?\?\+?)[ ]?[\w-]+"
    r"(?:(?:[ ]+[\w-]+)*[ ]+\"(?P<title>[^\"\n]*)\"|(?:[ ]+(?:inline|end))*)[ \t]*\n?"
    r"|===[!+]?[ ]+(?:\"(?P<tab>[^\"\n]+)\"|'(?P<quoted>[^'\n]+)')[ \t]*\n?"
)
_COLONS = re.compile(
    r":::+[ ]*(?:\{[^{}\n]*\}\n?"
    r"|\{?[\w-]+\}?(?:\[(?P<bracketed>[^\]\n]*)\])?(?:[ ]+(?P<title>[^\n{]*))?[^\n]*)?\n?"
)
_TAB = re.compile(
    r"<TabItem\b[^<>]*?\blabel=[\"'{]+(?P<label>[^\"'{}<>\n]+)[^<>]*>\s*|</TabItem>\s*"
)


def box_title(line: str) -> str | None:
    """The title of the box or tab that a line opens; empty where it has none or one is closed
    here; None for any other line."""
    line = line.lstrip()
    if not line.startswith(_BEGINS):
        return None
    for pattern in (_MKDOCS, _COLONS, _TAB):
        if found := pattern.fullmatch(line):
            return next((title.strip() for title in found.groups() if title), "")
    return None
