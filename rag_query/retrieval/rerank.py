"""Running a reranker within its time, and falling back to the fused order (DEV_SPEC 3.2.8.4)."""

from __future__ import annotations

import contextvars
import math
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass

from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.providers.reranking.base import Passage, Reranker

#: A reranker that takes longer has failed.
DEFAULT_TIME_LIMIT_S = 5.0


@dataclass(frozen=True, slots=True)
class Reranked:
    """What came of it.

    Attributes:
        order: indices of the passages, best first; the given order when nothing reranked.
        scores: chunk_id -> score; empty when nothing reranked.
        failure: why the fused order stands although a reranker ran.
    """

    order: list[int]
    scores: dict[str, float]
    failure: ExcerptaError | None = None


def rerank(
    reranker: Reranker,
    query: str,
    passages: Sequence[Passage],
    time_limit_s: float = DEFAULT_TIME_LIMIT_S,
) -> Reranked:
    """Order passages by the reranker's scores; equal scores keep the fused order.

    Never raises: a failure, an answer of the wrong length, a score that is not a number and
    running out of time keep the fused order and say why.
    """
    unchanged = list(range(len(passages)))
    if not passages or not reranker.active:
        return Reranked(unchanged, {})
    answer: Future[list[float] | None] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            answer.set_result(context.run(reranker.rerank, query, passages))
        except Exception as exc:
            answer.set_exception(exc)

    # A thread of its own: one that outlives its time must not hold a place in a pool.
    threading.Thread(target=work, name="rerank", daemon=True).start()
    try:
        scores = answer.result(timeout=time_limit_s)
    except FutureTimeout:
        return Reranked(unchanged, {}, _failed(f"took longer than {time_limit_s:g} s"))
    except Exception as exc:
        return Reranked(unchanged, {}, _failed(classify(exc).message))
    if scores is None:
        return Reranked(unchanged, {})
    if len(scores) != len(passages) or any(map(math.isnan, scores)):
        return Reranked(unchanged, {}, _failed("returned scores that do not fit the passages"))
    order = sorted(unchanged, key=lambda index: (-scores[index], index))
    named = {p.chunk_id: float(score) for p, score in zip(passages, scores, strict=True)}
    return Reranked(order, named)


def _failed(why: str) -> ExcerptaError:
    return ExcerptaError(ErrorCode.PROVIDER_UNAVAILABLE, f"The reranker {why}.", transient=True)
