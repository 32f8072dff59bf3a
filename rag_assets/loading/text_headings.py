"""Headings of plain text, and the text as Markdown that has those headings and no others.

A heading is one line above a rule about as long, as reStructuredText and AsciiDoc have them, a line
with ``#`` or AsciiDoc's ``=`` that stands alone, or where there are none a numbered title or one at
the left edge. The Markdown has the lines of the text: one that would mean something else there gets
a backslash, a heading that Markdown could not read as such becomes one with ``#``, its rules blank
lines, prose loses the indentation that would make it code, and what is set in columns becomes a
table.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rag_assets.loading.text_numbering import numbered_titles
from rag_assets.loading.text_numbers import without_marks_around
from rag_assets.loading.text_outdents import outdents
from rag_assets.loading.text_prose import indent_of, text_at, without_margin
from rag_assets.loading.text_tables import tables_of, with_tables
from rag_query.text.fences import Fence, fences

_RULE = re.compile(r"([=\-~^\"'*+#:._`])\1{2,}[ \t]*")
#: Below these a run of three is a fence of Markdown, and titles are short.
_FENCES = "~`"
#: What AsciiDoc puts around blocks.
_DELIMITERS = "-=.*_+"
_LONG_RUN = re.compile(
    r"^(?:~{4,}|`{4,}(?=[ \t]*$)|(?<=\n\n\w{3}\n)(?:~~~|```)(?=\n\n))", re.MULTILINE
)
_LONGEST_TITLE = 120
#: Begins an item, a quote, a comment, a command or markup; ends or holds what no title does.
_NO_TITLE = re.compile(
    r"(?:[-*+•>$#] |\.\. |:[\w -]+:(?:\s|$)|#|```|~~~)|.*(?:\t|[ ]{3,}|::$)|[^\w\n]*$|.*_{3,}"
)
#: Begins what is drawn with lines.
_DRAWING = re.compile(r"[-=+|~/\\]{2,}[^\s=*~#-]")
#: Headings with marks where numbered titles may be headings as well.
_FEW = 2
_HASHES = re.compile(r"(#{1,6})[ \t]+(\S.*)")
#: A title of AsciiDoc, which may repeat its marks behind it; one mark is the document's.
_EQUALS = re.compile(r"(={1,6})[ \t]+(\S.*?)(?P<closed>[ \t]+\1)?[ \t]*")
_COMMENT = re.compile(r"#{1,6}(?:[ \t]|$)")
#: May stand directly above a title: an anchor or attributes of AsciiDoc, explicit markup of RST.
_ABOVE = re.compile(r"\[.*\][ \t]*|\.\. .*")
#: Lines that Markdown reads as a heading, as its underline, as a fence, or as a link to a page.
_MARKED = re.compile(
    r"( {0,3})(?:#{1,6}(?:[ \t]|$)|(?P<under>(?:=+|-+)[ \t]*$)|~{3,}|`{3,}[^`]*$"
    r"|\[\[[^\[\]]+\]\][ \t]*$)"
)
_ROLE = re.compile(r":[\w.+-]+(?::[\w.+-]+)*:`([^`]+)`")
_TARGET = re.compile(r"(.+?)\s*<[^<>]+>")
#: References of RST, to an address beside them or to a target elsewhere in the text.
_REFERENCE = re.compile(
    r"(?<![\w`])(?:`(?P<words>[^`<>]+?)(?P<address>\s*<[^<>]+>)?`|(?P<word>[^\W_](?:[\w.:+-]*[^\W_])?))"
    r"__?(?![\w`])"
)
_TARGETS = re.compile(r"\.\. _(`?)(?P<name>[^`:\n]+)\1:(?:\s|$)")
_CODE = re.compile(r"(`+[^`]+`+)")
#: Markup of Markdown that plain text seldom means.
_MARKUP = re.compile(
    r"<(?=[A-Za-z/!?])|(?<![^\W_])_|_(?![^\W_])|(?<=\w)\*(?=\w)|\[(?=\[)|\\(?=[!-/:-@\[-`{-~])"
    r"|(?<=[ \t])#(?=#*$)"
)
#: Titles that begin a paragraph and nothing else.
_WORDS_FIRST = re.compile(r"(?:[^\W\d_]|[`\"'“‘《「（(])[^|]*")


class TextHeading(NamedTuple):
    """A heading of a text.

    Attributes:
        level: 1 to 6.
        line: of the title, counted from 0.
        title: as Markdown.
        others: lines of its rules, or on which it goes on.
    """

    level: int
    line: int
    title: str
    others: tuple[int, ...] = ()


class TextMarkdown(NamedTuple):
    """``md`` has as many lines as the text."""

    md: str
    headings: list[TextHeading]


def text_as_markdown(text: str) -> TextMarkdown:
    """See the module."""
    lines = text.split("\n")
    code = _code_lines(text)
    ruled, blocks = _ruled_headings(lines, code)
    but = code | blocks
    marked = [*ruled, *_hash_headings(lines, but), *_equals_headings(lines, but)]
    headings = sorted([*marked, *_unmarked_titles(lines, marked, but)], key=lambda h: h.line)
    own: set[int] = set()
    for heading in headings:
        own.update((heading.line, *heading.others))
        if not _reads_the_same(heading, lines):
            lines[heading.line] = f"{'#' * heading.level} {heading.title}"
            for other in heading.others:
                lines[other] = ""
    tables = tables_of(lines, own | but)
    for number in range(len(lines)):
        if number not in own and number not in code:
            lines[number] = _unmarked(lines, number)
    for number, line in without_margin(lines).items():
        lines[number] = f"\\{line}" if line.startswith("<") else line
        lines[number] = _unmarked(lines, number)
    return TextMarkdown("\n".join(with_tables(lines, tables)), headings)


def _unmarked(lines: Sequence[str], number: int) -> str:
    """A line that is no heading and begins none, as Markdown."""
    line = lines[number]
    marked = _MARKED.match(line)
    if marked is None or (marked["under"] and not (number and lines[number - 1].strip())):
        return line
    return f"{marked[1]}\\{line[marked.end(1) :]}"


def _unmarked_titles(
    lines: Sequence[str], marked: Sequence[TextHeading], code: set[int]
) -> list[TextHeading]:
    """Numbered titles and those at the left edge, below the marked ones; none where more than a
    title or two are marked."""
    if len(marked) > _FEW:
        return []
    own = code | {line for heading in marked for line in (heading.line, *heading.others)}
    base = max((heading.level for heading in marked), default=0)
    counted = _numbered(lines, base, own)
    own.update(line for heading in counted for line in (heading.line, *heading.others))
    at_edge = [
        TextHeading(min(base + level, 6), line, _as_markdown(lines[line].strip()))
        for line, level in outdents(lines, own)
    ]
    if at_edge and all(lines[heading.line][0].isspace() for heading in counted):
        counted = [heading._replace(level=min(heading.level + 1, 6)) for heading in counted]
    return [*counted, *at_edge]


def _numbered(lines: Sequence[str], base: int, but: set[int]) -> list[TextHeading]:
    found: list[TextHeading] = []
    for line, last, level in numbered_titles(lines, but):
        others = tuple(n for n in range(line + 1, last + 1) if lines[n].strip())
        words = " ".join(lines[n].strip() for n in (line, *others))
        title = _as_markdown(without_marks_around(words))
        found.append(TextHeading(min(base + level, 6), line, title, others))
    return found


def without_roles(title: str) -> str:
    """A title with the text of RST's roles, ``:mod:`socket```, as plain code."""
    return _ROLE.sub(lambda role: f"`{_shown(role[1])}`", title) if ":`" in title else title


def _without_references(lines: Sequence[str], numbers: set[int]) -> dict[int, str]:
    """The titles on these lines, by number, without the marks of RST's references."""
    titles = {number: lines[number].strip() for number in numbers}
    if not any(map(_REFERENCE.search, titles.values())):
        return titles
    told = filter(None, map(_TARGETS.match, lines))
    targets = {target["name"].casefold() for target in told}

    def shown(reference: re.Match[str]) -> str:
        words = reference["words"] or reference["word"]
        return words if reference["address"] or words.casefold() in targets else reference[0]

    return {number: _REFERENCE.sub(shown, title) for number, title in titles.items()}


def _shown(role: str) -> str:
    if explicit := _TARGET.fullmatch(role):
        return explicit[1]
    return role.rsplit(".", 1)[-1] if role.startswith("~") else role.removeprefix("!")


def _code_lines(text: str) -> set[int]:
    """The lines of fenced code that ends. A long run of the marks alone is a rule, which begins
    none, though it ends what a shorter one has begun."""
    found: set[int] = set()
    at = line = past = 0
    lines = list(fences(text))
    rules = {run.start() for run in _LONG_RUN.finditer(text)} if lines else set()
    ends = _ends(lines)
    for opening, closing in zip(lines, ends, strict=True):
        if opening.start < past or opening.start in rules or closing is None:
            continue
        line += text.count("\n", at, opening.start)
        at, past = opening.start, closing.end
        found.update(range(line, line + text.count("\n", at, past) + 1))
    return found


def _ends(lines: Sequence[Fence]) -> list[Fence | None]:
    """For each fence the next one below that could close it."""
    found: list[Fence | None] = []
    # Of each character, what closes longer and longer fences, the nearest last.
    closing: dict[str, list[Fence]] = {"`": [], "~": []}
    for fence in reversed(lines):
        stack = closing[fence.mark[0]]
        found.append(next((below for below in reversed(stack) if below.closes(fence)), None))
        if fence.may_close:
            while stack and len(stack[-1].mark) <= len(fence.mark):
                stack.pop()
            stack.append(fence)
    return found[::-1]


class _Found(NamedTuple):
    style: tuple[str, bool]
    line: int
    rules: tuple[int, ...]


def _ruled_headings(lines: Sequence[str], code: set[int]) -> tuple[list[TextHeading], set[int]]:
    """Headings with rules, and the lines of AsciiDoc's delimited blocks."""
    found: list[_Found] = []
    blocks: set[int] = set()
    past = 0  # What is above belongs to a heading or a block.
    rules = {
        number: rule[1]
        for number, line in enumerate(lines)
        if number not in code and (rule := _RULE.fullmatch(line))
    }
    plain: set[str] = set()
    over: set[str] = set()
    same: dict[str, list[int]] = {}
    for number in rules:
        same.setdefault(lines[number].rstrip(), []).append(number)
    for number, mark in rules.items():
        if number < past:
            continue
        # Where a mark underlines titles, what stands between two such rules is a listing.
        if (mark in over or mark not in plain) and _overlined(lines, number, past):
            over.add(mark)
            found.append(_Found((mark, True), number + 1, (number, number + 2)))
            past = number + 3
        elif number > past and _underlined(lines, number, past):
            plain.add(mark)
            found.append(_Found((mark, False), number - 1, (number,)))
            past = number + 1
        elif mark in _DELIMITERS and text_at(lines, number + 1):
            equal = same[lines[number].rstrip()]
            following = bisect_right(equal, number)
            if following < len(equal):
                end = equal[following]
                blocks.update(range(number, end + 1))
                past = end + 1
    return _with_levels(found, lines), blocks


def _with_levels(found: Iterable[_Found], lines: Sequence[str]) -> list[TextHeading]:
    """Styles are levels in the order they come, as in RST; ``=`` and ``-`` as in Markdown."""
    found = list(found)
    order = list(dict.fromkeys(heading.style for heading in found))
    markdown = [("=", False), ("-", False)]
    if set(order) <= set(markdown):
        order = markdown
    titles = _without_references(lines, {heading.line for heading in found})
    return [
        TextHeading(
            min(order.index(heading.style) + 1, 6),
            heading.line,
            _as_markdown(without_marks_around(without_roles(titles[heading.line]))),
            heading.rules,
        )
        for heading in found
    ]


def _overlined(lines: Sequence[str], number: int, past: int) -> bool:
    """Whether a title begins with this rule and ends with an equal one."""
    if number + 2 >= len(lines) or lines[number].rstrip() != lines[number + 2].rstrip():
        return False
    title, width = lines[number + 1].strip(), len(lines[number].rstrip())
    return (
        not lines[number + 1].startswith("\t")
        and _may_be_title(title)
        and not _DRAWING.match(title)
        # In the middle at most.
        and indent_of(lines[number + 1]) * 2 <= width - len(title) + 2
        and width >= len(title)
        and _begins(lines, number, past)
    )


def _underlined(lines: Sequence[str], number: int, past: int) -> bool:
    """Whether the line above this rule is a title."""
    title, rule = lines[number - 1].rstrip(), lines[number].rstrip()
    if title[:1].isspace() or not _may_be_title(title):
        return False
    if rule[0] in _FENCES and (len(rule) < len(title) or not _outgrows_fence(lines, number)):
        return False
    return len(rule) >= len(title) - 2 and _begins(lines, number - 1, past)


def _outgrows_fence(lines: Sequence[str], number: int) -> bool:
    """Whether a rule of a fence's characters is none: it is longer, or below as short a title."""
    if len(lines[number].rstrip()) > 3:
        return True
    return len(lines[number - 1].rstrip()) == 3 and not text_at(lines, number + 1)


def _begins(lines: Sequence[str], number: int, past: int) -> bool:
    """Whether nothing above a line is of one paragraph with it."""
    return (
        number == past
        or not lines[number - 1].strip()
        or _ABOVE.fullmatch(lines[number - 1]) is not None
    )


def _may_be_title(title: str) -> bool:
    return len(title) <= _LONGEST_TITLE and any(map(str.isalnum, title)) and not _no_title(title)


def _no_title(title: str) -> bool:
    return _NO_TITLE.match(title) is not None


def _hash_headings(lines: Sequence[str], code: set[int]) -> list[TextHeading]:
    """Lines with ``#`` between blank ones; none where most lines with it are comments."""
    found: list[TextHeading] = []
    comments = 0
    for number, line in enumerate(lines):
        if not line.startswith("#") or number in code or not _COMMENT.match(line):
            continue
        heading = _HASHES.fullmatch(line)
        alone = not (number and lines[number - 1].strip()) and not text_at(lines, number + 1)
        if heading and alone and any(map(str.isalnum, line)):
            found.append(TextHeading(len(heading[1]), number, heading[2].rstrip()))
        else:
            comments += 1
    return found if len(found) > comments else []


def _equals_headings(lines: Sequence[str], but: set[int]) -> list[TextHeading]:
    """Lines with ``=`` that stand alone. Below the first of a text its author may stand, and below
    one that ends as it begins, as those of a wiki do, its text."""
    found: list[TextHeading] = []
    begin = next((number for number, line in enumerate(lines) if line.strip()), 0)
    for number, line in enumerate(lines):
        if not line.startswith("=") or number in but or len(line) > _LONGEST_TITLE:
            continue
        told = _EQUALS.fullmatch(line)
        if told is None or _no_title(told[2]) or not _WORDS_FIRST.fullmatch(told[2]):
            continue
        level = len(told[1])
        is_parted = told["closed"] or not text_at(lines, number + 1)
        if number == begin if level == 1 else is_parted and _begins(lines, number, 0):
            found.append(TextHeading(level, number, _as_markdown(without_roles(told[2]))))
    return found


def _reads_the_same(heading: TextHeading, lines: Sequence[str]) -> bool:
    """Whether Markdown reads the lines of a heading as this one."""
    if not heading.others:
        return lines[heading.line].startswith("#")
    title, rule = lines[heading.line].rstrip(), heading.others[-1]
    above = lines[heading.line - 1].strip() if heading.line else ""
    return (
        len(heading.others) == 1
        and lines[rule][0] == {1: "=", 2: "-"}.get(heading.level)
        and title == heading.title
        and not above
        and _WORDS_FIRST.fullmatch(title) is not None
    )


def _as_markdown(title: str) -> str:
    """A title so that Markdown shows its characters; code in it stays code."""
    parts = _CODE.split(title)
    parts[::2] = [_MARKUP.sub(lambda mark: f"\\{mark[0]}", part) for part in parts[::2]]
    return "".join(parts)
