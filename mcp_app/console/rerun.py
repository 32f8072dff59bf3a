"""Asking a question of the past again, as it was or under another strategy."""

from __future__ import annotations

from mcp_app.console.library import ConsoleLibrary
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.trace import TraceEnvelope
from rag_query.library.snapshot import Library
from rag_query.retrieval.pipeline import Retriever
from rag_query.strategies.strategy import check_strategy, load_shipped


def rerun(
    library: ConsoleLibrary, trace: TraceEnvelope, *, strategy: str | None = None
) -> TraceEnvelope:
    """Run the plan a query trace holds, on the published snapshot; leaves no trace in the library.

    Args:
        strategy: name of a shipped strategy whose query stages act; None for the published one.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` for a trace that holds no plan or another name;
            ``EMBEDDER_MISMATCH`` and whatever else the retriever raises.
    """
    plan = trace.replay.get("plan")
    if not plan:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            "This trace holds no plan, so it cannot be run again.",
            hint="Traces of questions hold one; those of ingestion runs do not.",
        )
    chosen = None
    if strategy is not None:
        chosen = load_shipped(strategy)
        check_strategy(chosen)
    kept = _Kept()
    with Retriever(Library.open(library.home), strategy=chosen, sinks=(kept,)) as retriever:
        retriever.run(plan)
    assert kept.trace is not None
    return kept.trace


class _Kept:
    """A sink that keeps the one trace it is given."""

    def __init__(self) -> None:
        self.trace: TraceEnvelope | None = None

    def write(self, envelope: TraceEnvelope) -> None:
        self.trace = envelope
