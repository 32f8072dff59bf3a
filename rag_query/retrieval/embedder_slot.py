"""The embedder of the query side: loaded in the background, checked against the library's space.

A library is published with the text and vector of a probe. The first time a space is met the
probe is embedded again; vectors of this process may only be compared with the library's when
both agree (cosine at least 0.999).
"""

from __future__ import annotations

import copy
import logging
import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.contracts.snapshot import VectorPart
from rag_query.providers.embedding.base import Embedder
from rag_query.strategies.strategy import Strategy

log = logging.getLogger(__name__)

#: Below this the process's vectors are not those of the library.
MIN_PROBE_COSINE = 0.999

EmbedderFactory = Callable[[Strategy], Embedder]


class EmbedderSlot:
    """One embedder, loaded once; safe to use from several threads.

    A load that failed for a transient reason is tried again by the next query.
    """

    def __init__(self, factory: EmbedderFactory, strategy: Strategy) -> None:
        self._factory = factory
        self._strategy = strategy
        self._starting = threading.Lock()
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None
        self._failure: ExcerptaError | None = None
        self._loading: threading.Thread | None = None
        #: probe -> why its space is refused; None when it is this embedder's.
        self._verdicts: dict[str, ExcerptaError | None] = {}

    @property
    def ready(self) -> bool:
        """Whether a query would not have to wait: it has embedded, or is known to be unable to."""
        return bool(self._verdicts) or self._failure is not None

    @property
    def loading(self) -> bool:
        """Whether it is being loaded in the background, and is not ready yet."""
        loading = self._loading
        return loading is not None and loading.is_alive() and not self.ready

    def warm(self, part: VectorPart, then: Callable[[], None] | None = None) -> None:
        """Load and check in the background, then call ``then`` there; returns at once."""
        with self._starting:
            if self.ready or self.loading:
                return
            # A daemon: a process that ends early need not wait for a model to load.
            self._loading = threading.Thread(
                target=self._warm, args=(part, then), name="embedder-load", daemon=True
            )
            self._loading.start()

    def embedder(self) -> Embedder:
        """The embedder itself, loaded. Raises ExcerptaError ``MODEL_UNAVAILABLE``."""
        return self._load()

    def embed(self, texts: Sequence[str], part: VectorPart) -> NDArray[np.float32]:
        """Query vectors of shape (len(texts), dimensions) in the space of ``part``.

        Raises:
            ExcerptaError: ``MODEL_UNAVAILABLE``, ``EMBED_FAILED``, or ``EMBEDDER_MISMATCH`` when
                this embedder's vectors do not lie in the library's space.
        """
        embedder = self._load()
        self._check(embedder, part)
        return embedder.embed_queries(texts)

    def _warm(self, part: VectorPart, then: Callable[[], None] | None) -> None:
        try:
            self._check(self._load(), part)
            if then is not None:
                then()
        except ExcerptaError as exc:
            # Kept in the slot; the query that needs the embedder reports it.
            log.info("the embedder could not be warmed: %s", exc)

    def _load(self) -> Embedder:
        with self._lock:
            if self._embedder is not None:
                return self._embedder
            if self._failure is not None and not self._failure.transient:
                raise copy.copy(self._failure)
            try:
                self._embedder = self._factory(self._strategy)
                self._failure = None
            except Exception as exc:
                self._failure = _unavailable(exc)
                raise self._failure from exc
            return self._embedder

    def _check(self, embedder: Embedder, part: VectorPart) -> None:
        """Raise when the library's vectors are not comparable; each probe is embedded once."""
        key = f"{part.space.space_id}/{hash(tuple(part.probe_vector))}"
        if key not in self._verdicts:
            try:
                self._verdicts[key] = _mismatch(embedder, part)
            except Exception as exc:
                failure = _unavailable(exc)
                if failure.transient:
                    raise failure from exc
                self._verdicts[key] = failure
        if (verdict := self._verdicts[key]) is not None:
            # A copy: raising the same exception again and again grows its traceback.
            raise copy.copy(verdict)


def _mismatch(embedder: Embedder, part: VectorPart) -> ExcerptaError | None:
    space = embedder.card.space
    if space.space_id != part.space.space_id:
        return ExcerptaError(
            ErrorCode.EMBEDDER_MISMATCH,
            f"The library's vectors are of {part.space.embedder_id} "
            f"({part.space.embedder_version[:12]}), this embedder is {space.embedder_id} "
            f"({space.embedder_version[:12]}).",
            hint="Query with the strategy the library was published with, or publish again.",
            details={"library": part.space.model_dump(), "embedder": space.model_dump()},
        )
    # The first embedding is also what loads weights that the embedder left for later.
    probe = embedder.embed_queries([part.probe_text])[0]
    cosine = float(np.dot(probe, np.asarray(part.probe_vector, dtype=np.float32)))
    if cosine >= MIN_PROBE_COSINE:
        return None
    return ExcerptaError(
        ErrorCode.EMBEDDER_MISMATCH,
        f"The embedder of this process gives other vectors than the library's "
        f"(cosine {cosine:.4f}, at least {MIN_PROBE_COSINE} is needed).",
        hint="Check that model files and engine are those the library was published with.",
        details={"cosine": round(cosine, 6)},
    )


def _unavailable(exc: Exception) -> ExcerptaError:
    known = classify(exc)
    if known.code is not ErrorCode.INTERNAL:
        return known
    return ExcerptaError(
        ErrorCode.MODEL_UNAVAILABLE,
        f"The embedder could not be loaded ({type(exc).__name__}).",
        hint="Run `excerpta status` to see which model the library needs.",
    )
