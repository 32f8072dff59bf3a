"""Numbered steps of a plain text, whose paragraphs stand below their words: items, no sections.

Sections whose text stands as far in are told from them by their short titles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag_assets.loading.text_prose import indent_of

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
        words: the column of its words.
    """

    line: int
    words: int


def steps_among(lines: Sequence[str], margin: int, told: Sequence[Step]) -> set[int]:
    """The lines of steps: what belongs to one stands further in than the text does.

    Args:
        margin: the column in which the text stands.
        told: those in one column, in order.
    """
    within = [_lines_of_step(lines, step) for step in told]
    items = [
        bool(below) and min(map(indent_of, below)) >= step.words
        for step, below in zip(told, within, strict=True)
    ]
    if all(items) and all(_reads_as_title(lines, step) for step in told):
        return set()
    return {
        step.line
        for step, item, below in zip(told, items, within, strict=True)
        if item and min(map(indent_of, below)) > margin
    }


def _reads_as_title(lines: Sequence[str], step: Step) -> bool:
    line = lines[step.line]
    title = line.strip()[step.words - indent_of(line) :]
    if _CHINESE.search(title):
        return len(title) <= _TITLE_CHINESE
    return len(title.split()) <= _TITLE_WORDS and not _SAYS_WHAT_TO_DO.match(title)


def _lines_of_step(lines: Sequence[str], step: Step) -> list[str]:
    """The lines with text that stand below a step and further in.

    Empty where only the first line of a paragraph is further in.
    """
    own = indent_of(lines[step.line])
    found: list[str] = []
    for number in range(step.line + 1, len(lines)):
        line = lines[number]
        if line.strip():
            if indent_of(line) <= own:
                return [] if lines[number - 1].strip() and number > step.line + 1 else found
            found.append(line)
    return found
