"""An evaluation by the evaluator its settings name."""

from __future__ import annotations

import rag_query.evaluation.builtin  # noqa: F401  (registers the providers)
from rag_query.contracts.evaluation import CaseResult, Dataset, EvalReport
from rag_query.evaluation.evaluator import EvalSettings, Evaluator, Subject, metric_set_of
from rag_query.library.home import Home
from rag_query.providers.registry import REGISTRY


def evaluate(
    home: Home, dataset: Dataset, subject: Subject, settings: EvalSettings
) -> tuple[EvalReport, list[CaseResult]]:
    """Run an evaluation and keep it under ``home``.

    Args:
        home: of the library, where the report and the traces go.

    Raises:
        ExcerptaError: ``INVALID_DATASET`` when the dataset is of another library; ``JUDGE_FAILED``
            when no case could be judged; ``UNKNOWN_PROVIDER`` or ``INVALID_STRATEGY`` for settings;
            ``SNAPSHOT_NOT_FOUND`` when what was evaluated was removed meanwhile.
    """
    evaluator: Evaluator = REGISTRY.create(settings.evaluator, {}, home=home, settings=settings)
    return evaluator.run(dataset, subject)


def primary_metric(settings: EvalSettings) -> str:
    """The metric that decides which case is worst."""
    return metric_set_of(settings).primary
