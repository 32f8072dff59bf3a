"""Two things asked for at once: the rent and the deposit of a flat, 合同的租期和租金. Or one
of two: the limits for Paris and Lyon, 北京和拉萨的上限各是多少.

One sentence seldom holds both, and the best one speaks of the thing that is said more often. Both
languages.
"""

from __future__ import annotations

import re

_OF = r"(?:of|at|in|for|on|from|to|by)\b"
#: Of "the price of bread and the milk", the milk is no other thing than the price.
_WORD = rf"(?!{_OF})[\w’'-]+"
_ENGLISH = re.compile(
    r"(?P<asks>(?:what|how\s+much|when|where|who)\s+(?:is|are|was|were)\s+)"
    rf"(?P<one>(?:the|an?)\s+(?:{_WORD}\s+){{1,3}})and\s+"
    rf"(?P<other>(?:the|an?)\s+{_WORD}(?:\s+{_WORD}){{0,2}})"
    rf"(?P<rest>(?:\s+{_OF}[^,;]*)?\W*)",
    re.IGNORECASE,
)
#: Who is asked where it is, or how many it has, may be one (教学与科研楼有几层).
_PART = r"[^的和与及、，,；？?\s在有]{2,8}"
_CHINESE = re.compile(
    rf"(?P<asks>.+的)(?P<one>{_PART})(?:和|与|以及|及|、)(?P<other>{_PART}?)"
    r"(?:各自?|分别)?(?P<rest>(?:是|为)?(?:多少|什么|几|多[长久大高重]|哪|谁|何).*)"
)
#: One thing of two: in English said of several, in Chinese of each.
_ENGLISH_OF = re.compile(
    r"(?P<asks>what\s+(?:are|were)\s+the\s+(?:[\w’'-]+\s+){0,3}[\w’'-]+s\s+(?:of|for|in|at)\s+)"
    r"(?P<one>(?:the\s+)?[\w’'-]+(?:\s+[\w’'-]+)?)\s+and\s+"
    r"(?P<other>(?:the\s+)?[\w’'-]+(?:\s+[\w’'-]+)?)(?P<rest>\W*)",
    re.IGNORECASE,
)
_CHINESE_OF = re.compile(
    rf"(?P<asks>)(?P<one>{_PART})(?:和|与|以及|及|、)(?P<other>{_PART})"
    r"(?P<rest>的.+?(?:各自?|分别).*)"
)
_FORMS = (_ENGLISH, _CHINESE, _ENGLISH_OF, _CHINESE_OF)
#: What is asked of both together.
_TOGETHER = re.compile(
    r"\b(?:differen\w*|between|relation\w*|common|same|ratio|sum|total)\b"
    r"|区别|差[别异]|不同|关系|之[间比]|共同|一共|总[共和]|合计|比例",
    re.IGNORECASE,
)
_AND = ("和", "与", "及", "以及", "、")


def each_asked(question: str) -> tuple[str, ...]:
    """The two questions of one that asks for two things, or of two; empty of others."""
    found = next((match for form in _FORMS if (match := form.fullmatch(question.strip()))), None)
    if found is None or _TOGETHER.search(question):
        return ()
    if found.re in (_CHINESE, _CHINESE_OF) and not _is_joined(question):
        return ()
    return tuple(
        f"{found['asks']}{found[part].strip()}{found['rest']}" for part in ("one", "other")
    )


def _is_joined(question: str) -> bool:
    """Whether the word between them is one by itself, and no part of another (共和国)."""
    import rjieba

    return sum(word in _AND for word in rjieba.cut(question)) == 1
