"""Cyrillic that a PDF says in the letters of Western Europe.

TeX's bitmap fonts, and others that name no characters, are read by the numbers of their glyphs. In
Windows-1251 and in TeX's encoding T2A those of Cyrillic are the numbers that É, à and the like have
elsewhere, and Руководство is read as Ðóêîâîäñòâî.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from rag_assets.loading.pdf.extraction.blocks import Line, PageContent

#: Four letters from U+00C0-00FF beside each other, in UTF-8: few pages have such words.
_BYTES = b"\xc3"
_PRINTED = re.compile(rb"\xc3[\x80-\xbf](?:\xc3[\x80-\xbf]){3}")
#: Of a word of nothing else; no language of Western Europe has more than a few.
_WORD = re.compile(r"(?<![A-Za-z\u0100-\u024f])[\u00c0-\u00ff]{4,}(?![A-Za-z\u0100-\u024f])")
#: A document is Cyrillic that has so many of them, of which о, а, е, и, н and т are so large a
#: share: nearly half of Russian, a third of other alphabets read by these numbers at most.
_WORDS = 8
#: Within a word; where there are as many, the document is in Latin letters too.
_MIXED = re.compile("[A-Za-z][\u00c0-\u00ff]|[\u00c0-\u00ff][A-Za-z]")
_USUAL = re.compile("[\u00ee\u00e0\u00e5\u00e8\u00ed\u00f2]")
_USUAL_SHARE = 0.37
#: What is written for each of them, and for letters that stand elsewhere: ё, and і, ї and є of
#: Windows.
_LETTERS = {0xC0 + at: 0x410 + at for at in range(64)}
_INSIDE = {"¸": "ё", "¼": "ё", "¨": "Ё", "³": "і", "¿": "ї", "º": "є"}
_RUN, _RUN_OF_TWO = (
    re.compile(
        r"(?<![A-Za-z])(?:[¸¼¨³¿º](?=[\u00c0-\u00ff])|(?<=[\u00c0-\u00ff])[¸¼]|[\u00c0-\u00ff])"
        rf"{{{least},}}(?![A-Za-z])"
    )
    for least in (1, 2)
)
_TO_CYRILLIC = _LETTERS | str.maketrans(_INSIDE)


def may_hold_cyrillic(data: bytes) -> bool:
    """Whether words that may be Cyrillic stand on a page, as printed."""
    return _BYTES in data and _PRINTED.search(data) is not None


def write_cyrillic(pages: Sequence[PageContent]) -> None:
    """Write the words of a document in the letters they are drawn with, where it is Cyrillic.

    Args:
        pages: those of its pages that may hold such words.
    """
    words: set[str] = set()
    mixed = 0
    for page in pages:
        for line in _lines(page):
            words.update(_WORD.findall(line.text))
            mixed += len(_MIXED.findall(line.text))
    letters = "".join(words)
    if len(words) < _WORDS or len(_USUAL.findall(letters)) < _USUAL_SHARE * len(letters):
        return
    # Where words of other letters hold accented ones, à and the like are words of theirs.
    run = _RUN_OF_TWO if mixed >= _WORDS else _RUN
    for page in pages:
        for line in _lines(page):
            line.text = run.sub(_as_cyrillic, line.text)


def _as_cyrillic(run: re.Match[str]) -> str:
    return run[0].translate(_TO_CYRILLIC)


def _lines(page: PageContent) -> list[Line]:
    """Those of a page, each once: in tables too."""
    each = chain(filter(None, page.extracted), page.lines())
    return list({id(line): line for line in each}.values())
