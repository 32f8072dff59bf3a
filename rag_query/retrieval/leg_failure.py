"""A leg that failed: its code, what the caller is told, and when nothing is left."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.contracts.evidence import Leg

log = logging.getLogger(__name__)

LEG_CODES: Mapping[Leg, ErrorCode] = {
    "dense": ErrorCode.DENSE_FAILED,
    "sparse": ErrorCode.SPARSE_FAILED,
}
OTHER: Mapping[Leg, Leg] = {"dense": "sparse", "sparse": "dense"}

_NAMES: Mapping[Leg, str] = {"dense": "semantic search", "sparse": "exact (BM25) search"}
#: Codes that say more than that the leg failed.
_KEPT = (
    ErrorCode.MODEL_UNAVAILABLE,
    ErrorCode.EMBED_FAILED,
    ErrorCode.EMBEDDER_MISMATCH,
    *LEG_CODES.values(),
)


def leg_failure(leg: Leg, exc: Exception) -> ExcerptaError:
    """What made a leg fail, as an error with one of few codes; logged here, once."""
    known = classify(exc)
    if known.code in _KEPT:
        log.warning("the %s leg failed: %s", leg, known)
        return known
    log.warning("the %s leg failed", leg, exc_info=exc)
    if isinstance(exc, ExcerptaError):
        details = known.details | {"cause": str(known.code)}
        return ExcerptaError(LEG_CODES[leg], known.message, hint=known.hint, details=details)
    return ExcerptaError(
        LEG_CODES[leg],
        f"The {leg} index could not be searched ({type(exc).__name__}).",
        hint="Run `excerpta status`; publishing again rebuilds a damaged index.",
        transient=known.transient,
    )


def stand_in_warning(failed: Leg, failure: ExcerptaError) -> str:
    """What the caller is told when the other leg answers alone."""
    told = (
        f"{failed}_failed: {_NAMES[failed]} was not available ({failure.code}: "
        f"{failure.message}); answered by {_NAMES[OTHER[failed]]} alone"
    )
    return f"{told}. {failure.hint}" if failure.transient and failure.hint else told


def is_stand_in(warning: str) -> bool:
    """Whether it is one of :func:`stand_in_warning`."""
    return warning.startswith(tuple(f"{leg}_failed: " for leg in LEG_CODES))


def nothing_ran(failures: Mapping[Leg, ExcerptaError], first: Leg) -> ExcerptaError:
    """The error of a query for which both legs failed; it has the code of ``first``."""
    dense, sparse = failures["dense"], failures["sparse"]
    return ExcerptaError(
        failures[first].code,
        f"No search could run. Semantic: {dense.message} Exact: {sparse.message}",
        hint=failures[first].hint,
        details={"dense_failed": str(dense.code), "sparse_failed": str(sparse.code)},
        transient=dense.transient or sparse.transient,
    )
