"""Where sentences begin and end, in English and in Chinese."""

from __future__ import annotations

import re

#: Words that end with a full stop inside a sentence.
_ABBREVIATED = (
    "mr mrs ms dr prof sr jr st vs etc al fig figs eq eqs vol pp cf ca approx inc ltd co corp "
    "dept est gov hon rep sen e.g i.e a.m p.m u.s u.k ph.d jan feb apr jul aug sep sept oct nov "
    "dec ref refs ed eds"
)
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
_CLOSERS = "\"'”’)\\]」』）】》»*_`"
_END = re.compile(
    rf"[。！？!?…]+[{_CLOSERS}]*\s*"  # full-width marks end a sentence whatever follows
    rf"|(?<!\.)\.+[{_CLOSERS}]*(?:\s+|$)"
    r"|[；;]\n\s*"
    r"|\n[^\S\n]*(?:\n\s*|(?=[-*+>|#]|\d{1,9}[.)]\s))"  # a blank line, or the next block
)
#: What such an end begins with; most characters are none, and are passed over quickly.
_MARK = re.compile(r"[。！？!?….；;\n]")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘（]*$")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of ``text``, in order.

    Returns:
        ``[(start, end), …]`` that cover ``text`` without gaps or overlaps (blanks after a
        sentence belong to it); empty for empty text. A decimal, a version, an abbreviation and
        an initial do not end a sentence; a blank line and a new list item do.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    looked_at = 0
    for mark in _MARK.finditer(text):
        match = _END.match(text, mark.start()) if mark.start() >= looked_at else None
        if match is None:
            continue
        looked_at = match.end()
        if match.end() > start and _ends(text, start, match):
            spans.append((start, match.end()))
            start = match.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    mark = match[0][0]
    if mark in "!?":
        # "a != b", "file?x=1": an ASCII mark needs a blank or the end behind it.
        after = text[match.end() : match.end() + 1]
        return not after or text[match.end() - 1].isspace() or after >= "\u2e80"
    if mark != ".":
        return bool(text[start : match.start()].strip()) or mark in "。！？…"
    if match.end() < len(text) and text[match.end()].islower():
        return False
    if match[0].startswith("..") or "\n\n" in match[0]:
        return True
    found = _LAST_WORD.search(text, max(start, match.start() - 40), match.start())
    word = found[0] if found else ""
    # An initial ("J. Smith") and the number of a list item ("1. Cut") stand before their text.
    initial = len(word) == 1 and word.isalpha() and word.isupper()
    numbered = word.isdigit() and not text[start : match.start() - len(word)].strip()
    return not (initial or numbered or word.lower() in _ABBREVIATIONS)
