"""Prices of nothing: "admission is free", "it costs nothing", 免费入场. Both languages."""

from __future__ import annotations

import re
from collections.abc import Collection

_FREE = re.compile(
    # Neither gluten-free, free-range nor "free of dust".
    r"(?<!feel )(?<![\w-])free\b(?!-(?!of-)|\s+(?:of\b(?!\s+(?:charge|cost)s?\b)|from\b))"
    # "Nothing can be sent back" tells no price.
    r"|\b(?:costs?|pays?|paid|charge[sd]?)(?:\s\w+){0,2}\s+nothing\b|\bfor nothing\b|:\s*nothing\b"
    r"|\bnothing (?:to pay|is (?:charged|due|paid))\b|\bno (?:charge|cost|fee)s?\b"
    r"|免费|免收|不收费|无偿",
    re.IGNORECASE,
)
#: What is said to be no longer so, and what is free without a price: to choose, of things in the
#: way, a line that one may call.
_NO_PRICE = re.compile(
    r"(?:\bnot|n['’]t|\bnever|\bno longer)\s+(?!only\b)(?:(?:always|entirely|yet)\s+)?free\b"
    r"|\bfree to (?:choose|decide|select|pick|ask|leave|go|move|contact|call|say|do|change|come)\b"
    r"|\b(?:keep|kept|leave|left|hold|held)s?\s+(?:\w+\s+){0,5}free\b(?!\s+of\s+(?:charge|cost))"
    r"|(?:不(?:再|会|能|是|可以?|予以?)?(?:提供)?|并?非|取消|停止(?:提供)?)免费"
    r"|免费(?:服务|客服|咨询)?(?:热线|电话)",
    re.IGNORECASE,
)
#: A semicolon between the pairs of a row ends no clause: "Parcel — Days: 3; Price: free".
_CLAUSE_END = re.compile(r"[,，。!?！？]|\.(?=\s|$)|[;；](?![^;；:：]{1,40}[:：])")
#: What stands before and after it where a clause says nothing else: "It is free within the city".
_BEFORE = re.compile(
    r"\W*(?:(?:it|this|that|they|these)(?:['’](?:s|re))?\b\s*)?(?:(?:is|are|was|were|also|always|all"
    r"|completely|entirely)\b\s*)*|[它其]?(?:均|都|全部|一律|可以?|是|为|全程|完全)*",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[^\w(（]*$|\s*[(（]|\s+(?:of|for|within|in|on|to|at|with|until|till|if|when|after|before|below"
    r"|above|under|over|up|since|and|but|during)\b"
    r"|入场|参观|开放|提供|使用|乘坐|赠送|办理|领取|安装|维修|更换|体验|试用|进入|游览",
    re.IGNORECASE,
)
#: Terms that ask for a price and say not of what.
_PRICE = re.compile(r"cost|price|fee|charg|pay|.*[费价]|费用|价格|价钱|收费")


def told_free(text: str, question: str, terms: Collection[str]) -> bool:
    """Whether a text says that something costs nothing, where it speaks of what the question is
    about or of nothing else. What the question says itself is no answer.

    Args:
        terms: of the question, as the analysis leaves them.
    """
    given = {said.lower() for said in _FREE.findall(question)}
    about = without_price(terms)
    start = 0
    for end in (*(match.start() for match in _CLAUSE_END.finditer(text)), len(text)):
        clause, start = text[start:end].lstrip(",，。!?！？.;； "), end
        clause = _NO_PRICE.sub(" ", clause)
        said = _FREE.search(clause)
        if said is None or said[0].lower() in given:
            continue
        before, after = clause[: said.start()], clause[said.end() :]
        alone = _BEFORE.fullmatch(before) is not None and _AFTER.match(after) is not None
        if alone or not about or any(_stands(term, f"{before} {after}") for term in about):
            return True
    return False


def without_price(terms: Collection[str]) -> set[str]:
    """Terms without those that ask for a price, whatever it is of."""
    return {term for term in terms if not _PRICE.fullmatch(term)}


def _stands(term: str, text: str) -> bool:
    """Whether a term stands in a text, or a word that begins with its stem (deliveri)."""
    if not term.isascii():
        return term in text
    stem = re.escape(term.removesuffix("i"))
    return re.search(rf"(?<![a-z0-9]){stem}", text, re.IGNORECASE) is not None
