"""Registers the providers of the query stages; nothing heavy is imported."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from rag_query.providers.registry import Params, register
from rag_query.retrieval.exact import Bm25Retriever, SparseParams
from rag_query.retrieval.fusion import DefaultFuser, FusionParams
from rag_query.retrieval.preprocess import RulesNormalizer, RulesParams
from rag_query.retrieval.rewrite import LlmNormalizer, RewriteParams
from rag_query.retrieval.semantic import DenseParams, VectorRetriever


class ContextParams(Params):
    """``context.evidence_pack``.

    Attributes:
        max_snippet_chars: where a plan and its purpose name none.
        rerank_time_limit_s: a reranker that takes longer has failed.
    """

    max_snippet_chars: int = Field(800, ge=1, le=20_000)
    rerank_time_limit_s: float = Field(5.0, gt=0, le=600)


class ContextSettings:
    """The context stage's parameters; the pack itself is built by ``retrieval/pack.py``."""

    def __init__(self, params: ContextParams) -> None:
        self.params = params


def _rules(params: RulesParams, profile_id: str, **_: Any) -> RulesNormalizer:
    return RulesNormalizer(params, profile_id)


register("query_norm.rules", version="2", params=RulesParams, build=_rules)
register("query_norm.llm", version="1", params=RewriteParams, build=LlmNormalizer, needs=("llm",))
register("retriever.dense", version="1", params=DenseParams, build=VectorRetriever)
register("retriever.sparse", version="2", params=SparseParams, build=Bm25Retriever)
register("fusion.default", version="1", params=FusionParams, build=DefaultFuser)
register("context.evidence_pack", version="2", params=ContextParams, build=ContextSettings)
