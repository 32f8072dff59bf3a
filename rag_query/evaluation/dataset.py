"""Cases as a dataset, whoever read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import Dataset, EvalCase
from rag_query.text.ids import profile_id


def dataset_of(
    dataset_id: str, provider_id: str, cases: Sequence[EvalCase], warnings: Sequence[str] = ()
) -> Dataset:
    """Cases as a dataset whose version is their content.

    Raises ExcerptaError ``INVALID_DATASET`` when there are none, or two of one id.
    """
    if not cases:
        raise ExcerptaError(ErrorCode.INVALID_DATASET, f"Dataset {dataset_id!r} has no cases.")
    twice = sorted(id_ for id_, n in Counter(case.case_id for case in cases).items() if n > 1)
    if twice:
        raise ExcerptaError(
            ErrorCode.INVALID_DATASET,
            f"Dataset {dataset_id!r} has cases of the same id: {_some(twice)}.",
            hint="Give every case an id of its own.",
            details={"case_ids": twice[:20]},
        )
    version = profile_id([case.model_dump(mode="json") for case in cases])
    return Dataset(
        dataset_id=dataset_id,
        version=version,
        provider_id=provider_id,
        cases=list(cases),
        warnings=list(warnings),
    )


def _some(names: Sequence[str], most: int = 5) -> str:
    rest = len(names) - most
    shown = ", ".join(repr(name) for name in names[:most])
    return f"{shown} and {rest} more" if rest > 0 else shown
