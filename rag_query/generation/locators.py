"""Addresses, sites and files: what is asked for looks like one. Both languages."""

from __future__ import annotations

import re

_ASKS = re.compile(
    r"\b(?:which|what)\s+(?:(?:e-?mail|mail|web|ip|url|log|config(?:uration)?)\s+)?"
    r"(?:address|e-?mail|web ?site|site|url|file|path|folder|directory)\b"
    r"|(?:哪|什么|何)(?:一?个|些)?(?:电子)?(?:邮箱|邮件地址|邮件列表|网站|网址|网页|站点|文件(?!夹?[规要通])|路径|目录)"
    r"|(?:邮箱|网址|地址|路径)(?:是|为)(?:什么|多少|哪)",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"[\w.+-]+@[\w-]+\.\w|https?://|\bwww\.|\b[\w-]+\.(?:com|org|net|io|cn|edu|gov)\b"
    r"|(?<![\w/])(?:~|\.{1,2})?/[\w.-]+(?:/[\w.-]+)*|~/|\b\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|(?<![\w.])\.?[\w-]+\.(?:txt|md|ya?ml|json|toml|ini|conf|cfg|log|csv|xml|sh|py|tex|sty|html?)\b",
    re.IGNORECASE | re.ASCII,
)


def asks_locator(question: str) -> bool:
    """Whether an address, a site or a file is asked for."""
    return _ASKS.search(question) is not None


def holds_locator(text: str, question: str) -> bool:
    """Whether a text holds one that the question does not name."""
    return any(found[0] not in question for found in _HOLDS.finditer(text))
