"""Sentences that say what a thing is, where a question asks it: "Launchpad is a …", 流动性是…, or
what belongs to it: 一线城市指北京、上海.

Both languages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_query.generation.vocabulary.facts import han_names

#: How a question ends. What belongs to a name stays with it: C++, C#.
_END = r"[^\w+#]*$"
_ENGLISH = re.compile(
    r"^\W*(?:what|(?P<who>who))(?:['’]s|\s+(?:is|are|was|were))\s(?P<article>an?\s|the\s)?(?P<thing>[^,;:?]{2,60}?)"
    + _END,
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"^\W*(?:请问)?(?:(?:什么是|何谓|何为)(?P<after>[^，。？?]{1,30}?)"
    r"|(?P<before>[^，。？?]{1,30}?)\s?(?:是(?:什么(?:意思|东西)?|(?P<who>谁)|指什么|啥)|(?:代表|表示)什么))"
    + _END
)
#: What asks which ones a thing is said of: "Which cities are first-tier cities?", 一线城市有哪些.
_WHICH = re.compile(
    r"^\W*which\s(?:\w+\s){1,3}?(?:are|is|belong\s+to|count\s+as)\s(?:the\s|an?\s)?(?P<thing>[^,;:?]{2,60}?)"
    + _END,
    re.IGNORECASE,
)
_WHICH_CHINESE = re.compile(
    r"^\W*(?:请问)?(?:(?:哪些|什么)[^，。？?是]{1,10}?(?:属于|算是?|是)(?P<of>[^，。？?]{2,30}?)"
    r"|(?P<has>[^，。？?]{2,30}?)(?:都|主要)?(?:有哪些|(?:包括|包含)(?:了)?(?:什么|哪些)[^，。？?]{0,6}?))"
    + _END
)
#: What stands in the name of an office and in none of a person; initials have points.
_OFFICE = re.compile(r"\b(?:of|for|at|in|to)\b|[A-Z]{2}|['’]s\s")
_BRACKETS = r"(?:\s*[（(\[][^（()）\[\]]{1,60}[)）\]]|[”\"'’」》`])*"


#: Of what more a thing is, and its value, not what it is: a digit or an address soon after it.
_VALUE = (
    r"(?:\s+(?:for|of|in|at|to|on)\s[^:：,.;]{1,40}?)?(?:\s+(?:is|are|was|were|costs?|amounts\s+to)\b"
    r"|\s*是)[^。.!！?？]{0,24}?[\d@]"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """How sentences begin that tell of a thing.

    Attributes:
        says: what it is.
        gives: its value: "Hotline: …", 店长为…, "The deadline is 5 May".
    """

    says: re.Pattern[str]
    gives: re.Pattern[str]


def defined_in(question: str) -> Definition | None:
    """How sentences begin that tell of the thing which a question asks for; None where it asks for
    something else, or who has an office: what that office is tells nothing of it."""
    question = " ".join(question.split())  # Of long blanks the patterns try every division.
    match = _ENGLISH.match(question)
    if match is not None:
        if match["who"] and (match["article"] or not _is_person(match["thing"])):
            return None
        thing = r"\s+".join(map(re.escape, match["thing"].split()))
        begins = rf"^\W*(?:(?:an?|the|our|your)\s+)?{thing}{_BRACKETS}"
        return Definition(
            re.compile(rf"{begins},?\s+(?:is|are|was|were)\s+(?:an?|the|one of)\b", re.IGNORECASE),
            re.compile(rf"{begins}(?:\s*[:：]\s*\S|{_VALUE})", re.IGNORECASE),
        )
    match = _CHINESE.match(question)
    if match is None:
        return None
    said = (match["after"] or match["before"]).strip()
    if match["who"] and not _is_name(said):
        return None
    begins = rf"^\W*(?:所谓)?[“\"'「《`]?{re.escape(said)}{_BRACKETS}"
    return Definition(
        re.compile(rf"{begins}\s*[,，]?(?:也?就?是(?![否不])|是?指|即|意为|表示|代表)"),
        re.compile(rf"{begins}(?:\s*[:：为]\s*\S|{_VALUE})"),
    )


def members_asked(question: str) -> str:
    """That of which a question asks what belongs to it; empty where it asks something else."""
    question = " ".join(question.split())  # As above.
    match = _WHICH.match(question)
    if match is not None:
        return match["thing"]
    match = _WHICH_CHINESE.match(question)
    return (match["of"] or match["has"]).strip() if match is not None else ""


def tells_members(thing: str) -> re.Pattern[str]:
    """How a sentence begins that says what belongs to a thing."""
    said = r"\s+".join(map(re.escape, thing.split()))
    return re.compile(
        rf"^\W*(?:(?:an?|the|our|your)\s+)?[“\"'「《`]?{said}{_BRACKETS}(?:"
        r",?\s+(?:includes?|comprises?|consists?\sof|means?|refers?\sto)\b|,?\s+(?:is|are)\b(?=.*(?:,|\band\b))"
        r"|\s*[,，]?(?:(?:主要|具体|都)?(?:是?指|包括|包含|分为|即|意为)|[是为有](?=.*[、和及])))",
        re.IGNORECASE,
    )


def _is_person(thing: str) -> bool:
    """Whether English text that asks who it is gives a name: Leonardo da Vinci, Ronald McDonald."""
    words = thing.split()
    capital = words[0][0].isupper() and words[-1][0].isupper()
    return capital and _OFFICE.search(thing) is None


def _is_name(said: str) -> bool:
    """Whether Chinese text that asks who it is gives a name, not an office (CEO, 店长)."""
    latin = said.isascii() and not said.isupper()
    return latin or "·" in said or han_names(said, "nr") == [said]
