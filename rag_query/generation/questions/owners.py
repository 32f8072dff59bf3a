"""Whose property is asked for: "the waiting period of the plan", 赵敏慧的尿酸是多少.

What a document says of its one patient or plan names neither again; the line that does is its
first, and no answer. Both languages.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from rag_query.generation.vocabulary.verb_forms import base_forms
from rag_query.text.analysis import Analyzer

_ASKS = (
    r"^\W*(?:what(?:['’]s|\s+(?:is|are|was|were))"
    r"|how\s+(?:much|long|large|big|high|heavy|wide|deep)\s+(?:is|are|was|were))\s(?:the\s)?"
)
_ENGLISH = re.compile(rf"{_ASKS}(?P<property>.+?)\sof\s(?P<owner>.+?)$", re.IGNORECASE)
_POSSESSIVE = re.compile(
    rf"{_ASKS}(?P<owner>.+?)(?:['’]s|s['’])\s(?P<property>.+?)$", re.IGNORECASE
)
_CHINESE = re.compile(
    r"^(?P<owner>.{2,}?)的(?P<property>[^的]{2,12}?)(?:[是为有]|需要|应该?|一?共)?"
    r"(?:多|几|何时|哪|百分|什么|谁)"
)


#: Words that stand for the one owner a document speaks of.
_ITSELF = "本该其此这我"


@dataclass(frozen=True, slots=True)
class Owned:
    """The terms of a question that name a property, and those that only name whose it is."""

    named: frozenset[str] = frozenset()
    owner: frozenset[str] = frozenset()


def owned_property(question: str, terms: Collection[str], analyzer: Analyzer) -> Owned:
    """The property a question asks for and its owner; both empty where it names not both."""
    question = " ".join(question.split())  # Of long blanks each pattern would try every division.
    match = _POSSESSIVE.match(question) or _ENGLISH.match(question) or _CHINESE.match(question)
    if match is None:
        return Owned()
    named = frozenset(base_forms(analyzer.tokens(match["property"]))) & frozenset(terms)
    owner = frozenset(base_forms(analyzer.tokens(match["owner"]))) & frozenset(terms)
    return Owned(named, owner - named) if named and owner - named else Owned()


def is_of_other_owner(text: str, owned: Owned) -> bool:
    """Whether a text that names not the owner gives the property as that of someone else:
    王大明的体温, "Bosch's deposit"."""
    if not owned.named:
        return False
    named = "|".join(map(re.escape, sorted(owned.named)))
    return any(
        re.search(pattern, text)
        for pattern in (
            rf"(?:^|[^\w])(?![{_ITSELF}])[\w·]{{1,12}}的\w{{0,4}}?(?:{named})",
            rf"\b[A-Z]\w*['’]s\s(?:\w+\s){{0,2}}(?i:{named})",
            rf"\b(?i:{named})\w*\sof\s(?:the\s)?[A-Z]",
        )
    )
