"""The answering stages of one strategy, built once and reused by every question."""

from __future__ import annotations

from dataclasses import dataclass

from rag_query.contracts.trace import ProviderRef
from rag_query.generation.answers.draft import Generator
from rag_query.generation.answers.verification import RulesVerifier
from rag_query.generation.evidence.kinds import ByKind
from rag_query.generation.evidence.sufficiency import ByFeatures
from rag_query.generation.parents.lock import ByEvidence
from rag_query.providers.llm.base import Llm
from rag_query.strategies.strategy import Strategy
from rag_query.text.analysis import Analyzer

STAGES = ("parent_lock", "evidence_set", "sufficiency", "generate", "verify", "llm")


@dataclass(frozen=True, slots=True)
class AnswerStages:
    """Instances of a strategy's answering providers.

    Attributes:
        refs: stage -> who it is, for spans.
    """

    strategy: Strategy
    lock: ByEvidence
    kinds: ByKind
    sufficiency: ByFeatures
    generator: Generator
    verifier: RulesVerifier
    refs: dict[str, ProviderRef]

    @classmethod
    def build(cls, strategy: Strategy, analyzer: Analyzer, llm: Llm | None = None) -> AnswerStages:
        """Build every stage.

        Args:
            llm: in place of the strategy's.

        Raises:
            ExcerptaError: ``UNKNOWN_PROVIDER`` or ``INVALID_STRATEGY``.
        """
        model = llm if llm is not None else strategy.build("llm")
        return cls(
            strategy=strategy,
            lock=strategy.build("parent_lock"),
            kinds=strategy.build("evidence_set"),
            sufficiency=strategy.build("sufficiency"),
            generator=strategy.build("generate", llm=model),
            verifier=strategy.build("verify", analyzer=analyzer),
            refs={stage: strategy.ref(stage) for stage in STAGES},
        )
