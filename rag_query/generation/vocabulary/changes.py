"""Questions for what came with a version: "What changed in 2.4.0?", 2.4.0 有什么更新？

A list of changes holds none of the words that ask so, and seldom calls a version one.
"""

from __future__ import annotations

import re

from rag_query.generation.vocabulary.facts import NO_UNIT

#: What is asked for, or what was done to it, of which a list may tell by headings and marks.
_CHANGE = (
    r"(?P<change>(?:new\s+)?features?|new|news|changes?|changed|differences?|different|updates?"
    r"|updated)|(?P<done>added|fixed|removed|improved|introduced|deprecated|improvements?|fixes)"
)
#: What may have been added, fixed and the like, of which a list says each by itself.
_NOUN = (
    r"(?P<noun>(?:new\s+)?(?:bugs?|issues?|problems?|errors?|faults?|features?|functions?|options?"
    r"|things?))"
)
_HAN_DONE = "新增|增加|修复|移除|去除|删除|改进|优化"
_HAN_CHANGE = (
    f"(?P<change>变化|变更|改变|变动|改动|更新|不同|新功能|新特性|新内容)|(?P<done>{_HAN_DONE})"
)
_IS = r"(?:\s+(?:is|was|are|were|has|have|been|the|all|else))*"
_ASKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^\W*(?:and\s+)?(?:what|which)(?:['’]s)?{_IS}(?:\s+{_NOUN}{_IS})?\s+(?:{_CHANGE})\b",
        rf"^\W*(?:what|which)(?:\s+{_NOUN})?\s+(?:does|did)\s+(?:[\w.]+\s+){{1,4}}"
        r"(?:(?P<change>change|bring|contain|include)"
        r"|(?P<done>add|fix|remove|improve|introduce|deprecate))\W*$",
        rf"(?:什么|哪些|何)(?:{_HAN_CHANGE})",
        rf"(?:{_HAN_CHANGE})[了过的]?(?:什么|哪些|内容|是什么|有哪些)",
    )
)
#: What asks when a version was released. The words for it are those of :data:`RELEASED`.
_ASKS_RELEASE = re.compile(
    r"\b(?:when|what (?:date|day|year)|which (?:date|day|year))\b.{0,200}?"
    r"\b(?:releas|publish|launch|issu|c[oa]me\s+out)"
    r"|(?:何时|什么时[候间]|哪一?[年天日月]|日期).{0,200}?(?:发布|推出|上线|发行)"
    r"|(?:发布|推出|上线|发行).{0,200}?(?:何时|什么时[候间]|哪一?[年天日月]|日期|时间)",
    re.IGNORECASE,
)
_COMES_OUT = re.compile(r"\bc[oa]mes?\s+out\b", re.IGNORECASE)
#: Words of such a question that say nothing either.
_AROUND = re.compile(
    r"\b(?:versions?|releases?|between)\b(?=\s+v?\d)|版本?(?=\s*v?\d)"
    r"|(?:(?<=\.\d)|(?<=\.\d\d))\s*版本?"
    r"|\b(?:bring|contain|include)\W*$",
    re.IGNORECASE,
)
#: A number of two parts behind a preposition or before what was done alone, as it may be any.
#: A day is none (12.05.2024).
_VERSION = re.compile(
    r"(?<![\w.])(?<!section )(?<!chapter )(?<!table )(?<!figure )(?<!第)"
    r"v?(?!(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d(?![\d.]))"
    r"(\d{1,4}(?:\.\d{1,9}){2,3}|(?:(?<=in )|(?<=since )|(?<=with )|(?<=v))\d{1,4}\.\d{1,4}"
    rf"|\d{{1,4}}\.\d{{1,4}}(?=\s?[中里]?(?:有(?:什么|哪些|何)|{_HAN_DONE}|更新)))"
    rf"(?![.,]?\d|\s*%|[节章条]){NO_UNIT}",
    re.IGNORECASE,
)
#: "And in 2.4.1?", 2.4.1呢？
_GOES_ON = re.compile(r"^\W*(?:and|what about|how about)\b|呢\W*$", re.IGNORECASE)


def changed_versions(question: str) -> set[str]:
    """The versions of which a question asks what came with them, whatever it calls them."""
    asks = _asked(question) is not None or _GOES_ON.search(question) is not None
    return set(_VERSION.findall(question)) if asks else set()


def without_changes(question: str) -> str:
    """A question about a version, blanks where it only asks for changes, or for when the version
    was released. What was done stands apart, however a text would be cut (移除了 into 移 and 除了).
    """
    match = _asked(question)
    if match is None:
        asks_when = _ASKS_RELEASE.search(question) is not None
        return _AROUND.sub(" ", _COMES_OUT.sub("released", question)) if asks_when else question
    asked = question
    groups = [name for name, said in match.groupdict().items() if said]
    for name in sorted(groups, key=match.start, reverse=True):
        start, end = match.span(name)
        kept = match[name] if name == "done" else ""
        asked = f"{asked[:start]} {kept} {asked[end:]}"
    return _AROUND.sub(" ", asked)


def kind_of_change(question: str) -> str:
    """The word for what was done, as "fixed"; empty where a question gives none."""
    match = _asked(question)
    return (match["done"] or "") if match else ""


def _asked(question: str) -> re.Match[str] | None:
    return next(filter(None, (pattern.search(question) for pattern in _ASKS)), None)
