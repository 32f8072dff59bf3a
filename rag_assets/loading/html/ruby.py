"""Ruby: the words that are read first, and behind them in brackets how they are said.

``<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>`` is ``漢字(かんじ)``, so that the word is found. Rubies
that stand side by side are one, as a word may have one for each of its characters.
"""

from __future__ import annotations

import re
from itertools import groupby

from rag_assets.loading.html.tree import Element, flat, texts

_READINGS = frozenset({"rt", "rtc"})
#: Brackets for readers that draw no ruby.
_BRACKETS = "rp"
#: Readings that are written without blanks between them.
_KANA = re.compile(r"[\u3040-\u30ff\u3100-\u312f]+")


def read_out(children: list[Element | str]) -> list[Element | str]:
    """Inline content with the words and readings of its rubies in place of them."""
    if not any(map(_is_ruby, children)):
        return children
    found: list[Element | str] = []
    for is_ruby, group in groupby(children, key=_is_ruby):
        run = list(group)
        found += _words_and_readings(run) if is_ruby else run
    return found


def _is_ruby(child: Element | str) -> bool:
    return isinstance(child, Element) and child.tag == "ruby" and child.shown


def _words_and_readings(rubies: list[Element | str]) -> list[Element | str]:
    words: list[Element | str] = []
    readings: list[str] = []
    for ruby in rubies:
        for child in ruby.children if isinstance(ruby, Element) else ():
            if isinstance(child, str):
                words.append(child)
            elif child.tag in _READINGS:
                readings.append(flat("".join(texts(child))))
            elif child.tag != _BRACKETS:
                words.append(child)
    said = list(filter(None, readings))
    joint = "" if all(map(_KANA.fullmatch, said)) else " "
    return [*words, f"({joint.join(said)})"] if said else words
