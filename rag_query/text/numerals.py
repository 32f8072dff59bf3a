"""Numbers written in Roman and in Chinese numerals."""

from __future__ import annotations

HAN_DIGITS = {ch: value for value, ch in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
HAN_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
#: Every character of such a number.
HAN_NUMERALS = "".join((*HAN_DIGITS, *HAN_POWERS))
#: Those of the numbers that count chapters, steps, months and the like.
HAN_UP_TO_TEN = "一二三四五六七八九十"
ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
#: A pattern of the Roman numbers below 400, in capitals.
ROMAN = r"(?=[IVXLC])C{0,3}(?:X[CL]|L?X{0,3})(?:I[XV]|V?I{0,3})(?![IVXLC])"
#: The same but for a lone C and L: where nothing tells them from A, B and D, they are letters.
ROMAN_SURELY = rf"(?![CL](?![IVXLC])){ROMAN}"


def roman_value(roman: str) -> int:
    """XIV -> 14; letters of :data:`ROMAN_DIGITS` alone, in capitals."""
    digits = [ROMAN_DIGITS[letter] for letter in roman]
    pairs = zip(digits, [*digits[1:], 0], strict=True)
    return sum(-one if one < after else one for one, after in pairs)


def numeral_value(said: str) -> int | None:
    """12 -> 12, 十二 -> 12; None of what is neither digits nor Chinese numerals alone."""
    if said.isdecimal():
        return int(said)
    return int(han_value(said)) if said and set(said) <= set(HAN_NUMERALS) else None


def han_value(han: str) -> float:
    """三千五百 -> 3500, 二〇一六 -> 2016, 十二 -> 12; digits and powers alone."""
    if not any(ch in HAN_POWERS for ch in han):
        return float("".join(str(HAN_DIGITS[ch]) for ch in han))
    total, section, digit = 0, 0, 0
    for ch in han:
        if ch in HAN_DIGITS:
            digit = HAN_DIGITS[ch]
        elif (power := HAN_POWERS[ch]) >= 10_000:
            total += (section + digit or 1) * power
            section = digit = 0
        else:
            section += (digit or 1) * power
            digit = 0
    return float(total + section + digit)
