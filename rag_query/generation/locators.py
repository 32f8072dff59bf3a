"""Addresses, sites and files: what is asked for looks like one. Both languages."""

from __future__ import annotations

import re

#: Only what is always written so: an address may be a street, a file a passport, a site a place.
_ASKS = re.compile(
    r"\b(?:which|what)\s+(?:e-?mail(?:\s+address)?|web ?site|url|(?:config(?:uration)?|log)\s+file"
    r"|folder)\b(?!\s+(?:address|size|type|format|name|host)s?\b)"
    r"|(?:哪|什么|何)(?:一?个|些)?(?:电子)?(?:邮箱|邮件地址|网站|网址)(?!大小|容量|类型)"
    r"|(?:邮箱|网址)(?:是|为)(?:什么|多少|哪)",
    re.IGNORECASE,
)
#: Each begins where a word does and a name is no longer than these may be: a long word is read
#: once.
_HOLDS = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.\w|https?://|\bwww\."
    r"|(?<![\w-])[\w-]{1,63}\.(?:com|org|net|io|cn|edu|gov)\b"
    r"|(?<![\w/])(?:~|\.{1,2})?/[\w.-]+(?:/[\w.-]+)*|~/"
    r"|(?<![\w.-])\.?[\w-]{1,100}\.(?:txt|md|ya?ml|json|toml|ini|conf|cfg|log|csv|xml|sh|py|tex|sty"
    r"|html?)\b",
    re.IGNORECASE | re.ASCII,
)


def asks_locator(question: str) -> bool:
    """Whether an e-mail address, a web site, or a file or folder of a computer is asked for."""
    return _ASKS.search(question) is not None


def holds_locator(text: str, question: str) -> bool:
    """Whether a text holds one that the question does not name."""
    return any(found[0] not in question for found in _HOLDS.finditer(text))
