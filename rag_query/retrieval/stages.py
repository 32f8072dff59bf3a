"""The query stages of one strategy, built once and reused by every query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rag_query.contracts.trace import ProviderRef
from rag_query.providers.embedding.base import Embedder
from rag_query.providers.registry import REGISTRY
from rag_query.providers.reranking.base import Reranker
from rag_query.retrieval.exact import SparseRetriever
from rag_query.retrieval.fusion import DefaultFuser
from rag_query.retrieval.preprocess import QueryNormalizer
from rag_query.retrieval.providers import ContextParams
from rag_query.retrieval.semantic import DenseRetriever
from rag_query.strategies.strategy import Strategy

QUERY_STAGES = (
    "query_norm",
    "retrieve_dense",
    "retrieve_sparse",
    "fusion",
    "rerank",
    "context_build",
)


@dataclass(frozen=True, slots=True)
class QueryStages:
    """Instances of a strategy's query providers.

    Attributes:
        embedder: the strategy's; loading it takes seconds the first time.
        refs: stage -> who it is, for spans.
    """

    strategy: Strategy
    normalizer: QueryNormalizer
    dense: DenseRetriever
    sparse: SparseRetriever
    fuser: DefaultFuser
    reranker: Reranker
    context: ContextParams
    embedder: Callable[[], Embedder]
    refs: dict[str, ProviderRef]

    @classmethod
    def build(cls, strategy: Strategy, embedder: Callable[[], Embedder]) -> QueryStages:
        """Raises ExcerptaError ``UNKNOWN_PROVIDER`` or ``INVALID_STRATEGY``."""
        refs = {stage: strategy.ref(stage) for stage in QUERY_STAGES}
        profile = refs["query_norm"].profile_id
        return cls(
            strategy=strategy,
            normalizer=strategy.build(
                "query_norm", profile_id=profile, llm=lambda: strategy.build("llm")
            ),
            dense=strategy.build("retrieve_dense"),
            sparse=strategy.build("retrieve_sparse"),
            fuser=strategy.build("fusion"),
            reranker=_reranker(strategy, embedder),
            context=strategy.build("context_build").params,
            embedder=embedder,
            refs=refs,
        )

    @property
    def languages(self) -> tuple[str, ...]:
        """Those of the embedder, which must be loaded."""
        return self.embedder().card.languages

    @property
    def profile_ids(self) -> dict[str, str]:
        """Stage -> profile id."""
        return {stage: ref.profile_id for stage, ref in self.refs.items() if ref.profile_id}


def _reranker(strategy: Strategy, embedder: Callable[[], Embedder]) -> Reranker:
    """The strategy's reranker, with the embedder or the language model if it needs one."""
    needs = REGISTRY.get(strategy.stage("rerank").provider).needs
    given: dict[str, Any] = {"embedder": embedder, "llm": lambda: strategy.build("llm")}
    reranker: Reranker = strategy.build("rerank", **{name: given[name] for name in needs})
    return reranker
