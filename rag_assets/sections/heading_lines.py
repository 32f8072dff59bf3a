"""The headings of a text by its lines, as far as each of them can mean one thing only.

The parser makes an object of every bit of markup, and hardly any of it says where headings are.
A line that begins with ``#`` ends each paragraph, list, quote and table above it, so it is a
top-level heading unless code or HTML is open there (CommonMark 0.31: 4.2, 4.5, 4.6). Where that
is in doubt the parser reads on after the last sure heading, because nothing is open there.
"""

from __future__ import annotations

import re

from rag_assets.sections.blocks import Block, scan_headings

#: A line that may be a heading, or may open what later lines are part of whatever they hold.
_TELLING = re.compile(
    r"""\n(?P<indent>[ ]{0,3})(?=[\#`~=<-])(?:  # Looking ahead spares most lines the rest.
        (?P<heading>\#+)(?=\s|\Z)
      | (?P<fence>`{3,}|~{3,})
      | (?P<underline>=+|-+)[^\S\n]*(?=\n|\Z)
      | (?P<html><(?:[!?]|(?i:pre|script|style|textarea|h[1-6])(?=[\s>]|\Z)))
    )""",
    re.VERBOSE,
)
_HEADING = re.compile(r"\n(#{1,6})[ \t]+(\S[^\n]*)")
#: A title that reads the same without markup.
_PLAIN = re.compile(r"[^*_`\[\]<&\\#\x00-\x1f\ud800-\udfff]*")
_FENCE = re.compile(r"\n[^\S\n]*(?:`{3,}|~{3,})")
_NOTHING_MORE = re.compile(r" *(?=\n|\Z)")
_BLANK_LINE = re.compile(r"\n\s*\n")
#: Begins HTML that goes on to the next blank line.
_HTML = re.compile(r"\n {0,3}<")


def headings_of(text: str, max_level: int = 6) -> list[Block]:
    """The headings :func:`rag_assets.sections.blocks.scan_headings` finds, in less time."""
    lines = _Lines(text, max_level)
    end = lines.read()
    if end == len(text):
        return lines.found
    if text.find("]:", 0, end) >= 0:  # May define a link of a title further down.
        return scan_headings(text, max_level)
    rest = scan_headings(text[end:], max_level)
    for block in rest:
        block.start += end
        block.end += end
    return lines.found + rest


class _Lines:
    """Reads a text line by line up to the first doubt.

    Attributes:
        found: the headings up to a level that have a title, in order.
    """

    def __init__(self, text: str, max_level: int) -> None:
        self.found: list[Block] = []
        self._text = text
        self._max_level = max_level
        # Every line follows a newline here, whose offset is that of the line in the text.
        self._lines = "\n" + text
        #: No HTML is open here.
        self._without_html = 0

    def read(self) -> int:
        """Find the sure headings; return where the parser must read on, at the end if nowhere."""
        if "\r" in self._text:  # A line may end there as well.
            return 0
        at = sure = 0
        while line := _TELLING.search(self._lines, at):
            after = self._after(line)
            if after is None:
                return sure
            at = after
            if line.lastgroup == "heading":
                sure = at - 1
        return len(self._text)

    def _after(self, line: re.Match[str]) -> int | None:
        """The end of what begins with a telling line; None when in doubt what that is."""
        if line.lastgroup == "heading":
            return self._after_heading(line.start())
        if line.lastgroup == "fence":
            return self._after_code(line)
        if line.lastgroup == "underline" and self._begins_block(line.start()):
            return line.end()
        return None

    def _after_heading(self, start: int) -> int | None:
        heading = _HEADING.match(self._lines, start)
        if heading is None or self._html_above(start):
            return None
        marks, title = heading.groups()
        if len(marks) > self._max_level:
            return heading.end()
        if _PLAIN.fullmatch(title):
            end = start + len(heading.group().rstrip()) - 1
            title = " ".join(title.split())
            self.found.append(Block("heading", start, end, len(marks), title))
        elif "[" in title and "]:" in self._text:  # Perhaps a link that is defined elsewhere.
            return None
        else:
            for block in scan_headings(heading.group()[1:]):
                block.start += start
                block.end += start
                self.found.append(block)
        return heading.end()

    def _after_code(self, opening: re.Match[str]) -> int | None:
        """Where the code ends: at the next line like a fence, if that is the same fence."""
        lines = self._lines
        closing = _FENCE.search(lines, opening.end())
        if closing is None or closing.group() != opening.group():
            return None
        end = _NOTHING_MORE.match(lines, closing.end())
        body = lines[opening.end() : closing.start() + 1]
        info, _, code = body.partition("\n")
        if end is None or "`" in info:
            return None
        # An indented fence may be a list item's, which a line further to the left ends.
        indent = opening["indent"]
        if indent and not all(
            line.isspace() or not line or line.startswith(indent) for line in code.split("\n")
        ):
            return None
        # Below HTML both fences may be lines of it, unless a blank line parts them.
        if self._html_above(opening.start()) and _BLANK_LINE.search(body):
            return None
        return end.end()

    def _begins_block(self, start: int) -> bool:
        """Whether a line is the first or stands below an empty one."""
        return start == 0 or self._lines[start - 1] == "\n"

    def _html_above(self, start: int) -> bool:
        """Whether HTML may have begun above a line without a blank line between."""
        if self._begins_block(start):
            return False
        # What was looked at for a line above need not be looked at again.
        blank = self._lines.rfind("\n\n", self._without_html, start)
        if _HTML.search(self._lines, max(blank, self._without_html), start):
            return True
        self._without_html = start
        return False
