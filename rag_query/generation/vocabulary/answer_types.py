"""What kind of thing would answer a question, and whether a text holds one. Both languages."""

from __future__ import annotations

import re
from enum import StrEnum

from rag_query.generation.vocabulary.colours import ASKS_COLOUR, names_colour
from rag_query.generation.vocabulary.facts import (
    CALENDAR,
    MONEY,
    UNIT_PATTERN,
    Number,
    dates,
    han_names,
    numbers,
    unit_of,
    values,
)
from rag_query.generation.vocabulary.how_often import asks_how_often, tells_how_often
from rag_query.generation.vocabulary.locators import locator_asked
from rag_query.generation.vocabulary.people_and_places import people, places
from rag_query.text.months import MONTH_PATTERN
from rag_query.text.numerals import HAN_UP_TO_TEN


class AnswerType(StrEnum):
    """What kind of thing answers a question."""

    NUMBER = "number"
    DATE = "date"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"
    METHOD = "method"
    YES_NO = "yes_no"
    COLOUR = "colour"
    LOCATOR = "locator"
    OTHER = "other"


_AUXILIARY = "is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|may|might|must"
_WH = ("what", "which", "how", "why", "who", "when", "where")


#: "What does it weigh?", "what is the price of it?": only a number answers. A cost or a weight of
#: evidence may be told in words.
_WHAT_IT_DOES = (
    r"\bwhat (?:does|do|did|would|will)\b(?:(?!\b(?:if|when|that)\b).){{0,200}}\b{verb}\b"
    r"(?=\W*$|\s+(?:in|on|at|for|per|to|from|with|without|me|us|now|today|when|if)\b)"
)
_COST = (
    _WHAT_IT_DOES.format(verb="cost")
    + r"|\bwhat(?:['’]s| is| was| are| were) (?:\w+ ){0,4}(?:prices?|salary|salaries) of\b"
    r"|\bwhat(?:['’]s| is| was) the (?:\w+ ){0,3}(?:fine|fee|fare|toll) (?:of|for)\b"
)
_PAYS = (
    r"\bhow much (?:does|do|did|would|will|must|should)\b.{0,200}\b(?:cost|pay|charge)\b"
    r"|(?<![耗花浪消])费用?(?:标准)?(?:[是为要]|需要)?多少(?![时天人力小分年月日个次])"
    r"|(?:[单售票房标原现定报均]价|价格|价钱)(?:[是为要]|需要)?多少(?![时天人小分年月日个次])"
)
#: "How much is the coffee?" asks for a price, "… the discount?" for a share: any number may be it.
_MAY_BE_PRICE = re.compile(r"\bhow much(?:['’]s| (?:is|are|was|were))\b", re.IGNORECASE)
_WEIGHT = _WHAT_IT_DOES.format(verb="weigh")
#: A thing may have a name too.
_NAMED_PERSON = r"(?:(?<!机器)人|[长员师他她])叫什么名字"


def _asks(word: str) -> str:
    """A word that asks and does not join clauses: "what helps when it rains?" asks for no date."""
    others = "|".join(other for other in _WH if other != word)
    word = f"{word}(?:m|se)?" if word == "who" else word
    return (
        rf"^\W*{word}\b(?!.*[,;:]\s*(?:\w+\s+)?(?:{others})\b)"
        rf"|^(?!\W*(?:{_AUXILIARY})\b)(?!.*\b(?:{others})\b).*\b{word}\b"
        rf"|(?:[,;:]|\b(?:and|or|by|to|with|of|from|for|in|since|until))\s+{word}"
        rf"\s+(?:{_AUXILIARY})\b|\b{word}\W*$"
    )


_TYPES: tuple[tuple[AnswerType, re.Pattern[str]], ...] = tuple(
    (kind, re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL))
    for kind, patterns in (
        (AnswerType.COLOUR, (ASKS_COLOUR,)),
        (AnswerType.DATE, (
            r"什么时[候间]|何时|哪一?[年天日月]|(?<!第)几[月号点]|日期|时间是|(?<!多少)(?<!多长)时间[？?]?$|年份",
            r"\b(?:what|which) (?:year|date|day|month|century|decade|time)\b", _asks("when"),
        )),
        (AnswerType.NUMBER, (
            r"多少|(?<!哪)几(?!乎|何)|多[大长高久重远宽深]|百分之几|数量|人数|次数|比例",
            r"(?:病例数|营收|净利润|票房|增速|增长率|规模|市值|售价|GDP)[？?]?$",
            r"\bhow (?:many|much|long|old|far|tall|often|large|big|high|deep|wide|thick|fast)\b",
            r"\bhow (?:soon|heavy|hot|cold|warm)\b",
            r"\bwhat (?:percentage|percent|number|portion|fraction|amount|size)\b",
            _COST, _WEIGHT,
        )),
        (AnswerType.PERSON, (
            rf"谁|哪一?[位名]|何人|{_NAMED_PERSON}",
            r"(?:主演|导演|总统|主席|总理|首席执行官|创始人|作者|主持人|男主角|女主角)[？?]?$",
            _asks("who"),
        )),
        (AnswerType.PLACE, (
            r"哪里|哪儿|何[处地]|在哪|哪[个座]?(?:城市|国家|地方|省|市|县|洲)|地点|(?:举办地|首都)[？?]?$",
            r"\b(?:what|which) (?:city|country|state|place|region|continent)\b", _asks("where"),
        )),
        (AnswerType.REASON, (r"为什么|为何|原因|\bwhy\b",)),
        (AnswerType.METHOD, (r"怎么|如何|怎样|\bhow (?:do|to|can|does|should|did|is|are)\b",)),
        (AnswerType.YES_NO, (
            r"吗[？?]?\s*$|是否|是不是|能不能|可不可以", rf"^\s*(?:{_AUXILIARY})\b",
        )),
    )
)  # fmt: skip

#: Units a question may ask for, the word that asks before them.
_ASKED_UNIT = re.compile(
    rf"(?:多少|几)[万亿]?(?P<zh>{UNIT_PATTERN})|\bhow many (?P<en>{UNIT_PATTERN})\b", re.IGNORECASE
)
_DURATIONS = frozenset({"ms", "s", "min", "h", "day", "week", "month", "year"})
_LENGTHS = frozenset({"mm", "cm", "m", "km", "in", "ft", "mi", "ly"})
_MASSES = frozenset({"mg", "g", "kg", "jin", "oz", "lb", "t"})
_ASKED_KIND: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = (
    (
        re.compile(r"多少钱|营收|净利润|票房|市值|售价|金额|GDP(?!.*增)"),
        MONEY,
    ),
    (re.compile(f"{_COST}|{_PAYS}", re.IGNORECASE), MONEY | {"%"}),
    (re.compile(_WEIGHT, re.IGNORECASE), _MASSES),
    (
        re.compile(r"百分之|增速|增长率|比例|占比|涨幅|(?:增长|下降|上涨)(?:了|率)?多少|\bpercent"),
        frozenset({"%"}),
    ),
    (re.compile(r"人数|多少人|几人|\bhow many people\b", re.IGNORECASE), frozenset({"person"})),
    (
        re.compile(r"多大(?![年岁])|\bhow (?:big|large)\b", re.IGNORECASE),
        _LENGTHS | _MASSES | MONEY | {"l", "ml", "kb", "mb", "gb", "%", "person"},
    ),
    (re.compile(r"多大(?!年纪)"), frozenset({"year"})),
)
#: Degrees that only a number with such a unit tells ("how heavy", 多久).
_MEASURES: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), units)
    for pattern, units in (
        (r"多久|多长时间|\bhow (?:often|soon)\b", _DURATIONS),
        (r"多长(?!时间)|\bhow long\b", _DURATIONS | _LENGTHS),
        (r"多[远深宽厚](?![圳带度])|\bhow (?:far|tall|deep|wide|thick)\b", _LENGTHS),
        (r"(?<!最)多重(?![要复试])|\bhow heavy\b", _MASSES),
        (r"多[热冷]|\bhow (?:hot|cold|warm)\b", frozenset({"c"})),
        (r"多大年纪|几岁|\bhow old\b", frozenset({"year"})),
    )
)
_EVENT = re.compile(
    r"^\W*when (?:was|were|did)\b|\b(?:what|which) year\b|(?:哪一?|何)年(?!级)", re.IGNORECASE
)
#: What tells when something happened besides a date: an age, a dynasty, a year without more, what
#: went on then.
_TOLD_TIME = re.compile(
    r"\b(?:centur(?:y|ies)|dynasty|reign(?:ed)?|era|epoch|period|ages?|BCE?|AD|CE|ago|yesterday"
    r"|(?:last|that|same) (?:year|month|week|day|night)|spring|summer|autumn|winter|in \d{3,4}"
    r"|when|while|during|after|before|until|once|as soon as|at the (?:time|age|end|beginning))\b"
    r"|公元|在位|[年岁]前|昨[天日]|去年|前年|当[时年]|[的之]?时候?(?=[，,。])|期间|[以之]?[前后](?=[，,。])|[春夏秋冬][天季]",
    re.IGNORECASE,
)
#: Measures without a number of their own, or whose unit stands behind more than a number.
_HALF = re.compile(r"半(?:个?[年月天]|小时)|\bhalf\b|永久|终身|\bpermanent", re.IGNORECASE)
#: From or to when something goes, or its end; one date without says no time that it takes.
_UP_TO = re.compile(
    r"\b(?:until|till|to|since|from|through|by|before|between|ends|ended|expires?|closes?"
    r"|deadline)\b"
    r"|[至到起自从止]|以来|为止|结束|失效|(?<=[日月号])前|\d\s?[-–~～]\s?\d",
    re.IGNORECASE,
)
#: What goes on still has gone on since a single date: "How long has she worked here?"
_SO_FAR = re.compile(r"\bhow long (?:has|have)\b|多(?:久|长时间)了", re.IGNORECASE)
_LARGE = re.compile(
    r"\b(?:thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion)\b",
    re.IGNORECASE,
)
_AGE = re.compile(r"\b(?:aged?|age of|old)\b|年龄|享年", re.IGNORECASE)
#: A number alone in its cell: the head of the column may give its unit.
_BARE_CELL = re.compile(r": [\d.,]+(?=;|$)")
_MONTH = f"(?:{MONTH_PATTERN})"
#: Days of months, with the year, and codes (CP-80, 4xx) count nothing.
_NO_NUMBER = re.compile(
    rf"(?:\b\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}\b|\b{_MONTH}\s+(?:0?[1-9]|[12]\d|3[01])\b)"
    r"(?:,?\s+(?:1[5-9]|20)\d\d\b)?"
    r"|(?:\d{2,4}\s*年\s*)?\d{1,2}\s*月\s*\d{1,2}\s*[日号]|(?:\d{2,4}\s*年\s*)?\d{1,2}\s*月(?!\d)"
    r"|(?<![A-Za-z\d])(?!(?:RMB|CNY|USD|EUR|GBP|HKD)\d)[A-Za-z]+-?\d[A-Za-z\d-]*|\b\d+xx?\b"
)
#: Units that no number is told in elsewhere: "3.5 折优惠", not "3.5 折旧".
_COUNTED = (
    r"[万亿倍](?![能一率])|折(?![旧算叠])|成(?=[的左以，。；、]|$)|学[分时]|(?:千|兆)瓦|公顷"
    r"|[平立]方(?:米|公里|厘米|分米)|亩|海里"
)
#: What an item or a clause begins with: (1), 3.3.1, 第七条.
_ITEM_NUMBER = re.compile(
    rf"^\W*第[{HAN_UP_TO_TEN}百\d]{{1,4}}[条章节款项]"
    r"|^\W*?[(（]\d{1,2}[)）]|^\W*\d{1,2}(?:\.\d{1,2}){2,}(?=\s|$)"
    rf"|^\W*\d{{1,2}}\.\d{{1,2}}(?=\s+(?!{UNIT_PATTERN}|{_COUNTED})[\u4e00-\u9fff])"
)
#: A quantity told in words.
_VAGUE = re.compile(
    rf"[两二三四五六七八九十几数百]+[种倍]|[很许]多|大量|大片|大部分|多数|没有一|半数|一半|第[{HAN_UP_TO_TEN}]"
    r"|\b(?:once|twice|many|several|most|none|half|vast|dozens?|hundreds|thousands|millions)\b",
    re.IGNORECASE,
)
#: What may tell a sum of money in words: half the rent, 票价的两倍, millions.
_VAGUE_SUM = re.compile(
    r"[两二三四五六七八九十几数百]+倍|半价|一半|半数"
    r"|\b(?:twice|half|dozens?|hundreds|thousands|millions)\b",
    re.IGNORECASE,
)
#: Things and people are counted: how many chairs, 多少员工, 几辆车.
_COUNTS_THINGS = re.compile(
    r"\bhow many\b|(?<!排)(?<!排第)(?:多少|(?<!第)几)[个只位名人台辆户间张件套本层家所座棵扇把盏]"
    r"|多少[\u4e00-\u9fff]{0,3}[员生师工民客者]",
    re.IGNORECASE,
)
#: Units they are counted in; how much of a food is as good as how many.
_OF_THINGS = _MASSES | {"person", "piece", "time", "stick", "slice", "spoon", "l", "ml", "%", None}
#: Grades and times of day are neither sums of money nor people or things.
_NO_SUM = re.compile(
    r"(?<!\d)\d{1,3}\s?级|(?<!\d)\d{1,2}\s?时(?!间)(?:\s?\d{1,2}\s?分)?|(?<!\d)\d{1,2}[:：]\d{2}(?!\d)"
)
#: What tells one of many by its place, its number or its year does not count them.
_NO_COUNT = re.compile(
    r"\b\d+(?:st|nd|rd|th)\b|第\s?\d+|\d+\s?号|\b(?:in|since|until) (?:1[5-9]|20)\d\d\b",
    re.IGNORECASE,
)
#: What is counted is no sum of money, though its unit is none of a measure: 14 units, 3 瓶, and
#: nor are what a thing is marked or called and a share of people: 1 in 10.
_NO_MONEY = re.compile(
    rf"[\"“][^\"”]{{1,20}}[\"”]"
    r"|\b\d{1,2}\s(?:in|out of)\s(?!(?:19|20)\d\d\b)\d+"
    r"|(?:\d[\d.,]*\s(?:or|and|to)\s)?"
    r"(?:\d[\d.,]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)"
    rf"|[{HAN_UP_TO_TEN}]+)(?:\s?[瓶盒袋套台份页件本张层座辆间户款]|[\s-](?:units?|tablets?|capsules?"
    r"|pills?|doses?|bottles?|boxes|packs?|items?|copies|pages|users?|seats?|guests?|visitors?"
    r"|members?|employees?|patients?|children|adults|persons?|nights?|rooms?|tickets?)\b)",
    re.IGNORECASE,
)
#: 一个, 一次, 一支 are articles as often as numbers.
_ARTICLES = frozenset({"piece", "time", "stick", "point", "slice"})
#: Who holds an office is asked. A role or a body may tell, but a name tells best.
_WHO_IT_IS = re.compile(
    r"^\W*who(?:['’]s|\s+(?:is|was))\s+(?:(?:the|our|your|my|its|their|an?)\b|\w+['’]s?\s)"
    r"(?!.*\b(?:for|to|by|with|from)\W*$)"
    rf"|是谁(?!的)|{_NAMED_PERSON}|哪一?位(?!数)",
    re.IGNORECASE,
)
#: "Who is Ada Stern?"
_NAMES_WHOM = re.compile(
    r"^\W*[Ww]ho(?:['’]s| is| was| are| were)(?: the)?(?: [A-Z][\w.'’-]*)+\W*$"
)
#: Someone named is asked about: "苏浅是谁".
_ABOUT_SOMEONE = re.compile(r"^(?:请问|那么?)?\s*([\u4e00-\u9fff·]{2,12}|[A-Za-z .·-]+?)\s*是谁")


def answer_type(text: str) -> AnswerType:
    """What kind of thing would answer; ``OTHER`` when no rule says."""
    if locator_asked(text) is not None:
        return AnswerType.LOCATOR
    for kind, pattern in _TYPES:
        if pattern.search(text):
            return kind
    return AnswerType.OTHER


def asked_units(text: str) -> frozenset[str]:
    """The units a question about a number asks for; empty when it names none."""
    found = {unit_of(match["zh"] or match["en"]) for match in _ASKED_UNIT.finditer(text)}
    for pattern, units in (*_ASKED_KIND, *_MEASURES):
        if pattern.search(text):
            found |= units
    return frozenset(found)


def asks_price(text: str, units: frozenset[str]) -> bool:
    """Whether a question asks for a sum of money alone, see :func:`asked_units`, or may do so."""
    is_sum = not units.isdisjoint(MONEY) and units <= MONEY | {"%"}
    return is_sum or (not units and _MAY_BE_PRICE.search(text) is not None)


def asks_measure(text: str) -> bool:
    """Whether only a number with a unit answers: "how heavy", 多久."""
    return any(pattern.search(text) for pattern, _ in _MEASURES)


def asks_event(text: str) -> bool:
    """Whether a date is asked for: what has happened, has happened on some day. What happens time
    and again ("when is the shutter closed?") may do so after something else."""
    return _EVENT.search(text) is not None


def asks_who(text: str) -> bool:
    """Whether a name that the question does not hold tells best: of whoever holds an office."""
    if _WHO_IT_IS.search(text) is None:
        return False
    said = _ABOUT_SOMEONE.match(text.strip())
    if said is None:
        return True
    name = said[1]
    if name.isascii():
        return not name.istitle()
    return "·" not in name and han_names(name, "nr") != [name]


def names_whom(text: str) -> bool:
    """Whether a question asks who someone is whom it names."""
    return _NAMES_WHOM.search(text) is not None or (
        _WHO_IT_IS.search(text) is not None and not asks_who(text)
    )


def tells_time(question: str, text: str) -> bool:
    """Whether a text tells of an event, without a date, when it was: in the Ming dynasty, when the
    pressure rose. What the question says itself tells nothing."""
    given = {said.lower() for said in _TOLD_TIME.findall(_EVENT.sub(" ", question))}
    return not {said.lower() for said in _TOLD_TIME.findall(text)} <= given


def tells_vaguely(text: str) -> bool:
    """Whether a text tells a quantity in words, which no rule takes for a number."""
    return _VAGUE.search(text) is not None or _LARGE.search(text) is not None


def tells_sum(text: str) -> bool:
    """Whether a text tells a sum of money in words, which no rule takes for a number."""
    return _VAGUE_SUM.search(text) is not None or _LARGE.search(text) is not None


def holds_type(
    kind: AnswerType, units: frozenset[str], question: str, given: frozenset[str], text: str
) -> bool:
    """Whether a text holds something of the kind asked that the question does not name itself.

    Args:
        units: see :func:`asked_units`.
        given: the values the question names.
    """
    text = _ITEM_NUMBER.sub(" ", text)
    match kind:
        case AnswerType.NUMBER if asks_measure(question):
            return _measures(question, units, given, text)
        case AnswerType.NUMBER:
            said = _NO_NUMBER.sub(" ", text)
            counts = _COUNTS_THINGS.search(question) is not None
            if counts or (units and units <= MONEY | {"%", "person"}):
                said = _NO_SUM.sub(" ", said)
            said = _NO_COUNT.sub(" ", said) if counts else said
            found = numbers(_NO_MONEY.sub(" ", said) if asks_price(question, units) else said)
            if counts:
                found = [n for n in found if n.unit in _OF_THINGS | units]
            return any(n.value not in given and _counts(n, units) for n in found)
        case AnswerType.COLOUR:
            return names_colour(text)
        case AnswerType.DATE:
            return any(date not in question for date in dates(text))
        case AnswerType.PERSON:
            return any(name not in question for name in people(text))
        case AnswerType.PLACE:
            return any(name not in question for name in places(text))
        case _:
            return True


def _measures(question: str, units: frozenset[str], given: frozenset[str], text: str) -> bool:
    if asks_how_often(question):
        return tells_how_often(text)
    if any(n.value not in given and n.unit in units for n in numbers(_NO_NUMBER.sub(" ", text))):
        return True
    if units >= _DURATIONS and (_HALF.search(text) or _spans(question, text)):
        return True
    if units == {"year"} and _AGE.search(text) and values(text) - given:
        return True
    return _LARGE.search(text) is not None or _BARE_CELL.search(text) is not None


def _spans(question: str, text: str) -> bool:
    """Whether a text tells when something began and ended, or up to when it goes."""
    told = [date for date in dates(text) if date not in question]
    is_one_enough = _UP_TO.search(text) is not None or _SO_FAR.search(question) is not None
    return len(told) > 1 or (bool(told) and is_one_enough)


def _counts(number: Number, units: frozenset[str]) -> bool:
    """Whether a number may be what is asked: one without a unit may always be."""
    if units:
        return number.unit is None or number.unit in units
    article = number.value == "1" and number.unit in _ARTICLES
    return number.unit not in CALENDAR and not article
