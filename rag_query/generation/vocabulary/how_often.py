"""How often something is done: what asks for it, and what tells it. Both languages."""

from __future__ import annotations

import re

from rag_query.text.months import MONTH_PATTERN
from rag_query.text.numerals import HAN_NUMERALS

#: 多久校准一次 asks; its last word is apart from the verb.
_CHINESE = r"(?P<asks>多久|多长时间)(?P<verb>.*?)一次(?!性)"
_ASKS = re.compile(rf"{_CHINESE}|\bhow often\b", re.IGNORECASE | re.DOTALL)
_HAN_NUMBER = f"{HAN_NUMERALS}几数"
_HAN_PERIOD = (
    "(?:(?:工作|交易|自然)?(?:秒|分钟?|刻钟?|小时|钟头|天|[日夜晚早]|周|星期|礼拜|旬|月|季|[学财]?年|学期|班)"
    "|[批轮餐])"
)
_PERIOD = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun|week)?day|second|minute|hour|night|morning|evening|shift"
    r"|week(?:end)?|fortnight|month|quarter|season|spring|summer|autumn|winter|semester|term|year"
    rf"|annum|batch(?:es)?|cycle|(?-i:{MONTH_PATTERN}))"
)
_NUMBER = (
    r"(?:\d|(?:other|second|third|few|couple|two|three|four|five|six|seven|eight|nine|ten"
    r"|twelve)\b)"
)
#: What is done each time, or the third time, says nothing of how often that is; what is done after
#: each use, or at each visit, does. Between "every" and the time is what kind of one it is, or how
#: many ("business", "fifteen"); between 每 and a number what is done so long: 每行驶5000公里.
_TELLS = re.compile(
    rf"每[隔逢到]?[单双]?\s*(?:一?个?{_HAN_PERIOD}|半|一[百千万至到]|(?!一)[\d{_HAN_NUMBER}百千万])"
    r"|每(?!次)[^\W\d_]{2}\s*\d+(?:\.\d+)?\s*(?:万|千|个)?"
    rf"(?:{_HAN_PERIOD}|公里|千米|次)"
    rf"|每满\s*[\d{_HAN_NUMBER}]|[逐按][日周月季年](?![期龄级节长球])|天天|(?<!间)隔[天日周月年]"
    rf"|每次[^，,。；;]{{1,8}}[前后]"
    rf"|(?:周期|间隔)[^，,。；;]{{0,8}}?[\d{_HAN_NUMBER}]\s*个?{_HAN_PERIOD}"
    rf"|\bintervals?\b[^.,;]{{0,60}}?\b\d+[\s-]{_PERIOD}s?\b"
    rf"|(?<![第每这那上下后同任某前\d{_HAN_NUMBER}])(?<!第\s)(?:\d+|[{_HAN_NUMBER}]+)\s*次(?!性)"
    rf"|\b(?:every|each|per|times an?)\s+(?:{_NUMBER}|(?:[a-z]+[\s-])?{_PERIOD}s?\b)"
    r"|\b(?:after|before|at|on) (?:every|each)\b"
    r"|\b(?:once|twice|hourly|daily|nightly|(?:bi)?weekly|fortnightly|(?:bi)?monthly|quarterly|yearly"
    r"|(?:bi|semi)?annual(?:ly)?)\b",
    re.IGNORECASE,
)


def asks_how_often(question: str) -> bool:
    """Whether a question asks how often something is done."""
    return _ASKS.search(question) is not None


def tells_how_often(text: str) -> bool:
    """Whether a text tells how often something is done."""
    return _TELLS.search(text) is not None


def without_once(question: str) -> str:
    """A question, the word that stands apart from what asks how often blank."""
    return re.sub(_CHINESE, r"\g<asks>\g<verb> ", question, flags=re.DOTALL)
