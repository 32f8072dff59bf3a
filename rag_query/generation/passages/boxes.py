"""Lines that open and close the boxes and tabs of Markdown's dialects, and what they are called.

MkDocs begins them with ``!!! note "Title"``, ``??? question "Title"`` and ``=== "Tab"`` and indents
what they hold, VitePress and Docusaurus with ``::: warning Title`` or ``:::tip[Title]`` up to
``:::``, and Docusaurus' tabs are ``<TabItem label="Tab">``. Such a line is no sentence: its title
is read with what follows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
_CLOSES = re.compile(r":::+\s*|</TabItem>\s*")


@dataclass(frozen=True, slots=True)
class BoxLine:
    """A line that opens a box or tab, or closes one.

    Attributes:
        title: of the box; empty where it has none, and where one is closed.
        is_tab: the box is one of several that say the same of different things.
        nests: it stands in the box that is open, up to a line that closes it.
        closes: the line closes a box.
    """

    title: str
    is_tab: bool = False
    nests: bool = False
    closes: bool = False


def box_line(line: str) -> BoxLine | None:
    """What a line opens or closes; None for any other line."""
    line = line.lstrip()
    if not line.startswith(_BEGINS):
        return None
    for pattern in (_MKDOCS, _COLONS, _TAB):
        if found := pattern.fullmatch(line):
            return BoxLine(
                title=next((title.strip() for title in found.groups() if title), ""),
                is_tab=line.startswith(("===", "<TabItem")),
                nests=pattern is _COLONS,
                closes=_CLOSES.fullmatch(line) is not None,
            )
    return None
