"""What dialects of Markdown add to it, so that a reader of CommonMark sees what was meant.

MkDocs indents the text of admonitions and tabs, MyST fences prose, Jekyll and Hugo put code between
tags, kramdown has lines of attributes, and mathematics may have lines that look like headings. The
edits here keep every line on its line, and found again in what they made they change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag_query.text.edits import Edit, EditedText
from rag_query.text.fences import code_ranges, holds

#: Directives of MyST that hold text.
_PROSE = (
    "note|tip|hint|important|warning|caution|danger|attention|error|seealso|admonition|dropdown"
    "|versionadded|versionchanged|deprecated|topic|sidebar|margin|epigraph|tab-set|tab-item|card"
    "|grid|grid-item|grid-item-card"
)
_DIRECTIVE = re.compile(rf"[ \t]*(?P<marks>`{{3,}}|~{{3,}}|:{{3,}})\{{(?:{_PROSE})\}}[^\n]*\n")
_CLOSED = re.compile(r"\n[ \t]*(?P<marks>`{3,}|~{3,})[ \t]*\Z")
#: A tag alone on its line that begins or ends code: of Liquid, and of Hugo's shortcodes.
_CODE_TAG = re.compile(
    r"""^[ \t]*(?P<tag>
        \{%-?[ ]*(?P<liquid>(?P<end>end)?(?:highlight|codeblock))\b(?P<of_liquid>[^%\n`]*?)-?%\}
      | \{\{[<%][ ]*(?P<close>/)?[ ]*(?P<hugo>highlight|code-toggle|code)(?![\w-])
        (?P<of_hugo>[^\n`]*?)[>%]\}\}
    )[ \t]*$""",
    re.MULTILINE | re.VERBOSE,
)
_TICKS = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)
_ADMONITION = re.compile(
    r"""^(?P<indent>[ ]*)(?:
        (?:!!!|\?\?\?\+?)[ ]?(?=[\w"])[\w-]*(?:[ ]+[\w-]+)*(?:[ ]*"[^\n]*")?
      | ===!?[ ]+(?:"[^\n]*"|'[^'\n]*')
    )[ \t]*\n(?P<body>(?:[ \t]*\n)*(?P=indent)(?:[ ]{4}|\t)[^\n]*(?:\n|\Z)
        (?:[ \t]*\n|(?P=indent)(?:[ ]{4}|\t)[^\n]*(?:\n|\Z))*)""",
    re.MULTILINE | re.VERBOSE,
)
_UNDERLINE = re.compile(r"^[ \t]*(?:=+|-+)[ \t]*$", re.MULTILINE)
#: Nobody nests directives deeper; what is in there stays code.
_MOST_NESTED = 40
#: Nobody nests boxes further than this many columns.
_DEEPEST = 40
#: Nobody writes an item with more lines above a box in it.
_LINES_ABOVE = 59
_LINE = re.compile(r"^[ \t]*(?=\S)", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t]*\n")
_ITEM = re.compile(r"[ ]*(?:[-*+]|\d{1,9}[.)])[ ]+")
_MATHS = re.compile(
    r"^[ ]{0,3}\$\$(?![^\n]*\$\$)[^\n]*\n(?P<body>(?:[^\n$]*\n){0,100}?)"
    r"[^\n$]*\$\$[ \t]*(?:\{[^\n]*\}|[.,。，])?[ \t]*$",
    re.MULTILINE,
)
_LIKE_HEADING = re.compile(r"^[ ]{0,3}(?:#{1,6}(?=[ \t]|$)|(?:=+|-+)[ \t]*$)", re.MULTILINE)
_ATTRIBUTES = re.compile(r"^[ ]{0,3}\{:(?!:)[^{}\n]*\}[ \t]*$", re.MULTILINE)
#: Boxes of VitePress and Docusaurus. What else stands between colons can be a whole page.
_BOX = re.compile(
    rf":::(?<=\n:::)(?P<more>:*)[ ]*\{{?(?:{_PROSE}|info|details|success|error)\b[^\n]*"
    r"(?P<body>(?:\n(?![ \t]*:::(?P=more)(?!:))[^\n]*)*)\n[ \t]*:::(?P=more)[ \t]*(?=\n|\Z)"
)


def as_commonmark(text: str) -> str:
    """``text`` with all edits; it has the same lines."""
    text = EditedText(text, code_edits(text)).text
    return EditedText(text, line_edits(text)).text


def code_edits(text: str) -> Iterator[Edit]:
    """Fences around prose become those of a container, tags around code become fences."""
    if "{" not in text:
        return
    code = code_ranges(text)
    if "`{" in text or "~{" in text:
        yield from _fenced_prose(text, code, 0, _MOST_NESTED)
    if "{%" not in text and "{{" not in text:
        return
    opened: re.Match[str] | None = None
    for tag in _CODE_TAG.finditer(text):
        ends = tag["end"] or tag["close"]
        if opened is None:
            opened = None if ends or holds(code, tag.start()) else tag
        elif ends and _tag_name(tag) == _tag_name(opened):
            longest = max(map(len, _TICKS.findall(text, opened.end(), tag.start())), default=2)
            marks = "`" * (longest + 1)
            said = (opened["of_liquid"] or opened["of_hugo"] or "").strip()
            yield Edit(*opened.span("tag"), f"{marks}{said}")
            yield Edit(*tag.span("tag"), marks)
            opened = None


def _tag_name(tag: re.Match[str]) -> str:
    return tag["hugo"] or tag["liquid"].removeprefix("end")


def _fenced_prose(
    text: str, code: Sequence[tuple[int, int]], offset: int, levels: int
) -> Iterator[Edit]:
    for start, end in code:
        opening = _DIRECTIVE.match(text, start, end)
        closing = _CLOSED.search(text, max(start, text.rfind("\n", start, end)), end)
        if opening is None or closing is None:
            continue
        for marks in (opening.span("marks"), closing.span("marks")):
            yield Edit(offset + marks[0], offset + marks[1], ":" * (marks[1] - marks[0]))
        if levels > 1:
            body = text[opening.end() : closing.start()]
            yield from _fenced_prose(body, code_ranges(body), offset + opening.end(), levels - 1)


def line_edits(text: str) -> Iterator[Edit]:
    """Text of admonitions and tabs goes to the left, lines of mathematics that would be headings
    to the right; lines of attributes become blank."""
    boxed = "!!!" in text or "???" in text or "===" in text
    if not (boxed or "$$" in text or "{:" in text):
        return
    code = code_ranges(text)
    if boxed:
        yield from _dedented(text, code, 0)
    if "$$" in text:
        for block in _MATHS.finditer(text):
            if not holds(code, block.start()):
                for line in _LIKE_HEADING.finditer(text, *block.span("body")):
                    yield Edit(line.start(), line.start(), "    ")
    if "{:" in text:
        for line in _ATTRIBUTES.finditer(text):
            if not holds(code, line.start()):
                yield Edit(line.start(), line.end())


def _dedented(
    text: str, code: Sequence[tuple[int, int]], offset: int, column: int = 0
) -> Iterator[Edit]:
    """The blanks before the lines of admonitions and tabs, and of those inside them.

    Args:
        column: where lines of ``text`` begin.
    """
    for found in _ADMONITION.finditer(text):
        width = len(found["indent"])
        if (
            holds(code, offset + found.start())
            or _stays(found["body"], width)
            or (width >= column + 4 and not _in_item(text, found.start(), width))
        ):
            continue
        start = offset + found.start("body")
        for line in _LINE.finditer(found["body"]):
            begin = line.start() + width
            blanks = 1 if found["body"][begin] == "\t" else 4
            yield Edit(start + begin, start + begin + blanks)
        if width < _DEEPEST:
            yield from _dedented(found["body"], code, start, width + 4)


def _stays(body: str, width: int) -> bool:
    """Whether it begins with code, or with a heading that would take in the line above."""
    first = next(line for line in body.split("\n") if line.strip())[width:]
    if first.startswith((" " * 8, "\t\t")):
        return True
    directly = body.split("\n", 1)[0].strip()
    return bool(directly) and _UNDERLINE.search(_BLANK.split(body, maxsplit=1)[0]) is not None


def _in_item(text: str, start: int, width: int) -> bool:
    """Whether a line indented so far is text of a list's item."""
    for _ in range(_LINES_ABOVE):
        if start == 0:
            break
        end = start - 1
        start = text.rfind("\n", 0, end) + 1
        line = text[start:end]
        if line.strip() and len(line) - len(line.lstrip()) < width:
            item = _ITEM.match(line)
            return item is not None and item.end() <= width < item.end() + 4
    return False


def boxed_headings(text: str) -> list[tuple[int, int]]:
    """The boxes between ``:::`` that hold headings, which are part of them as in a quote."""
    if ":::" not in text:
        return []
    found = [box for box in _BOX.finditer("\n" + text) if _LIKE_HEADING.search(box["body"])]
    code = code_ranges(text) if found else []
    return [(b.start() - 1, b.end() - 1) for b in found if not holds(code, b.start() - 1)]
