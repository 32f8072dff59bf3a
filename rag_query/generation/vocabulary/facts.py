"""What a wrong answer would get wrong: numbers with their units, dates, names, negation.

The same readings serve the sufficiency check (does the evidence hold what is asked?) and the
verification of an answer (does the sentence say what its chunk says?). Both languages.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from rag_query.text.letter_case import lowered
from rag_query.text.months import MONTH_PATTERN
from rag_query.text.numerals import HAN_NUMERALS, HAN_POWERS, HAN_UP_TO_TEN, han_value

_UNITS = {
    "g": "g gram grams gramme grammes 克", "kg": "kg kilo kilos kilogram kilograms 千克 公斤",
    "jin": "斤", "mg": "mg 毫克",
    "ml": "ml milliliter milliliters millilitre millilitres 毫升",
    "l": "l liter liters litre litres 升",
    "mm": "mm millimeter millimeters 毫米", "cm": "cm centimeter centimeters 厘米 公分",
    "m": "m meter meters metre metres 米",
    "km": "km kilometer kilometers kilometre kilometres 公里 千米",
    "in": "inch inches 英寸", "ft": "ft foot feet 英尺", "mi": "mile miles 英里", "ly": "光年",
    "oz": "oz ounce ounces 盎司", "lb": "lb lbs pound pounds 磅", "t": "ton tons tonne tonnes 吨",
    "s": "s sec second seconds 秒 秒钟", "min": "min mins minute minutes 分钟",
    "h": "h hour hours 小时 个小时 钟头", "day": "day days 天 日 工作日 个工作日 自然日 个自然日",
    "week": "week weeks 周 星期 个星期",
    "month": "month months 个月 月", "year": "year years 年 岁",
    "%": "% percent 百分", "c": "℃ °c 摄氏度 度 degrees degree celsius",
    "yuan": "元 块钱 人民币 yuan cny rmb ¥", "dollar": "美元 dollar dollars usd $",
    "euro": "欧元 euro euros eur €", "sterling": "英镑 gbp £",
    "currency": "港元 港币 日元 韩元 加元 澳元 新元 台币 新台币 卢布 法郎 hkd jpy krw chf",
    "person": "人 位 名 people",
    "time": "次 times 回", "slice": "片 slice slices", "piece": "个 只 颗 粒 枚 块 pieces piece",
    "spoon": "勺 spoon spoons", "stick": "根 条 支", "point": "分 points point",
    "kcal": "大卡 千卡 卡路里 kcal calorie calories", "mb": "mb", "gb": "gb", "kb": "kb",
    "ms": "ms 毫秒", "db": "db decibel decibels 分贝",
}  # fmt: skip
#: A unit's spellings -> its name.
UNIT_OF = {alias: unit for unit, aliases in _UNITS.items() for alias in aliases.split()}
#: Names of units that are those of a date.
CALENDAR = frozenset({"year", "month", "day"})
#: Names of units that are money.
MONEY = frozenset({"yuan", "dollar", "euro", "sterling", "currency"})
#: Any spelling of a unit, the longest first.
UNIT_PATTERN = "|".join(sorted(map(re.escape, UNIT_OF), key=len, reverse=True))
#: What stands behind a number that is none of a measure.
NO_UNIT = rf"(?!\s*-?(?:{UNIT_PATTERN})(?![A-Za-z]))"
_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_WORD_NUMBERS = {word: value for value, word in enumerate(_NUMBER_WORDS.split())}
_CURRENCY = r"[$€£¥]|\b(?:USD|EUR|GBP|CNY|RMB)"
_NUMBER = re.compile(
    rf"(?:(?P<currency>{_CURRENCY})\s?)?"
    rf"(?P<digits>(?<![\w.])\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"(?:\s*(?P<power>[十百千万亿]))?\s*-?(?:(?:metric|short|long)\s)?(?P<unit>(?:{UNIT_PATTERN})(?![A-Za-z]))?"
    rf"|(?P<han>[{HAN_NUMERALS}]+)(?P<hanunit>{UNIT_PATTERN})?"
    rf"|\b(?P<word>{'|'.join(_WORD_NUMBERS)})\b(?:[\s-]+(?P<wordunit>(?:{UNIT_PATTERN})\b))?",
    re.IGNORECASE,
)
#: 7日内 and 超过30日 are spans of time.
_NO_SPAN = r"(?![以之]?内)"
_DATE = re.compile(
    rf"(?:1[0-9]|20)\d{{2}}\s*年?|\d{{3}}\s*年|[{HAN_UP_TO_TEN}]{{1,2}}月|初[{HAN_UP_TO_TEN}]"
    r"|年间|时期|朝代?|\d{1,2}\s*月(?:\s*\d{1,2}\s*[日号])?"
    r"|(?<![\d.])(?<!超过)(?<!不满)(?<!提前)(?<!少于)(?<!至少)(?<!逾期)"
    rf"\d{{1,2}}\s*(?:日{_NO_SPAN}|号)"
    r"|\d{1,2}[:：]\d{2}|世纪|年代|星期[一二三四五六日天]|周[一二三四五六日]|凌晨|上午|下午|晚上"
    rf"|\b(?:{MONTH_PATTERN}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|century|decade|noon|midnight)\b|\d{1,2}(?:st|nd|rd|th)\b|\d0s\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|cannot|nothing|nobody|hardly)\b|n't\b"
    r"|不(?!过|仅|但|断|同|少|久|错|妨|管|论)|没有?|未(?!来)|无(?!论|数|非)|非(?=[^常洲])|勿|莫|禁止|切忌|避免",
    re.IGNORECASE,
)
#: A letter, digit or underscore of what is written with blanks between its words: no kana, no
#: Hangul and no Chinese character, with which a name may run on.
WORD_CHARACTER = r"[^\W\u3040-\u9fff\uac00-\ud7a3]"
_CAPITALISED = rf"[A-Z](?:{WORD_CHARACTER}|[’'&-]|(?<=\d)\.(?=\d))*"
_LATIN_NAME = re.compile(
    rf"(?<!{WORD_CHARACTER}){_CAPITALISED}(?:\s+(?:(?:of|de|the|van|von)\s*)?{_CAPITALISED})*"
)
#: What may stand before the first word of a text.
_OPENING = " \t\n\"'“‘(*_#>-"
_ENDS_SENTENCE = ".!?:"
_LETTER = rf"(?!_){WORD_CHARACTER}"
#: Borders of a name: no letter on one of the two sides, nor the point of a number.
_BEGINS = rf"(?:(?<!{WORD_CHARACTER})|(?<=_)|(?!{_LETTER}))(?<!\d\.(?=\d))"
_ENDS = rf"(?:(?<!{WORD_CHARACTER})|(?<=_)|s?(?!{_LETTER}))(?!(?<=\d)\.\d)"
_BEGINS_HERE = re.compile(_BEGINS)
_ENDS_HERE = re.compile(_ENDS)
_HAN_WORD = re.compile(r"[\u4e00-\u9fff]{2,}$")
_QUOTED = re.compile(r"[《「『“\"]([^》」』”\"]{1,40})[》」』”\"]")


@dataclass(frozen=True, slots=True)
class Number:
    """A number as a value that can be compared, with its unit when one stands beside it."""

    value: str
    unit: str | None


def plain(text: str) -> str:
    """Full-width and compatibility forms as their plain ones."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def unit_of(said: str) -> str:
    """The name of a unit that :data:`UNIT_PATTERN` has found, whatever its case."""
    return UNIT_OF[lowered(said)]


def numbers(text: str) -> list[Number]:
    """Every number of ``text``: digits, Chinese numerals, English words up to twenty.

    A lone Chinese numeral counts only before a unit (一起 and 十分 are words, 一片 is a number).
    """
    found: list[Number] = []
    for match in _NUMBER.finditer(plain(text)):
        if digits := match["digits"]:
            value = float(digits.replace(",", "")) * HAN_POWERS.get(match["power"] or "", 1)
            found.append(Number(_text_of(value), _unit(match["currency"] or match["unit"])))
        elif han := match["han"]:
            if len(han) > 1 or match["hanunit"]:
                found.append(Number(_text_of(han_value(han)), _unit(match["hanunit"])))
        else:
            value = _WORD_NUMBERS[lowered(match["word"])]
            found.append(Number(_text_of(value), _unit(match["wordunit"])))
    return found


def values(text: str) -> frozenset[str]:
    """The values of :func:`numbers`, units aside."""
    return frozenset(number.value for number in numbers(text))


def dates(text: str) -> list[str]:
    """Years, days, months, weekdays and times of day."""
    return [match[0] for match in _DATE.finditer(plain(text))]


def negated(text: str) -> int:
    """How many negations a text holds."""
    return len(_NEGATION.findall(plain(text)))


def denied(text: str) -> list[str]:
    """What follows each negation of a text."""
    text = plain(text)
    return [text[match.end() :] for match in _NEGATION.finditer(text)]


def quoted(text: str) -> list[str]:
    """What stands in quotation marks or title marks."""
    return _QUOTED.findall(text)


def latin_names(text: str, *, skip_first: bool = True) -> list[str]:
    """Capitalised words and runs of them; the first word of a sentence tells nothing."""
    begins = len(text) - len(text.lstrip(_OPENING))
    found = []
    for match in _LATIN_NAME.finditer(text):
        first = match.start() <= begins or _ends_sentence(text, match.start())
        if not (skip_first and first and " " not in match[0] and not match[0].isupper()):
            found.append(match[0])
    return found


def stands_in(name: str, text: str) -> bool:
    """Whether a name stands in a text, be it in the plural: Miller in Mr Miller, API in APIs, but
    not Ann in Hanna, nor 5 in 3.5. Chinese ones have no borders."""
    at = text.find(name)
    while at >= 0:
        if _BEGINS_HERE.match(text, at) and _ENDS_HERE.match(text, at + len(name)):
            return True
        at = text.find(name, at + 1)
    return False


def _ends_sentence(text: str, end: int) -> bool:
    """Whether what stands before ``end`` ends a sentence. A copy of it for each name would cost
    the square of the text's length."""
    while end and text[end - 1].isspace():
        end -= 1
    return end > 0 and text[end - 1] in _ENDS_SENTENCE


def han_names(text: str, *flags: str) -> list[str]:
    """Chinese words of two and more characters whose part of speech begins with one of ``flags``:
    ``nr`` for people, ``ns`` for places, ``nt`` for bodies (the tags of jieba's dictionary and of
    its hidden Markov model for words it does not know)."""
    if text.isascii():
        return []
    import rjieba

    return [w for w, flag in rjieba.tag(text) if flag.startswith(flags) and _HAN_WORD.match(w)]


def _unit(said: str | None) -> str | None:
    return None if said is None else unit_of(said)


def _text_of(value: float) -> str:
    return f"{value:.10g}"
