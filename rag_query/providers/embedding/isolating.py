"""Calls to an embedder that fail alone: retried when that may help, halved until the bad text
stands by itself (DEV_SPEC 3.1.6.3).

A text is at fault only when the embedder embeds another right then. One that does not is out of
order, and no text of the library may be marked as failed for that.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.providers.embedding.base import Embedder
from rag_query.providers.json_client import RATE_LIMITED, Retries

MAX_RETRIES = 3
FIRST_DELAY_S = 0.5
#: What every embedder can embed.
PROBE = "excerpta"

#: Vectors of shape (n, dimensions) and n failures, None where there was none.
Answer = tuple[NDArray[np.float32], list[ExcerptaError | None]]

#: What one text can cause. Anything else would mark every text of the library as failed.
_OF_A_TEXT = (ErrorCode.EMBED_FAILED, ErrorCode.INTERNAL)


@dataclass(slots=True)
class CallCounts:
    """The measures of DEV_SPEC 3.1.6.4.3 that calls make.

    Attributes:
        seconds: while at least one call was under way.
        texts_cut: texts of which the model took only the beginning; None where nobody knows.
    """

    embed_calls: int = 0
    embed_failures: int = 0
    retries: int = 0
    rate_limited: int = 0
    texts: int = 0
    texts_cut: int | None = None
    seconds: float = 0.0
    latencies_ms: list[float] = field(default_factory=list)
    error_types: Counter[str] = field(default_factory=Counter)

    def count(self, error_types: Counter[str]) -> None:
        """Failures by type: a type of ``json_client``, or an error's code."""
        self.error_types.update(error_types)
        self.rate_limited += error_types[RATE_LIMITED]

    def summary(self) -> dict[str, object]:
        """JSON-serialisable; milliseconds and texts a second are rounded."""
        p50, p95 = np.percentile(self.latencies_ms, [50, 95]) if self.latencies_ms else (0.0, 0.0)
        return {
            "embed_calls": self.embed_calls,
            "embed_failures": self.embed_failures,
            "retries": self.retries,
            "rate_limited": self.rate_limited,
            "throughput_chunks_per_sec": round(self.texts / self.seconds, 2) if self.texts else 0.0,
            "latency_ms_p50": round(float(p50), 1),
            "latency_ms_p95": round(float(p95), 1),
            "error_type": dict(self.error_types),
            **({} if self.texts_cut is None else {"texts_cut": self.texts_cut}),
        }


class IsolatingCalls:
    """Embeds texts so that a bad one does not take its neighbours with it.

    May be called from several threads when ``embed`` may.

    Args:
        embed: an embedder's ``embed_passages``.
        dimensions: width of its vectors.
        counts: of earlier calls, to be added to.
        own_retries: of an embedder that makes requests again by itself; it is not asked twice
            then.
        request_texts: of one request, when the embedder makes several of a longer call; each is a
            call of its own then, so that the failure of one repeats no other.
        texts_cut: of an embedder that knows; see :class:`Embedder`.
        sleep: waits between retries.
    """

    def __init__(
        self,
        embed: Callable[[Sequence[str]], NDArray[np.float32]],
        dimensions: int,
        counts: CallCounts | None = None,
        *,
        own_retries: Retries | None = None,
        request_texts: int | None = None,
        texts_cut: Callable[[], int | None] = lambda: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.counts = counts or CallCounts()
        self._embed = embed
        self._dimensions = dimensions
        self._sleep = sleep
        self._own_retries = own_retries
        self._own_counted = Counter(own_retries.error_types) if own_retries else Counter[str]()
        self._request_texts = request_texts
        self._texts_cut = texts_cut
        self._max_retries = 0 if own_retries else MAX_RETRIES
        self._failed_in_a_row = 0
        self._lock = threading.Lock()
        self._under_way = 0
        self._busy_since = 0.0

    def __call__(self, texts: Sequence[str]) -> Answer:
        """Vectors of shape (n, dimensions) and, for each text, its failure or None; the vector of
        a failed text is zero.

        Raises:
            ExcerptaError: when the embedder itself is out of order: its model is missing, memory
                is short, or it does not embed :data:`PROBE` either.
        """
        size = self._request_texts or len(texts)
        if len(texts) > size:
            return _joined([self(texts[at : at + size]) for at in range(0, len(texts), size)])
        try:
            vectors = self._with_retries(texts)
        except ExcerptaError as error:
            if error.code not in _OF_A_TEXT:
                raise
            alone = len(texts) == 1
            # A service that is down is found out at once, not by halving down to one text.
            if alone or error.transient:
                self._probe(error)
            if alone:
                return np.zeros((1, self._dimensions), np.float32), [error]
            middle = len(texts) // 2
            return _joined([self(texts[:middle]), self(texts[middle:])])
        return vectors, [None] * len(texts)

    def _probe(self, error: ExcerptaError) -> None:
        """Raises ExcerptaError when ``error`` is the embedder's own."""
        try:
            self._once([PROBE])
        except ExcerptaError as out_of_order:
            raise ExcerptaError(
                out_of_order.code,
                out_of_order.message,
                hint=out_of_order.hint
                or "No text can be embedded. What was published before still answers; mend the "
                "embedder and ingest again.",
                details=out_of_order.details,
                transient=out_of_order.transient,
            ) from error

    def _with_retries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        delay = FIRST_DELAY_S
        for attempt in range(self._max_retries + 1):
            try:
                vectors = self._once(texts)
            except ExcerptaError as error:
                # Once a call failed in spite of its retries, its halves are tried at once.
                hopeful = error.transient and self._failed_in_a_row <= self._max_retries
                if not hopeful or attempt == self._max_retries:
                    raise
            else:
                with self._lock:
                    self._failed_in_a_row = 0
                return vectors
            with self._lock:
                self.counts.retries += 1
            self._sleep(delay)
            delay *= 2
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _once(self, texts: Sequence[str]) -> NDArray[np.float32]:
        cut_before = self._texts_cut()
        began = self._begin()
        try:
            vectors = self._embed(texts)
        except Exception as exc:
            error = classify(exc)
            with self._lock:
                self.counts.embed_failures += 1
                self.counts.count(Counter([str(error.details.get("error_type", error.code))]))
                self._failed_in_a_row += 1
            raise error from exc
        finally:
            ended = self._end()
        with self._lock:
            self.counts.texts += len(texts)
            self.counts.latencies_ms.append((ended - began) * 1000)
            cut = self._texts_cut()
            if cut is not None and cut_before is not None:
                self.counts.texts_cut = (self.counts.texts_cut or 0) + cut - cut_before
        return vectors

    def _begin(self) -> float:
        """The moment, in seconds, at which a call begins."""
        with self._lock:
            began = time.perf_counter()
            if not self._under_way:
                self._busy_since = began
            self._under_way += 1
            self.counts.embed_calls += 1
        return began

    def _end(self) -> float:
        """The moment, in seconds, at which a call ends, whatever became of it."""
        with self._lock:
            ended = time.perf_counter()
            self._under_way -= 1
            if not self._under_way:
                self.counts.seconds += ended - self._busy_since
            # The embedder does not say which of the calls under way made a request again.
            own = Counter(self._own_retries.error_types) if self._own_retries else Counter[str]()
            again, self._own_counted = own - self._own_counted, own
            self.counts.retries += again.total()
            self.counts.count(again)
        return ended


def _joined(answers: Sequence[Answer]) -> Answer:
    vectors, failures = zip(*answers, strict=True)
    return np.concatenate(vectors), list(chain.from_iterable(failures))


def calls_to(embedder: Embedder, counts: CallCounts | None = None) -> IsolatingCalls:
    """Calls to the passages' side of an embedder, as :class:`IsolatingCalls` makes them."""
    return IsolatingCalls(
        embedder.embed_passages,
        embedder.card.dimensions,
        counts,
        own_retries=embedder.retries,
        request_texts=embedder.request_texts,
        texts_cut=lambda: embedder.texts_cut,
    )
