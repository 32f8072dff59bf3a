"""Sentences that say what a thing is, where a question asks it: "Launchpad is a …", 流动性是….

Both languages.
"""

from __future__ import annotations

import re

_ENGLISH = re.compile(
    r"^\W*(?:what|who)(?:['’]s|\s+(?:is|are|was|were))\s(?:an?\s|the\s)?(?P<thing>[^,;:?]{2,60}?)\W*$",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"^\W*(?:请问)?(?:(?:什么是|何谓|何为)(?P<after>[^，。？?]{1,30}?)"
    r"|(?P<before>[^，。？?]{1,30}?)\s?(?:是(?:什么(?:意思|东西)?|谁|指什么|啥)|(?:代表|表示)什么))\W*$"
)
_BRACKETS = r"(?:\s*[（(\[][^（()）\[\]]{1,60}[)）\]]|[”\"'’」》`])*"


def defined_in(question: str) -> re.Pattern[str] | None:
    """What a sentence begins with that says what the thing is which a question asks for; None where
    it asks for something else."""
    question = " ".join(question.split())  # Of long blanks the patterns try every division.
    match = _ENGLISH.match(question)
    if match is not None:
        thing = r"\s+".join(map(re.escape, match["thing"].split()))
        return re.compile(
            rf"^\W*(?:(?:an?|the)\s+)?{thing}{_BRACKETS},?\s+(?:is|are|was|were)\s+"
            r"(?:an?|the|one of)\b",
            re.IGNORECASE,
        )
    match = _CHINESE.match(question)
    if match is None:
        return None
    thing = re.escape((match["after"] or match["before"]).strip())
    return re.compile(
        rf"^\W*(?:所谓)?[“\"'「《`]?{thing}{_BRACKETS}\s*[,，]?(?:也?就?是(?![否不])|是?指|即|意为|表示|代表)"
    )
