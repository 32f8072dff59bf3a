"""Lines that give a property by its name: "Maximum pressure: 6 bar", 重量：8.4千克, rows of tables.

Such a line speaks of what its document is about and does not say so again. Both languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rag_query.generation.passages.sentences import Sentence
from rag_query.text.analysis import Analyzer

#: "What is the pump's pressure?", 水泵的压力是多少.
_ENGLISH = re.compile(
    r"^\W*what(?:['’]s|\s+(?:is|are|was|were))\s+(?P<named>.*?)\W*$", re.IGNORECASE | re.DOTALL
)
_CHINESE = re.compile(r"^(?P<named>.+?)[是为](?:多少|什么|几)", re.DOTALL)
_OWNER = re.compile(r"^.*(?:\w['’]s?\s|的)", re.DOTALL)
_OF = re.compile(r"\sof\s.*$", re.IGNORECASE | re.DOTALL)
_LABEL = re.compile(r"\W*([^:：]{1,40}?)\s*(?:[:：]|\s—\s)\s*\S")
#: What a property may be called besides its name, as the analysis leaves it (stems).
DEGREES = frozenset((
    "maximum", "max", "minimum", "min", "nomin", "rate", "total", "averag", "typic", "standard",
    "最大", "最小", "最高", "最低", "最长", "最短", "额定", "标准", "总", "平均",
))  # fmt: skip


def asked_property(question: str, terms: Mapping[str, float], analyzer: Analyzer) -> str:
    """The noun that names the property a question asks for, as a token; empty where it asks for
    none."""
    match = _ENGLISH.match(question) or _CHINESE.match(question)
    if match is None:
        return ""
    named = _OF.sub("", _OWNER.sub("", match["named"]))
    return next((t for t in reversed(analyzer.tokens(named)) if t in terms), "")


def gives_property(
    sentence: Sentence, noun: str, terms: Mapping[str, float], analyzer: Analyzer
) -> bool:
    """Whether a line gives the property of that name, and says of nothing else that it has it.

    Args:
        terms: of the question.
    """
    label = frozenset(analyzer.tokens(label_of(sentence.text)) if noun else ())
    return noun in label and label - DEGREES <= terms.keys()


def label_of(text: str) -> str:
    """What a line gives a value of: Default of "Default: none"; empty where it does not."""
    match = _LABEL.match(text)
    return match[1] if match else ""
