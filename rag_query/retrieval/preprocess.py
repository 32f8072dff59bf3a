"""From a query's text to QueryIR (DEV_SPEC 3.2.3): normalise, read operators, language, intent.

Rules only; nothing here can fail, so the fallback of 3.2.8.1 (plain text) is also the starting
point. Operators are read in ``exact`` and ``hybrid`` mode:

* ``"a phrase"``: the words must stand together. Typographic quotes (“…”, 「…」) are common in
  prose, so a phrase in them only ranks higher.
* ``+term``, ``+"a phrase"``: must occur. ``-term``, ``-"a phrase"``: must not.

An operator stands at the beginning of a word. Something that would leave nothing to search for,
an unbalanced quote, and a dash before a digit, a dash or a single letter are plain text.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from rag_query.contracts.evidence import Preference
from rag_query.contracts.plan import Mode
from rag_query.providers.registry import Params
from rag_query.text.canonical import canonical
from rag_query.text.ids import sha256_text
from rag_query.text.language import Language, detect_language

Intent = Literal["search", "summarize", "compare", "metadata_filter", "tool_call"]

_OPERATOR = re.compile(
    r"""(?<!\S)(?P<sign>[+-]?)"(?P<phrase>[^"]*)"(?=[\s.,;:!?。，；：！？)]|$)"""
    r"""|(?<!\S)(?P<mark>[+-])(?P<term>[^\W\d_](?:[^\s"]*[^\W_])?)"""
    r"""|[“「『](?P<soft>[^“”「」『』]+)[”」』]"""
)
_INTENTS: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    (
        "compare",
        re.compile(
            r"\b(compare|comparison|versus|vs|differences? between|differs? from)\b"
            r"|对比|比较|区别|差异|有什么不同",
            re.IGNORECASE,
        ),
    ),
    (
        "summarize",
        re.compile(
            r"\b(summari[sz]e|summary|overview|outline|tl;?dr)\b|总结|概括|概述|摘要|综述",
            re.IGNORECASE,
        ),
    ),
    (
        "tool_call",
        re.compile(
            r"^\s*(ingest|upload|delete|remove|reindex)\b.*\b(files?|documents?|folders?)\b"
            r"|^(导入|上传|删除|重建).*(文件|文档|索引)",
            re.IGNORECASE,
        ),
    ),
    (
        "metadata_filter",
        re.compile(
            r"\b(list|show|which|find)\b.*\b(documents?|files?)\b|(哪些|列出|所有).*(文档|文件)",
            re.IGNORECASE,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class QueryIR:
    """A query as every stage after this one reads it.

    Attributes:
        original_query: as given.
        normalized_query: canonical, one line, lower case.
        intent: by rules.
        language: of the text.
        dense_query_text: what is embedded: canonical, operators removed.
        sparse_query_expr: the plain words for BM25, operators removed.
        phrases: groups of words that should stand together (they rank higher).
        required: terms and phrases that must occur.
        excluded: terms and phrases that must not.
        query_profile_id: names the rules that made this.
        preferences: soft ones the text asks for.
    """

    original_query: str
    normalized_query: str
    intent: Intent
    language: Language
    dense_query_text: str
    sparse_query_expr: str
    query_profile_id: str
    phrases: tuple[str, ...] = field(default=())
    required: tuple[str, ...] = field(default=())
    excluded: tuple[str, ...] = field(default=())
    preferences: tuple[Preference, ...] = field(default=())

    @property
    def query_hash(self) -> str:
        """Fingerprint of the normalised text."""
        return sha256_text(self.normalized_query)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class QueryNormalizer(Protocol):
    """Provider type ``query_norm``."""

    def normalize(self, text: str, mode: Mode) -> QueryIR: ...


class RulesParams(Params):
    """``query_norm.rules``.

    Attributes:
        operators: whether quotes, ``+`` and ``-`` act.
    """

    operators: bool = True


class RulesNormalizer:
    """Normalisation by the rules of this module."""

    def __init__(self, params: RulesParams, profile_id: str) -> None:
        self._params = params
        self._profile_id = profile_id

    def normalize(self, text: str, mode: Mode) -> QueryIR:
        """QueryIR of a text that is not blank. In ``semantic`` mode operators are plain text."""
        # Controls go with canonical form, but they may have separated words.
        clean = " ".join(canonical(_CONTROLS.sub(" ", text)).split())
        read = _Operators(clean)
        if self._params.operators and mode != "semantic":
            read = _read_operators(clean)
        return QueryIR(
            original_query=text,
            normalized_query=clean.lower(),
            intent=_intent(clean),
            language=detect_language(clean),
            dense_query_text=read.plain,
            sparse_query_expr=read.plain,
            query_profile_id=self._profile_id,
            phrases=read.phrases,
            required=read.required,
            excluded=read.excluded,
        )


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]+")


@dataclass(frozen=True, slots=True)
class _Operators:
    """A text without its operators, and what they said."""

    plain: str
    phrases: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


def _read_operators(text: str) -> _Operators:
    """All of it plain when nothing to search for would be left."""
    phrases: list[str] = []
    required: list[str] = []
    excluded: list[str] = []

    def read(match: re.Match[str]) -> str:
        if (soft := match["soft"]) is not None:
            phrases.append(soft.strip())
            return match[0]
        sign = match["sign"] or match["mark"] or ""
        content = (match["phrase"] if match["phrase"] is not None else match["term"]).strip()
        if not any(ch.isalnum() for ch in content) or (match["term"] and len(content) < 2):
            return match[0]
        if sign == "-":
            excluded.append(content)
            return " "
        required.append(content)
        return f" {content} "

    plain = " ".join(_OPERATOR.sub(read, text).split())
    if not any(ch.isalnum() for ch in plain):
        return _Operators(text)
    return _Operators(plain, tuple(phrases), tuple(required), tuple(excluded))


def _intent(text: str) -> Intent:
    return next((intent for intent, pattern in _INTENTS if pattern.search(text)), "search")
