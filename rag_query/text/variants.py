"""One form for the variants of a Han character, by OpenCC's tables.

Traditional characters and Japanese new forms become simplified ones, character by character, so
that 臺灣 and 台湾, 検索 and 检索 give the same tokens. Phrases are not looked at: what a character
becomes must not depend on what stands around it, or a question and a text would part.
"""

from __future__ import annotations

from functools import lru_cache

_RANGES = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))


@lru_cache(maxsize=1)
def simplified_forms() -> dict[int, str]:
    """A table for ``str.translate``: code point -> its simplified character.

    A Japanese form is folded only where it is no simplified character of its own: 検, but not 欠,
    which Chinese uses in another sense.
    """
    import opencc

    characters = [chr(code) for low, high in _RANGES for code in range(low, high)]
    lines = "\n".join(characters)
    to_simplified = opencc.OpenCC("t2s").convert
    from_japanese = to_simplified(opencc.OpenCC("jp2t").convert(lines)).split("\n")
    table: dict[int, str] = {}
    for character, simple, japanese in zip(
        characters, to_simplified(lines).split("\n"), from_japanese, strict=True
    ):
        if simple != character:
            table[ord(character)] = simple
        elif japanese != character and not _is_simplified(character):
            table[ord(character)] = japanese
    return table


def _is_simplified(character: str) -> bool:
    try:
        character.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True
