"""Which language a text is in, at the grain evidence needs: ``zh``, ``en`` or ``other``.

Scripts decide, not words: the question is which analysis and which model can read the text.
Text in Latin letters is ``en`` whatever its language, as the same stemming and models apply.
"""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["zh", "en", "other"]

#: Characters looked at; a document's first pages tell its language.
SAMPLE_CHARS = 4000
#: A Han character says about as much as this many Latin letters, and Chinese documents on
#: technical subjects are full of code and names.
_LETTERS_PER_HAN = 4
#: Share of kana among kana and Han above which the text is Japanese; Chinese uses の at most.
_JAPANESE_SHARE = 0.1

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_KANA = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f]+")
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]+")
_ASCII = re.compile("[\x00-\x7f]+")
_ASCII_LETTERS = re.compile("[A-Za-z]+")
_OTHER_LATIN = re.compile("[\u00c0-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]+")
_OTHER = re.compile(r"[^\W\d_]+")
#: Of a Markdown text, as badges may fill its first lines.
_MARKDOWN_CHARS = 4 * SAMPLE_CHARS
#: Images, and what follows the words of a link; no character is looked at twice.
_DESTINATION = r"\([^\s()]*+(?:\([^\s()]*+\)[^\s()]*+)*+(?:\s++\"[^\"\n]*+\")?+\s*+\)"
_IMAGE = re.compile(rf"!\[[^\[\]\n]*+\](?:{_DESTINATION}|\[[^\[\]\n]*+\])")
_TARGET = re.compile(rf"(?<=\]){_DESTINATION}")
_TAG_OR_ADDRESS = re.compile(r"</?[A-Za-z][^<>]*+>|https?://[!-~]++")


def detect_language(text: str) -> Language:
    """The language of ``text`` by the share of its scripts.

    Args:
        text: any text; only the first :data:`SAMPLE_CHARS` characters are read.

    Returns:
        ``zh`` when Han characters carry the text, ``en`` when Latin letters do, ``other`` for
        Japanese, Korean, every other script and text without letters.
    """
    sample = text[:SAMPLE_CHARS]
    # Of ASCII, all letters are Latin: the other scripts are looked for in what is left.
    latin = _count(_ASCII_LETTERS, sample)
    if sample.isascii():
        return "en" if latin else "other"
    wide = _ASCII.sub("", sample)
    han, kana, hangul = _count(_HAN, wide), _count(_KANA, wide), _count(_HANGUL, wide)
    wide_latin = _count(_OTHER_LATIN, wide)
    rest = _count(_OTHER, wide) - han - kana - hangul - wide_latin
    latin += wide_latin
    if kana and kana >= _JAPANESE_SHARE * (kana + han):
        han, kana = 0, kana + han
    weights: dict[Language, float] = {
        "zh": han * _LETTERS_PER_HAN,
        "en": latin,
        "other": max((kana + hangul) * _LETTERS_PER_HAN, rest),
    }
    best = max(weights, key=lambda language: weights[language])
    return best if weights[best] > 0 else "other"


def markdown_language(md: str) -> Language:
    """The language of what a Markdown text says to its reader: as :func:`detect_language`, without
    images, HTML tags and the addresses of links, which are in Latin letters whatever it says."""
    found = detect_language(md)
    beginning = md[:_MARKDOWN_CHARS]
    # Only Latin letters can become fewer, and where there are no others nothing changes.
    if found != "en" or beginning.isascii():
        return found
    words = _TARGET.sub("", _IMAGE.sub("", beginning))
    words = _TAG_OR_ADDRESS.sub("", words)
    return detect_language(words) if any(map(str.isalpha, words)) else found


def _count(pattern: re.Pattern[str], sample: str) -> int:
    return sum(map(len, pattern.findall(sample)))
