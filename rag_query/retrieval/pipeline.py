"""The retriever: RetrievalPlan in, EvidencePack out (DESIGN 5)."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.pack import EvidencePack
from rag_query.contracts.plan import RetrievalPlan
from rag_query.contracts.trace import Links
from rag_query.library.snapshot import Library, Snapshot
from rag_query.providers.embedding.base import Embedder, checked
from rag_query.retrieval.defaults import effective_plan
from rag_query.retrieval.embedder_slot import EmbedderFactory, EmbedderSlot
from rag_query.retrieval.execution import Execution
from rag_query.retrieval.follower import Follower
from rag_query.retrieval.stages import QueryStages
from rag_query.retrieval.validation import parse_plan
from rag_query.strategies.strategy import Strategy, parse_strategy
from rag_query.tracing.context import DeferringSink, Sink, Trace, current, start

#: Threads for the sparse legs of queries that run at the same time.
_LEG_THREADS = 8


class Retriever:
    """Answers plans from the published snapshot. Safe to use from several threads.

    Before each query the library is asked whether another snapshot was published; a query keeps
    the one it began with, or begins anew when its parts have gone (:meth:`Library.read`). Close it,
    or use it as a context manager, so that no trace is lost.

    Args:
        library: where to search.
        strategy: of the query stages and the embedder; by default the one each snapshot was
            published with.
        embedder_factory: builds the embedder of a strategy; by default the strategy's provider.
        sinks: where traces go; without any, none is recorded.
        wait_for_embedder: false answers by words alone, with a warning, while the embedder is
            still loading.
    """

    def __init__(
        self,
        library: Library,
        *,
        strategy: Strategy | None = None,
        embedder_factory: EmbedderFactory | None = None,
        sinks: Sequence[Sink] = (),
        wait_for_embedder: bool = True,
    ) -> None:
        self.library = library
        self._strategy = strategy
        self._factory = embedder_factory or self._build_embedder
        self._sinks = tuple(sinks)
        self._wait = wait_for_embedder
        self._follower = Follower(library)
        self._lock = threading.Lock()
        self._stages: dict[str, QueryStages] = {}
        self._slots: dict[str, EmbedderSlot] = {}
        self._pool = ThreadPoolExecutor(_LEG_THREADS, thread_name_prefix="retrieve")

    def run(
        self,
        plan: RetrievalPlan | Mapping[str, Any],
        *,
        wait_for_embedder: bool | None = None,
        snapshot: Snapshot | None = None,
    ) -> EvidencePack:
        """Execute a plan.

        Args:
            plan: a plan, or its decoded JSON.
            wait_for_embedder: overrides the retriever's setting for this query.
            snapshot: another snapshot than the published one, for replay.

        Returns:
            The evidence in final order. Nothing found is an empty pack with a reason among its
            warnings, no error.

        Raises:
            ExcerptaError: ``INVALID_PLAN``, ``UNSUPPORTED_VERSION``, ``INVALID_FILTER``,
                ``NOT_PUBLISHED``, ``SNAPSHOT_DAMAGED``, or the code of a leg's failure when no
                leg could run.
        """
        asked = parse_plan(plan)
        wait = self._wait if wait_for_embedder is None else wait_for_embedder
        if snapshot is not None:
            return self._run_on(snapshot, asked, wait)
        return self.library.read(lambda seen: self._run_on(seen, asked, wait))

    def _run_on(self, seen: Snapshot, asked: RetrievalPlan, wait: bool) -> EvidencePack:
        stages = self._stages_of(seen)
        effective, warnings = effective_plan(asked, stages.fuser.params, stages.context)

        def embed(texts: Sequence[str]) -> NDArray[np.float32]:
            return self._embed(stages.strategy, seen, texts, wait)

        plan_json = effective.to_json()
        execution = Execution(seen, stages, effective, embed, self._pool, plan_json, warnings)
        if not (self._sinks and effective.debug.trace):
            return execution.run()
        outer = current()
        links = Links(
            parent_trace_id=outer.trace_id if outer else None, request_id=effective.request_id
        )
        trace = Trace("query", stages.strategy.config_id, links=links)
        trace.snapshot = seen.manifest.number
        trace.replay = {"plan": plan_json, "profile_ids": stages.profile_ids}
        with start(trace, self._sinks):
            return execution.run()

    def warm(self) -> None:
        """Begin to load the embedder, then the vectors, in the background; returns at once.

        Loads no embedder while there are no vectors to compare with. From now on the parts of
        what is published later are opened in the background too.
        """
        self._follower.start()
        try:
            snapshot = self.library.snapshot()
        except ExcerptaError as exc:
            if exc.code is ErrorCode.NOT_PUBLISHED:
                return
            raise
        if (part := snapshot.manifest.vector) is not None:
            slot = self._slot(self._stages_of(snapshot).strategy)
            slot.warm(part, then=snapshot.warm_vectors)

    def embedder_ready(self) -> bool:
        """Whether a semantic query would not have to wait for the embedder."""
        snapshot = self.library.snapshot()
        return self._slot(self._stages_of(snapshot).strategy).ready

    def embedder_loading(self) -> bool:
        """Whether a semantic query that waits would soon have its embedder."""
        snapshot = self.library.snapshot()
        return self._slot(self._stages_of(snapshot).strategy).loading

    @property
    def sinks(self) -> tuple[Sink, ...]:
        """Where traces go."""
        return self._sinks

    def embed(self, texts: Sequence[str], snapshot: Snapshot) -> NDArray[np.float32]:
        """Unit vectors of texts in the library's space, shape (len(texts), dimensions).

        Raises:
            ExcerptaError: ``DENSE_FAILED`` without vectors, and what the embedder raises.
        """
        return self._embed(self._stages_of(snapshot).strategy, snapshot, texts, self._wait)

    def close(self) -> None:
        """Finish running queries and hand their traces over."""
        self._follower.close()
        self._pool.shutdown(wait=True)
        for sink in self._sinks:
            if isinstance(sink, DeferringSink):
                sink.close()

    def __enter__(self) -> Retriever:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _embed(
        self, strategy: Strategy, snapshot: Snapshot, texts: Sequence[str], wait: bool
    ) -> NDArray[np.float32]:
        part = snapshot.manifest.vector
        if part is None:
            raise ExcerptaError(ErrorCode.DENSE_FAILED, "The library has no vectors.")
        slot = self._slot(strategy)
        if not wait and not slot.ready:
            slot.warm(part)
            raise ExcerptaError(
                ErrorCode.MODEL_UNAVAILABLE,
                "The embedder is still loading.",
                hint="Ask again in a moment for semantic results.",
                transient=True,
            )
        return slot.embed(texts, part)

    def _stages_of(self, snapshot: Snapshot) -> QueryStages:
        key = self._strategy.config_id if self._strategy else snapshot.manifest.strategy_config_id
        with self._lock:
            known = self._stages.get(key)
            if known is None:
                # A strategy in a manifest was valid when it was published.
                strategy = self._strategy or parse_strategy(snapshot.manifest.strategy)
                known = QueryStages.build(strategy, lambda: self._slot(strategy).embedder())
                self._stages[key] = known
            return known

    def _slot(self, strategy: Strategy) -> EmbedderSlot:
        """One embedder for each way a strategy names one."""
        key = strategy.profile_id("embedder")
        with self._lock:
            if key not in self._slots:
                self._slots[key] = EmbedderSlot(self._factory, strategy)
            return self._slots[key]

    def _build_embedder(self, strategy: Strategy) -> Embedder:
        return checked(strategy.build("embedder", home=self.library.home))
