"""Tables that a Markdown text writes as HTML, as tables of Markdown.

They are read as those of a page are, so that each value stands under its head for whoever asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from rag_assets.loading.html.markdown import to_markdown
from rag_assets.markdown_tree import Spans
from rag_query.text.edits import Edit

#: From the beginning of a line to the end of one, with no other in it.
_TABLE = re.compile(
    r"^(?P<indent> {0,3})(?P<table><table\b(?:(?!<table\b).)*?</table\s*>)[ \t]*$",
    re.I | re.M | re.S,
)
#: Lines of a table: heads, a rule, a row.
_LEAST = 3
_ROW = re.compile(r"<tr\b", re.IGNORECASE)
#: Tags of tables and of words in them; what other names stand between ``<`` and ``>``, as in
#: ``List<String>``, may be words.
_TAGS = (
    "table|caption|colgroup|col|thead|tbody|tfoot|tr|th|td|p|div|center|br|hr|ul|ol|li|h[1-6]|span|"
    "a|abbr|b|big|cite|code|del|em|font|i|ins|kbd|label|mark|nobr|q|s|samp|small|strike|strong|sub|"
    "sup|tt|u|var|wbr"
)
#: What a table of Markdown would lose: places that are known by their offsets or ids, pictures and
#: links of Markdown, code, and the text behind a blank line, which ends HTML.
_STAYS = re.compile(
    rf"</?(?!(?:{_TAGS})[\s/>])[a-z]|\s(?:id|name)\s*=|!\[|\[\[|```|~~~|(?<![^\s>(])`[^`\n]*<"
    r"|\n[ \t]*\n[ \t]*(?=[^\s<])",
    re.IGNORECASE,
)
_CODE = frozenset({"Code", "CodeBlock"})
_LONGEST = 200_000


def html_tables(text: str) -> Iterator[Edit]:
    """Each row takes the place of its ``<tr>``, so that its line stays known."""
    if "<table" not in text.lower():
        return
    code = Spans(text, _CODE)
    for found in _TABLE.finditer(text):
        start, end = found.span("table")
        if end - start > _LONGEST or _STAYS.search(text, start, end) or code.hold(start):
            continue
        rows = _rows(found["table"])
        places = [row.start() for row in _ROW.finditer(text, start, end)]
        if not rows or len(rows) != len(places):
            continue
        places = [start, *places[1:], end]
        line_end = f"\n{found['indent']}"
        # A table may not follow other lines at once.
        above = text[max(found.start() - 2, 0) : found.start()]
        before = "" if above in ("", "\n", "\n\n") else line_end
        for row, (begin, stop) in zip(rows, pairwise(places), strict=True):
            yield Edit(begin, stop, before + row.replace("\n", line_end) + line_end)
            before = ""


def _rows(html: str) -> list[str]:
    """The rows of a table, its heads with the rule below; none of one that lays out a page, or has
    a caption."""
    lines = to_markdown(html).md.split("\n")
    if len(lines) < _LEAST or not all(line.startswith("|") for line in lines):
        return []
    head, rule, *body = lines
    if head.strip("| "):
        return [f"{head}\n{rule}", *body]
    # None of the rows is a head.
    return [f"{head}\n{rule}\n{body[0]}", *body[1:]]
