"""Prose that plain text indents, which Markdown would read as code.

Books, manual pages and RFCs stand a margin in. What is set off further is code only where it does
not read as prose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_assets.markdown_tree import parse_events

#: Columns from which a line is code to Markdown, and from one tab stop of a text to the next.
_CODE = 4
_TAB = 8
_INDENTED = re.compile(r" {4}| {0,3}\t")
_ITEM = re.compile(r"(?:[-*+•o–]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ \t]+(?=\S)")
_BULLET = re.compile(r"[-*+•o–][ \t]+(?=[^\W_])")
_WORD_FIRST = re.compile(r"[\"'“‘«(（《「『\[]{0,2}[^\W_]")
#: Columns of a table; fields may align their colons.
_GAP = re.compile(r"\S(?: {3,}|[ ]*\t+[ ]*)(?![\s:])")
_MARKS = re.compile(
    r"[{}\\]|^(?:[$%>#]|sudo )|[^\s=:]\s*(?:[:+*/|-]?=)\s*\S|</?\w[^<>]{0,200}>|->|=>|::|&&|\|\|"
    r"|\w\(\w*\);?$|^[a-z]\S*(?: \S+){0,3};$"
)
#: A word, a number or a dash.
_PURE = re.compile(
    r"[(\[\"'“‘«]*[^\W\d_]+(?:['’/-][^\W\d_]+)*[)\]\"'”’».,;:!?…]*|\d[\d.,]*+[.,;:)]*|[–—-]+"
)
_SENTENCE_END = re.compile(r"[^\W\d_]{2}[)\"'”’»]*[.?!](?!\.)[)\"'”’»\]]*(?:\s|$)|:$")
#: Columns in which the middle of a centred line stands.
_MIDDLE = range(28, 47)


@dataclass(slots=True)
class _Run:
    """Lines without a blank one between them.

    Attributes:
        numbers: those Markdown reads as code.
        words: the lines with what goes on below them, but for a term that is no words.
        indent: the least of ``numbers``.
    """

    numbers: range
    words: list[str]
    indent: int


def without_margin(lines: Sequence[str]) -> dict[int, str]:
    """The lines of indented prose, by number from 0, as far to the left as Markdown wants them.

    Items keep what stands below them. Nothing but blanks at the beginnings of lines is changed.
    """
    if not any(map(_INDENTED.match, lines)):
        return {}
    margin = margin_of(lines)
    blocks = [list(_runs(lines, block)) for block in _indented_code(lines)]
    beside = [run for block in blocks for run in block if run.indent <= margin + 1]
    prose = sum(len(run.words) for run in beside if _is_prose(run))
    at_margin = margin >= _CODE and prose * 3 >= sum(len(run.words) for run in beside)
    moved: dict[int, str] = {}
    for block in blocks:
        told = [
            run
            for run in block
            if _is_prose(run) or (at_margin and run.indent <= margin + 1 and _may_be_prose(run))
        ]
        moved.update(_moved(lines, told))
    return moved


def margin_of(lines: Sequence[str]) -> int:
    """The column in which most lines begin."""
    indents = Counter(indent_of(line) for line in lines if line.strip())
    return max(indents, key=lambda indent: indents[indent])


def text_at(lines: Sequence[str], number: int) -> bool:
    """Whether the line with this number (from 0) exists and is not blank."""
    return number < len(lines) and bool(lines[number].strip())


def indent_of(line: str) -> int:
    """The column in which a line begins."""
    blanks = line[: len(line) - len(line.lstrip(" \t"))]
    return len(blanks.expandtabs(_TAB))


def _indented_code(lines: Sequence[str]) -> Iterator[range]:
    """The lines of code without fences that stands in no list and no quote."""
    text = "\n".join(lines)
    data = text.encode("utf-8", "surrogatepass")
    past = at = line = 0
    for event, span in parse_events(text):
        start = span["start"]
        if start < past or type(event) is not dict or (tag := event.get("Start")) is None:
            continue
        past = span["end"]
        if type(tag) is not dict or tag.get("CodeBlock") != "Indented":
            continue
        line += data.count(b"\n", at, start)
        at = start
        block = range(line, line + data[start:past].rstrip().count(b"\n") + 1)
        above = next((lines[n] for n in range(line - 1, -1, -1) if lines[n].strip()), "")
        if not above.rstrip().endswith("::"):  # What RST has below that is literal.
            yield block


def _runs(lines: Sequence[str], block: range) -> Iterator[_Run]:
    start = block.start
    while start < block.stop:
        if not lines[start].strip():
            start += 1
            continue
        below = start
        while below < len(lines) and lines[below].strip():
            below += 1
        end = min(below, block.stop)
        words = [line.strip() for line in lines[start:below]]
        run = _Run(range(start, end), words, min(map(indent_of, lines[start:end])))
        if _is_term(lines, start, below) and not _may_be_prose(run):
            run.words = words[1:]
        yield run
        start = end


def _is_term(lines: Sequence[str], number: int, end: int) -> bool:
    """Whether a line is an option or a command that is explained below it, further in."""
    return (
        number + 1 < end
        and not lines[number].rstrip().endswith(("{", ";", ":", "\\"))
        and "/*" not in lines[number]
        and not _ITEM.match(lines[number].strip())
        and indent_of(lines[number + 1]) > indent_of(lines[number]) + 1
    )


def _is_prose(run: _Run) -> bool:
    """Whether a run reads as sentences, as items that say something, or as a centred title."""
    if not _may_be_prose(run):
        return False
    text = " ".join(run.words)
    letters = [char for char in text if char.isalpha()]
    if sum(not char.isascii() for char in letters) * 2 > len(letters):
        return True
    tokens = text.split()
    pure = sum(_PURE.fullmatch(token) is not None for token in tokens) / len(tokens)
    many = len(tokens) / len(run.words)
    bullets = sum(_BULLET.match(line) is not None for line in run.words)
    if _is_centred(run) and pure >= 0.8:
        return True
    if pure < 0.7 or len(tokens) < 5:
        return False
    if many >= 4 and _SENTENCE_END.search(text):
        return True
    return pure >= 0.85 and (
        (many >= 6 and len(run.words) >= 3) or (many >= 3 and bullets * 2 > len(run.words))
    )


def _may_be_prose(run: _Run) -> bool:
    """Whether nothing in a run tells code, a table or a drawing."""
    lines = [_ITEM.sub("", line, count=1) for line in run.words]
    marked = sum(_MARKS.search(line) is not None for line in lines)
    begun = sum(_WORD_FIRST.match(line) is not None for line in lines)
    columns = sum(_GAP.search(line) is not None for line in lines)
    return (
        not any(line.startswith(("/*", "//")) for line in lines)
        and marked * 4 <= len(lines)
        and begun * 5 >= len(lines) * 3
        and columns * 2 < len(lines)
    )


def _is_centred(run: _Run) -> bool:
    """Whether a run is one line or two of a title in the middle of a page."""
    if len(run.words) > 2 or len(run.words) != len(run.numbers):
        return False
    middle = run.indent + max(map(len, run.words)) // 2
    first = run.words[0].lstrip("(\"'“")
    return run.indent > 2 * _CODE and middle in _MIDDLE and first[:1].isupper() and " " in first


def _moved(lines: Sequence[str], runs: Sequence[_Run]) -> Iterator[tuple[int, str]]:
    #: (indent in the text, in Markdown, that of what belongs to the last item or 0).
    around: list[tuple[int, int, int]] = []
    for run in runs:
        while around and around[-1][0] > run.indent:
            around.pop()
        if not around:
            to = 0
        elif around[-1][0] == run.indent:
            to = around.pop()[1]
        else:
            above, to, inner = around[-1]
            if inner and run.indent - above >= inner:
                to += inner
        items = [_ITEM.match(lines[number].strip()) for number in run.numbers]
        last = next((item for item in reversed(items) if item), None)
        around.append((run.indent, to, len(last[0]) if last else 0))
        for number in run.numbers:
            line = lines[number]
            further = indent_of(line) - run.indent if number > run.numbers.start else 0
            yield number, " " * (to + further) + line.lstrip(" \t")
