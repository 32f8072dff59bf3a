"""Operators in a question's text.

* ``"a phrase"``: the words must stand together. Typographic quotes (“…”, 「…」) are common in
  prose, so a phrase in them only ranks higher.
* ``+term``, ``+"a phrase"``: must occur. ``-term``, ``-"a phrase"``: must not.
* ``foo*``: words that begin so; ``foo~``, ``foo~1``, ``foo~2``: words within one or two edits.
  Both also after ``+`` and ``-``.

An operator stands at the beginning (``*`` and ``~``: at the end) of a word. Something that would
leave nothing to search for, an unbalanced quote, and a dash before a digit, a dash or a single
letter are plain text; so are ``*`` after a single Latin letter, ``~`` within a path, and either
after more than 100 characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: No word is longer, and what fits a long one takes seconds to look for.
_MAX_WILD = 100
_WILD = re.compile(
    r"(?P<word>[^\s\"*~]*[^\W_])(?:(?P<star>\*)|~(?P<edits>[12]?))(?=[\s,;:!?。，；：！？)]|$)"
)
_OPERATOR = re.compile(
    r"""(?<!\S)(?P<sign>[+-]?)"(?P<phrase>[^"]*)"(?=[\s.,;:!?。，；：！？)]|$)"""
    # Atomic: what a quote forbids to a whole term it forbids to each of its beginnings.
    r"""|(?<!\S)(?P<mark>[+-])(?P<term>(?>[^\W\d_](?:[^\s"]*[^\W_])?(?:\*|~[12]?)?))(?!\S*["*~])"""
    r"""|(?<!\S)(?P<wild>[^\s"+*~-][^\s"*~]*(?:\*|~[12]?))(?=[\s,;:!?。，；：！？)]|$)"""
    r"""|[“「『](?P<soft>[^“”「」『』]+)[”」』]"""
)


@dataclass(frozen=True, slots=True)
class Wild:
    """A word of which not every letter is given.

    Attributes:
        word: the letters.
        edits: 1 or 2 for ``~``; None for ``*``, a prefix.
    """

    word: str
    edits: int | None


@dataclass(frozen=True, slots=True)
class Operators:
    """A text without its operators, and what they said.

    ``unheeded`` are exclusions that stand alone: without anything to look for they are words.
    ``wild`` are words with ``*`` or ``~``, as they were written; ``required`` and ``excluded`` may
    hold such words too (:func:`read_wild` tells).
    """

    plain: str
    phrases: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    wild: tuple[str, ...] = ()
    unheeded: tuple[str, ...] = ()


def read_operators(text: str) -> Operators:
    """All of it plain when nothing to search for would be left."""
    phrases: list[str] = []
    required: list[str] = []
    excluded: list[str] = []
    wild: list[str] = []

    def read(match: re.Match[str]) -> str:
        if (soft := match["soft"]) is not None:
            phrases.append(soft.strip())
            return match[0]
        if (word := match["wild"]) is not None:
            if (found := read_wild(word)) is None:
                return match[0]
            wild.append(word)
            return f" {found.word} "
        sign = match["sign"] or match["mark"] or ""
        content = (match["phrase"] if match["phrase"] is not None else match["term"]).strip()
        if not any(ch.isalnum() for ch in content) or (match["term"] and len(content) < 2):
            return match[0]
        if sign == "-":
            excluded.append(content)
            return " "
        required.append(content)
        found = read_wild(content)
        return f" {found.word if found else content} "

    plain = " ".join(_OPERATOR.sub(read, text).split())
    if not any(ch.isalnum() for ch in plain):
        return Operators(text, unheeded=tuple(excluded))
    return Operators(plain, tuple(phrases), tuple(required), tuple(excluded), tuple(wild))


def read_wild(word: str) -> Wild | None:
    """What ``foo*`` or ``foo~1`` asks for; None for any other text."""
    found = _WILD.fullmatch(word)
    if found is None:
        return None
    letters = found["word"]
    if len(letters) > _MAX_WILD:
        return None
    # One Latin letter begins half the words there are; one character of Chinese is a word.
    if len(letters) < 2 and letters.isascii():
        return None
    if found["star"]:
        return Wild(letters, None)
    return None if "/" in letters else Wild(letters, int(found["edits"] or 1))
