"""Addresses, sites and numbers to call: what is asked for looks like one. Both languages.

"Write to desk@example.com" tells an e-mail address without the word: what is a locator of some kind
says the words that ask for one of that kind.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

#: Each begins where a word does and a name is no longer than these may be: a long word is read
#: once.
_MAIL = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.\w"
_SITE = (
    r"https?://|\bwww\.|(?<![\w@.-])(?:[\w-]{1,63}\.){1,4}(?:com|org|net|io|cn|edu|gov|info|eu|de|fr"
    r"|uk|no|se|nl|ch|at|it|es|jp|us|ca|au)\b"
)
_NETWORK = re.compile(
    r"(?<![\w.:])(?=[a-f:.]*\d)[\da-f:.]{3,39}(?:/\d{1,3})?(?![\w:])", re.IGNORECASE
)
#: Numbers as they are called.
_PHONE_FORMS = (
    r"\+\d[\d ()-]{5,16}\d",  # +47 22 33 44 55
    r"\(?0\d{1,4}\)?[ -]?\d{3,8}(?:[ -]\d{2,8}){0,4}",  # 0571-88001234
    r"\(?\d{3}\)?[ -](?:\d{3,4}[ -])?\d{4}",  # (555) 123-4567, 400-820-1234
    r"1[3-9]\d{9}",  # of a mobile phone in China
    # 22 33 44 55, but no date and no groups of three.
    r"(?!(?:19|20)\d\d-|\d\d-\d\d-(?:19|20)\d\d|\d{2,3}(?: \d{3})+(?! ?\d|-))"
    r"\d{2,4}(?:[ -]\d{2,4}){2,4}",
)
#: What says of any number that it is called.
_CALLED = (
    r"\b(?:call|dial|ring|(?:(?:tele)?phone|tel|mobile)(?:\s+(?:numbers?|no))?(?:\s+(?:is|are))?)"
    r"|\bext(?:ension|\.)?|拨打?|致电|(?:电话|手机)(?:号码?)?[是为]?|热线[是为]?|分机"
)
_PHONE = re.compile(
    rf"(?<![\w.,:/+-])(?<!\d )(?:{'|'.join(_PHONE_FORMS)})(?![ -]?\d|[\w-])"
    rf"|(?:{_CALLED})\W{{0,4}}\d[\d -]{{1,14}}\d(?![\d-]|[.,:]\d|\s?[%年月日元人次个])",
    re.IGNORECASE,
)
#: What says of a number that it is another.
_NOT_CALLED = re.compile(
    r"(?:fax|account|card|order|serial|case|room|isbn|iban|传真|账号|帐号|卡号|单号|编号|税号)"
    r"(?:\s?(?:numbers?|no\.?|号码?))?(?:\s(?:is|are|was)|[是为])?\W{0,4}$",
    re.IGNORECASE,
)

#: What else may stand before and behind the words that name a kind, where one is asked for: "what
#: is the desk's e-mail address for complaints?", but no "e-mail address format", and no "What is an
#: IP address?", which asks for what all of them are.
_WHAT_IS = (
    r"^\W*(?:what|which)(?:['’]s|\s+(?:is|are|was|were))?\s+"
    r"(?:(?!(?:an?|of|on|for|about|with|in|by|to|from|and|or|if|when|that|do|does|did)\b)[\w.'’-]+\s+)"
    r"{0,6}?"
)
_ENDS = (
    r"(?=\W*$|\s+(?:(?:of|for|at|to)|(?:do|should|can|must|may)\s+(?:I|we|you|one))\b(?!\W*$)"
    r"|\s+used\s+(?:by|in|at|on)\b|\s+(?:is|are|was|were)\s+used\W*$)"
)
#: What a Chinese question asks of; what holds another word that asks, asks for something else.
_OWNER = r"(?:(?!怎|如何|为[什何]|[是能可]否|有没有|吗|谁|几|什么|哪|多[少久长]|何时)[^\n])"


def _asks(english: str, chinese: str) -> re.Pattern[str]:
    return re.compile(
        rf"{_WHAT_IS}({english}){_ENDS}"
        rf"|^{_OWNER}*?({chinese})\s?[是为]?(?:多少|哪一?个|哪些)\W*$"
        rf"|^{_OWNER}*?({chinese})\s?[是为]什么\W*$"
        rf"|^{_OWNER}+?的({chinese})\W*$"
        rf"|^{_OWNER}*?(?:[是为]|[发寄送]到)(?:什么|哪一?个)({chinese})\W*$",
        re.IGNORECASE,
    )


def _holds(pattern: re.Pattern[str]) -> Callable[[str], list[str]]:
    return lambda text: [found[0] for found in pattern.finditer(text)]


def _phones(text: str) -> list[str]:
    return [m[0] for m in _PHONE.finditer(text) if not _NOT_CALLED.search(text, 0, m.start())]


def _networks(*versions: int) -> Callable[[str], list[str]]:
    """Addresses of the Internet Protocol, alone or with the length of their prefix."""

    def is_one(text: str) -> bool:
        try:
            return ipaddress.ip_network(text, strict=False).version in versions
        except ValueError:
            return False

    def found_in(text: str) -> list[str]:
        # A full stop or a colon at the end is the sentence's.
        whole = (found[0] for found in _NETWORK.finditer(text))
        return [each for each in whole if is_one(each) or is_one(each.rstrip(".:"))]

    return found_in


_HAN_RANGE = r"\s*(?:地址(?:段|范围)?|网段)"
_RANGE = r"(?:address(?:es)?|(?:address\s+)?(?:range|block|prefix|subnet)s?)"
#: What asks for a kind -> the locators of that kind that a text holds.
_KINDS: tuple[tuple[re.Pattern[str], Callable[[str], list[str]]], ...] = (
    (
        _asks(
            r"e-?mail(?:\s+address(?:es)?)?",
            r"(?:电子)?(?:邮箱(?:地址)?|邮件地址)|电子邮件|e-?mail(?:地址)?",
        ),
        _holds(re.compile(_MAIL, re.IGNORECASE | re.ASCII)),
    ),
    (
        _asks(r"(?:web ?site|url|web\s+address)(?:es)?", "网址|官网|网站(?:地址)?"),
        _holds(re.compile(_SITE, re.IGNORECASE | re.ASCII)),
    ),
    (
        _asks(
            r"(?:tele)?phone\s+numbers?|telephone|hotline|numbers?(?=\s+(?:to|do|should|can)\s"
            r"+(?:(?:I|we|you)\s+)?(?:call|dial|ring)\b)",
            "(?:电话|热线)(?:号码?)?|手机号码?",
        ),
        _phones,
    ),
    (_asks(rf"(?<=IPv4\s){_RANGE}", f"(?<=.IPv4){_HAN_RANGE}"), _networks(4)),
    (_asks(rf"(?<=IPv6\s){_RANGE}", f"(?<=.IPv6){_HAN_RANGE}"), _networks(6)),
    (_asks(rf"IP\s+{_RANGE}", f"(?<!^)IP{_HAN_RANGE}"), _networks(4, 6)),
)


@dataclass(frozen=True, slots=True)
class Locator:
    """The kind of locator that a question asks for.

    Attributes:
        named: the words that name it there.
        found_in: text -> the locators of that kind in it.
    """

    named: str
    found_in: Callable[[str], list[str]]

    def is_held(self, text: str, question: str) -> bool:
        """Whether a text holds one that the question does not name."""
        return any(found not in question for found in self.found_in(text))


@lru_cache(maxsize=64)  # A question is asked of each sentence.
def locator_asked(question: str) -> Locator | None:
    """The kind of locator asked for: an e-mail address, a site, a number to call, an address of a
    network."""
    for asks, found_in in _KINDS:
        if match := asks.search(question):
            return Locator(next(filter(None, match.groups())), found_in)
    return None


def is_network(text: str) -> bool:
    """Whether a text is an address of a network and nothing more."""
    return _networks(4, 6)(text) == [text]
