"""Opening a retriever on a library, with its traces going where they belong."""

from __future__ import annotations

from collections.abc import Sequence

from rag_query.library.home import Home
from rag_query.library.snapshot import Library
from rag_query.retrieval.embedder_slot import EmbedderFactory
from rag_query.retrieval.pipeline import Retriever
from rag_query.strategies.strategy import Strategy
from rag_query.tracing.context import Sink
from rag_query.tracing.outlets import background_sink


def open_retriever(
    home: Home,
    *,
    strategy: Strategy | None = None,
    embedder_factory: EmbedderFactory | None = None,
    sinks: Sequence[Sink] | None = None,
) -> Retriever:
    """A retriever on the library at ``home``; use it as a context manager.

    Args:
        sinks: by default JSON lines under the library's ``traces/query``, written in the
            background.

    Raises:
        ExcerptaError: ``LIBRARY_NOT_FOUND`` or ``LIBRARY_INCOMPATIBLE``. A library in which
            nothing is published opens; its first query fails with ``NOT_PUBLISHED``.
    """
    return Retriever(
        Library.open(home),
        strategy=strategy,
        embedder_factory=embedder_factory,
        sinks=(background_sink(home),) if sinks is None else sinks,
    )
