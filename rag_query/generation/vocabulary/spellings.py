"""How a name in Latin letters may be written otherwise: without its accents, as the people or the
language of a country, as whoever comes from a town."""

from __future__ import annotations

import re
import unicodedata
from itertools import takewhile

#: What a country, or a town, is called in another form that shares too few letters with it.
_NATIONS = {
    form: names
    for names in map(
        str.split,
        (
            "america american usa", "belgium belgian", "brazil brazilian", "britain british uk",
            "china chinese", "cuba cuban", "czechia czech", "denmark danish", "england english",
            "finland finnish", "france french", "germany german", "greece greek", "iraq iraqi",
            "ireland irish", "italy italian", "japan japanese", "netherlands dutch holland",
            "norway norwegian", "peru peruvian", "poland polish", "portugal portuguese",
            "scotland scottish scots", "spain spanish", "sweden swedish", "switzerland swiss",
            "thailand thai", "turkey turkish", "wales welsh",
            "cologne koln", "munich munchen", "vienna wien",
        ),
    )
    for form in names
}  # fmt: skip
#: Letters two forms of one name share at least: a portal is not in Portugal.
_STEM = 5
#: How one of them goes on behind these: Berlin and Berliner, Canada and Canadian.
_NAME_ENDINGS = frozenset(("", "a", "e", "y"))
_ENDINGS = frozenset(("n", "an", "ian", "er", "ish", "ese"))
#: Letters that are none with an accent.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"})
_UMLAUT = re.compile("(?<=[aou])e")


def folded(text: str) -> str:
    """A text in small letters without accents; ü, ue and u are one."""
    small = text.casefold().translate(_LETTERS)
    bare = "".join(c for c in unicodedata.normalize("NFKD", small) if not unicodedata.combining(c))
    return _UMLAUT.sub("", bare)


def is_derived(one: str, other: str) -> bool:
    """Whether two folded words are forms of one name: Norway and Norwegian, Berlin and Berliner."""
    if other in _NATIONS.get(one, ()):
        return True
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    shared = sum(1 for _ in alike)
    rests = (one[shared:], other[shared:])
    return shared >= _STEM and any(
        mine in _NAME_ENDINGS and theirs in _ENDINGS for mine, theirs in (rests, rests[::-1])
    )
