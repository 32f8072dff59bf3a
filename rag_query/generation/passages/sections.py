"""Where a sentence stands: the headings above it, and whether another stands below the same."""

from __future__ import annotations

import re

from rag_query.generation.passages.sentences import Sentence
from rag_query.text.numerals import HAN_NUMERALS
from rag_query.text.section_paths import PREAMBLE, SEPARATOR

#: What numbers a heading is no number that the text gives.
_NUMBERING = re.compile(
    rf"^\W*(?:第\s?[\d{HAN_NUMERALS}]{{1,5}}\s?[章节篇部编]|(?:chapter|section|part)\s\d{{1,3}}\b"
    r"|\d{1,2}(?:\.\d{1,2})*\.(?=\s))",
    re.IGNORECASE,
)


def headings_of(sentence: Sentence) -> str:
    """The title and every heading above a sentence, and what else it is about."""
    chunk = sentence.chunk
    told = (chunk.title, chunk.section_path, *sentence.headings, sentence.about)
    return SEPARATOR.join(filter(None, told))


def nearest_of(sentence: Sentence) -> str:
    """The heading right above a sentence."""
    headings = sentence.headings
    return headings[-1] if headings else sentence.chunk.section_path.rpartition(SEPARATOR)[2]


def without_numbering(heading: str) -> str:
    """A heading without what numbers it."""
    return _NUMBERING.sub("", heading)


def all_above(sentence: Sentence) -> list[str]:
    """The headings above a sentence, the nearest first; the title is none."""
    path = sentence.chunk.section_path.split(SEPARATOR)
    return list(dict.fromkeys(h for h in reversed((*path, *sentence.headings)) if h != PREAMBLE))


def together(one: Sentence, other: Sentence) -> bool:
    """Whether two sentences stand below the same headings, as far as their chunks tell."""
    mine, theirs = one.chunk, other.chunk
    if mine.section_path != theirs.section_path:
        return False
    return one.headings == other.headings or abs(mine.chunk_index - theirs.chunk_index) > 1
