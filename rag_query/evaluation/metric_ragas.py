"""``metric_set.ragas``: RAGAS's context precision and recall by id (extra ``ragas``).

The case and its artifacts become a ``SingleTurnSample``; the ids are those our own metrics compare,
so documents and passages are matched alike. RAGAS's metrics that need a model are left to
``judge.llm``, whose prompt is ours and stays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rag_query.contracts.evaluation import CaseResult, MetricResult
from rag_query.evaluation.extras import need
from rag_query.evaluation.metrics import Measured, means
from rag_query.providers.registry import Params, register

PROVIDER_ID = "metric_set.ragas"
PRECISION = "ragas.ContextPrecision"
RECALL = "ragas.ContextRecall"


class RagasMetrics:
    """See the module. Raises ExcerptaError ``EXTRA_MISSING`` without the extra."""

    primary = RECALL

    def __init__(self) -> None:
        metrics = need("ragas.metrics", "ragas", PROVIDER_ID)
        schema = need("ragas.dataset_schema", "ragas", PROVIDER_ID)
        self._sample: Any = schema.SingleTurnSample
        self._metrics: dict[str, Any] = {
            PRECISION: metrics.IDBasedContextPrecision(),
            RECALL: metrics.IDBasedContextRecall(),
        }

    def compute(self, measured: Sequence[Measured]) -> list[list[MetricResult]]:
        """See :class:`~rag_query.evaluation.metrics.MetricSet`."""
        return [self._of_case(each) for each in measured]

    def summarize(self, results: Sequence[CaseResult]) -> dict[str, float]:
        """See :class:`~rag_query.evaluation.metrics.MetricSet`."""
        return means(results)

    def _of_case(self, each: Measured) -> list[MetricResult]:
        case, targets = each.judgement.case, each.judgement.targets
        if not targets:
            return []
        sample = self._sample(
            user_input=case.query,
            response=each.artifacts.answer_markdown,
            reference=case.expected_answer,
            retrieved_context_ids=each.ranking,
            reference_context_ids=[target.target_id for target in targets],
        )
        found = {name: metric.single_turn_score(sample) for name, metric in self._metrics.items()}
        # Nothing retrieved has no precision to RAGAS; here it has found nothing.
        return [
            MetricResult(name=name, value=0.0 if math.isnan(value) else float(value))
            for name, value in found.items()
        ]


def _build(_params: Params, **_: Any) -> RagasMetrics:
    return RagasMetrics()


register(PROVIDER_ID, version="1", build=_build)
