"""Questions for what came with a version: "What changed in 2.4.0?", 2.4.0 有什么更新？

A list of changes holds none of the words that ask so, and seldom calls a version one.
"""

from __future__ import annotations

import re

from rag_query.generation.facts import UNIT_PATTERN

#: What is asked for, or what was done to it, of which a list may tell by headings and marks.
_CHANGE = (
    r"(?P<change>(?:new\s+)?features?|new|news|changes?|changed|differences?|different|updates?"
    r"|updated)|(?P<done>added|fixed|removed|improved|introduced|deprecated|improvements?|fixes)"
)
_HAN_CHANGE = (
    "(?P<change>变化|变更|改变|变动|改动|更新|不同|新功能|新特性|新内容)"
    "|(?P<done>新增|增加|修复|移除|删除|改进|优化)"
)
_ASKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^\W*(?:and\s+)?(?:what|which)(?:['’]s)?(?:\s+(?:is|was|are|were|has|have|been|the|all|else"
        rf"|bugs?))*\s+(?:{_CHANGE})\b",
        r"^\W*what\s+(?:does|did)\s+(?:[\w.]+\s+){1,4}(?:(?P<change>change|bring|contain|include)"
        r"|(?P<done>add|fix|remove|improve|introduce|deprecate))\W*$",
        rf"(?:什么|哪些|何)(?:{_HAN_CHANGE})",
        rf"(?:{_HAN_CHANGE})[了过的]?(?:什么|哪些|内容|是什么|有哪些)",
    )
)
#: Words of such a question that say nothing either.
_AROUND = re.compile(
    r"\b(?:versions?|releases?|between)\b(?=\s+v?\d)|版本?(?=\s*v?\d)"
    r"|\b(?:bring|contain|include)\W*$",
    re.IGNORECASE,
)
#: A number of two parts behind a preposition alone, as it may be any.
_VERSION = re.compile(
    r"(?<![\w.])(?<!section )(?<!chapter )(?<!table )(?<!figure )(?<!第)"
    r"v?(\d{1,4}(?:\.\d{1,9}){2,3}|(?:(?<=in )|(?<=since )|(?<=with )|(?<=v))\d{1,4}\.\d{1,4})"
    rf"(?![.,]?\d|\s*%|\s*-?(?:{UNIT_PATTERN})(?![A-Za-z])|[节章条])",
    re.IGNORECASE,
)
#: "And in 2.4.1?", 2.4.1呢？
_GOES_ON = re.compile(r"^\W*(?:and|what about|how about)\b|呢\W*$", re.IGNORECASE)


def changed_versions(question: str) -> set[str]:
    """The versions of which a question asks what came with them, whatever it calls them."""
    asks = _asked(question) is not None or _GOES_ON.search(question) is not None
    return set(_VERSION.findall(question)) if asks else set()


def without_changes(question: str) -> str:
    """A question about a version, blanks where it only asks for changes."""
    match = _asked(question)
    if match is None:
        return question
    start, end = match.span("change")
    asked = question if start < 0 else f"{question[:start]} {question[end:]}"
    return _AROUND.sub(" ", asked)


def kind_of_change(question: str) -> str:
    """The word for what was done, as "fixed"; empty where a question gives none."""
    match = _asked(question)
    return (match["done"] or "") if match else ""


def _asked(question: str) -> re.Match[str] | None:
    return next(filter(None, (pattern.search(question) for pattern in _ASKS)), None)
