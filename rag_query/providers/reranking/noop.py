"""``reranker.noop``: keeps the fused order; the stage still leaves its span."""

from __future__ import annotations

from collections.abc import Sequence

from rag_query.providers.registry import Params, register
from rag_query.providers.reranking.base import Passage


class NoopReranker:
    """See :class:`rag_query.providers.reranking.base.Reranker`."""

    active = False

    def rerank(self, query: str, passages: Sequence[Passage]) -> list[float] | None:
        """None: there is nothing to change."""
        del query, passages
        return None


def _build(params: Params, **_: object) -> NoopReranker:
    del params
    return NoopReranker()


register("reranker.noop", version="1", build=_build)
