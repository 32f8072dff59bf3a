"""From a query's text to QueryIR (DEV_SPEC 3.2.3): normalise, read operators, language, intent.

Rules only; nothing here can fail, so the fallback of 3.2.8.1 (plain text) is also the starting
point. Operators (``operators.py``) are read in every mode but ``semantic``. What needs the library
(its synonyms, its titles and tags) is added by ``understanding.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Protocol

from rag_query.contracts.evidence import Preference
from rag_query.contracts.explain import ParsedCondition, RewriteExplain, SynonymUse
from rag_query.contracts.plan import Mode
from rag_query.providers.registry import Params
from rag_query.retrieval.operators import Operators, read_operators
from rag_query.text.canonical import canonical
from rag_query.text.ids import sha256_text
from rag_query.text.language import Language, detect_language

Intent = Literal["search", "summarize", "compare", "metadata_filter", "tool_call"]

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
            # Of many first words only the first is tried, or the time would grow quadratically.
            r"^(?>.*?\b(?:list|show|which|find)\b).*\b(?:documents?|files?)\b"
            r"|^(?>.*?(?:哪些|列出|所有)).*(?:文档|文件)",
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
        unheeded: exclusions read as words, because nothing else is asked for.
        query_profile_id: names the rules that made this.
        wild: words with ``*`` or ``~``, as written; they should occur.
        preferences: soft ones the text asks for.
        conditions: filters the text states.
        synonyms: what the library's file added to ``sparse_query_expr``.
        factors: token -> what its weight in the sparse leg is multiplied by; 1 for the others.
        variants: other ways to ask, by a language model; searched by associative queries.
        rewrite: what a language model did, when one was asked.
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
    unheeded: tuple[str, ...] = field(default=())
    wild: tuple[str, ...] = field(default=())
    preferences: tuple[Preference, ...] = field(default=())
    conditions: tuple[ParsedCondition, ...] = field(default=())
    synonyms: tuple[SynonymUse, ...] = field(default=())
    factors: Mapping[str, float] = field(default_factory=dict)
    variants: tuple[str, ...] = field(default=())
    rewrite: RewriteExplain | None = None

    @property
    def filters(self) -> dict[str, Any]:
        """The conditions that hold, as fields of a plan's filters."""
        return {c.field: c.value for c in self.conditions if c.applied}

    def without_conditions(self, reason: str) -> QueryIR:
        """The same query, its own conditions not applied."""
        update = {"applied": False, "reason": reason}
        kept = [c.model_copy(update=update) if c.applied else c for c in self.conditions]
        return replace(self, conditions=tuple(kept))

    @property
    def query_hash(self) -> str:
        """Fingerprint of the normalised text."""
        return sha256_text(self.normalized_query)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class QueryNormalizer(Protocol):
    """Provider type ``query_norm``."""

    @property
    def params(self) -> RulesParams: ...

    def normalize(self, text: str, mode: Mode) -> QueryIR: ...

    def plain(self, text: str, mode: Mode) -> QueryIR: ...


class RulesParams(Params):
    """``query_norm.rules``.

    Attributes:
        operators: whether quotes, ``+``, ``-``, ``*`` and ``~`` act.
        synonyms: whether the library's file of synonyms acts.
        question_filters: whether conditions a question states act.
        question_preferences: whether soft preferences a question states act.
    """

    operators: bool = True
    synonyms: bool = True
    question_filters: bool = True
    question_preferences: bool = True


class RulesNormalizer:
    """Normalisation by the rules of this module."""

    def __init__(self, params: RulesParams, profile_id: str) -> None:
        self.params = params
        self._profile_id = profile_id

    def plain(self, text: str, mode: Mode) -> QueryIR:
        """The same: rules add nothing to a text."""
        return self.normalize(text, mode)

    def normalize(self, text: str, mode: Mode) -> QueryIR:
        """QueryIR of a text that is not blank. In ``semantic`` mode operators are plain text."""
        # Controls go with canonical form, but they may have separated words.
        clean = " ".join(canonical(_CONTROLS.sub(" ", text)).split())
        read = Operators(clean)
        if self.params.operators and mode != "semantic":
            read = read_operators(clean)
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
            unheeded=read.unheeded,
            wild=read.wild,
        )


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]+")


def _intent(text: str) -> Intent:
    return next((intent for intent, pattern in _INTENTS if pattern.search(text)), "search")
