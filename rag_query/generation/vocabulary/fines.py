"""Fines: what breaking a rule costs is no fee for what the rule is about. Both languages."""

from __future__ import annotations

import re

_FINE = re.compile(
    r"罚款|罚金|处罚|罚没|被罚|\bfin(?:ed|es)\b|\bfine of \W?(?:[A-Z]{3}\s?)?\d", re.IGNORECASE
)
#: What a fee is called. Who asks how much something costs may well be told of a fine.
_FEE = re.compile(r"费用?|收费|价[格钱]|\b(?:fees?|prices?|tariffs?)\b", re.IGNORECASE)
#: What a question about a fine says, if not the word.
_BREAKS_RULE = re.compile(
    r"罚|违|滞纳|逾期|不(?:交|缴|付|按)|超期|迟|\bfin(?:e|ed|es)\b|\bpenal|\bpunish|\bviolat|\bbreak"
    r"|\blate\b|\boverdue\b|\billegal",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[^，。；;!?！？,.]+(?:[.,](?=\d)[^，。；;!?！？,.]+)*")


def without_fines(text: str, question: str) -> str:
    """A text, blanks where it tells of fines and a question asks for a fee."""
    if _FINE.search(text) is None or not _FEE.search(question) or _BREAKS_RULE.search(question):
        return text
    return _CLAUSE.sub(lambda clause: " " if _FINE.search(clause[0]) else clause[0], text)
