"""Numbered steps of a plain text, whose paragraphs stand below their words: items, no sections.

Sections whose text stands as far in are told from them by their short titles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from rag_assets.loading.text_prose import indent_of

#: Sections of one text that are as short may as well be its steps.
_PARAGRAPHS = 3
#: Words of a short title, and characters of a Chinese one.
_TITLE_WORDS = 4
_TITLE_CHINESE = 8
_CHINESE = re.compile("[\u4e00-\u9fff]")
#: As "Read the number" does; "About the pump" and "Reading the gauge" say what a section is of.
_SAYS_WHAT_TO_DO = re.compile(
    r"(?!(?:about|after|at|before|behind|by|for|from|in|of|on|to|under|with|within|without|\w+ing)\b)"
    r"\w+ (?:the|an?|it|your|this|all|each|every)\b",
    re.IGNORECASE,
)


class Step(NamedTuple):
    """A line that may be a step.

    Attributes:
        line: of its number, from 0.
        number: that it has.
        words: the column of its words.
    """

    line: int
    number: int
    words: int


def steps_among(lines: Sequence[str], margin: int, told: Sequence[Step], *, only: bool) -> set[int]:
    """The lines of steps: what belongs to one stands further in than the text does.

    Args:
        margin: the column in which the text stands.
        told: those in one column, in order.
        only: whether the text counts nothing else; then all of it may stand below its steps.
    """
    within = [_lines_of_step(lines, step) for step in told]
    items = [
        bool(below) and min(indent_of(line) for line in below if line) >= step.words
        for step, below in zip(told, within, strict=True)
    ]
    if all(items) and all(_reads_as_title(lines, step) for step in told):
        return set()
    further = [
        item and min(indent_of(line) for line in below if line) > margin
        for item, below in zip(items, within, strict=True)
    ]
    found = {
        step.line
        for at, step in enumerate(told)
        if further[at] and not _of_section(told, further, at)
    }
    if not found and only and all(items) and told[0].number == 1:
        paragraphs = [sum(not line for line in below) for below in within]
        if median(paragraphs) <= _PARAGRAPHS:
            return {step.line for step in told}
    return found


def _reads_as_title(lines: Sequence[str], step: Step) -> bool:
    line = lines[step.line]
    title = line.strip()[step.words - indent_of(line) :]
    if _CHINESE.search(title):
        return len(title) <= _TITLE_CHINESE
    return len(title.split()) <= _TITLE_WORDS and not _SAYS_WHAT_TO_DO.match(title)


def _lines_of_step(lines: Sequence[str], step: Step) -> list[str]:
    """The lines that stand below a step and further in, with an empty one before each paragraph.

    None where only the first line of a paragraph is further in.
    """
    own = indent_of(lines[step.line])
    found: list[str] = []
    for number in range(step.line + 1, len(lines)):
        line = lines[number]
        if line.strip():
            if indent_of(line) <= own:
                return [] if lines[number - 1].strip() and number > step.line + 1 else found
            if not lines[number - 1].strip():
                found.append("")
            found.append(line)
    return found


def _of_section(told: Sequence[Step], further: Sequence[bool], at: int) -> bool:
    """Whether the line that this one goes on from in counting is no step, so that neither is this.

    Where it goes on from none, the line that goes on from it decides, as where all of a section is
    an example.
    """
    if at and told[at - 1].number + 1 == told[at].number:
        return not further[at - 1]
    behind = at + 1 < len(told) and told[at].number + 1 == told[at + 1].number
    return behind and not further[at + 1]
