"""Small letters of what was found whatever its case."""

from __future__ import annotations

#: The letters that ``re.IGNORECASE`` takes for one of ASCII and ``str.lower`` leaves another:
#: MİN, and K where it is the sign of kelvin.
_TWINS = str.maketrans({"İ": "i", "ı": "i", "ſ": "s", "\u212a": "k"})


def lowered(text: str) -> str:
    """A match of a pattern in ASCII that ignores case, as the pattern spells it in small
    letters."""
    return text.translate(_TWINS).lower()
