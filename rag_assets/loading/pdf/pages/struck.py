"""What a page strikes out, written ``~~64~~`` and never glued to what stands there instead.

A rule through the middle of characters strikes them out; one below them does not. The extraction
begins a block behind it, and programs draw it right before its text or right behind, so only lines
are looked at beside which little is drawn.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

from rag_assets.loading.pdf.characters.raised import place_of, raised_in
from rag_assets.loading.pdf.extraction.blocks import Line, PageContent
from rag_assets.loading.pdf.extraction.stext import Box, Character, characters_of
from rag_assets.loading.pdf.pages.turn import Turn

#: A rule through characters stands so many font sizes above their baseline, is not thicker, and
#: begins and ends so little outside of their row: grids of figures go on.
_LOWEST, _HIGHEST = 0.1, 0.45
_THICK = 0.1
_OUTSIDE = 0.2
_MARK = "~~"
#: What would be one with a text that stands there instead, before and behind it.
_WORD_ENDS = re.compile(r"\w\Z")
_WORD = re.compile(r"[\w$€£¥]")


def write_struck(
    content: PageContent,
    turn: Turn | None,
    lines: Sequence[Line],
    text_page: Any,
    shapes: Sequence[Box],
) -> None:
    """Mark what the rules among some ``shapes`` of a page strike out of some of its lines."""
    rules = list(map(turn.box, shapes)) if turn else shapes
    struck = [
        (line, runs)
        for line, through in _lines_with_rules(lines, rules)
        if (runs := _runs(line, through, characters_of(text_page, line.box), turn))
    ]
    if not struck:
        return
    if content.raised is None:
        # What is raised is found by its place in a line, and so looked for before.
        content.raised = raised_in(text_page, content.extracted, images=bool(content.images))
    for line, runs in struck:
        _write(content, line, runs)
    _part(content, {id(line) for line, _ in struck})


def _lines_with_rules(
    lines: Sequence[Line], rules: Sequence[Box]
) -> Iterator[tuple[Line, list[Box]]]:
    """The lines through which some rules may go, and those."""
    largest = max([line.size for line in lines], default=0)
    thin = [rule for rule in rules if rule.y1 - rule.y0 <= _THICK * largest]
    through: defaultdict[int, list[Box]] = defaultdict(list)
    if not thin:
        return
    lines = sorted({id(line): line for line in lines}.values(), key=lambda line: line.base)
    bases = [line.base for line in lines]
    reach = _HIGHEST * largest
    for rule in thin:
        y = (rule.y0 + rule.y1) / 2
        for at in range(bisect_left(bases, y), bisect_left(bases, y + reach)):
            if _strikes(rule, lines[at]):
                through[at].append(rule)
    yield from ((lines[at], found) for at, found in through.items())


def _strikes(rule: Box, line: Line) -> bool:
    """Whether a rule is thin and ends with its row; how high it stands each character tells."""
    size = line.size
    return (
        rule.y1 - rule.y0 <= _THICK * size
        and line.x0 - _OUTSIDE * size <= rule.x0
        and rule.x1 <= line.x1 + _OUTSIDE * size
    )


def _is_sign(character: str, line: Line) -> bool:
    """Whether a character alone may be drawn with a bar: a currency's sign, a glyph of music, a
    label in a drawing."""
    is_letter = character.isascii() and character.isalpha()
    return not character.isalnum() or is_letter or len(line.text) == 1


def _runs(
    line: Line, rules: Sequence[Box], characters: Sequence[Character], turn: Turn | None
) -> list[tuple[int, int]]:
    """Where the characters some rules strike out begin and end in the text of a line, which is as
    it was extracted but for blanks written into it."""
    raw = line.raw
    if turn:
        characters = [Character(*turn.point(x, y), size) for x, y, size in characters]
    extracted = raw.strip()
    is_kept = line.text.replace(" ", "") == extracted.replace(" ", "")
    if len(characters) != len(raw) or not is_kept or len(line.text) < len(extracted):
        return []
    through = [any(_crosses(rule, each) for rule in rules) for each in characters]
    lead = len(raw) - len(raw.lstrip())
    runs = []
    for is_struck, run in groupby(
        range(len(raw)), lambda at: through[at] or (raw[at].isspace() and 0 < at < len(raw) - 1)
    ):
        at = [each for each in run if not raw[each].isspace()]
        if is_struck and at and (len(at) > 1 or not _is_sign(raw[at[0]], line)):
            runs.append((place_of(line, at[0] - lead), place_of(line, at[-1] - lead) + 1))
    return runs


def _crosses(rule: Box, character: Character) -> bool:
    """Whether a rule goes through a character; the bar of a fraction stands below the one and over
    the other, in a line of which the font of the first character is known."""
    above = character.y - (rule.y0 + rule.y1) / 2
    size = character.size
    return rule.x0 < character.x < rule.x1 and _LOWEST * size < above < _HIGHEST * size


def _write(content: PageContent, line: Line, runs: Sequence[tuple[int, int]]) -> None:
    text = line.text
    marks: list[tuple[int, str]] = []
    for begin, end in runs:
        marks.append((begin, f" {_MARK}" if _WORD_ENDS.search(text, 0, begin) else _MARK))
        marks.append((end, f"{_MARK} " if _WORD.match(text, end) else _MARK))
    for at, mark in reversed(marks):
        text = text[:at] + mark + text[at:]
    line.text = text
    content.raised = [
        run._replace(at=run.at + sum(len(mark) for place, mark in marks if place <= run.at))
        if run.line is line
        else run
        for run in content.raised or ()
    ]


def _part(content: PageContent, struck: set[int]) -> None:
    """Let what is struck out be no part of the word before it or behind it; pieces of one run are
    one."""
    lines = [line for line in content.extracted if line is not None]
    for before, line in pairwise(lines):
        ends = id(before) in struck and before.text.endswith(_MARK)
        begins = id(line) in struck and line.text.startswith(_MARK)
        if ends and begins:
            if line.glued:
                before.text = before.text.removesuffix(_MARK)
                line.text = line.text.removeprefix(_MARK)
        elif (ends and _WORD.match(line.text)) or (begins and _WORD_ENDS.search(before.text)):
            line.glued = False
