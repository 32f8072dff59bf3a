"""``llm.none``: no model; whoever would ask one does without."""

from __future__ import annotations

from collections.abc import Iterator

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.llm.base import Completion, LlmRequest
from rag_query.providers.registry import Params, register


class NoLlm:
    """See :class:`rag_query.providers.llm.base.Llm`."""

    active = False
    provider_id = "llm.none"
    model = ""

    def complete(self, request: LlmRequest) -> Completion:
        """Raises ExcerptaError ``LLM_NOT_CONFIGURED``."""
        del request
        raise ExcerptaError(
            ErrorCode.LLM_NOT_CONFIGURED,
            "The strategy names no language model.",
            hint="Name one as the strategy's stage `llm`, such as llm.openai_compatible.",
        )

    def stream(self, request: LlmRequest) -> Iterator[str | Completion]:
        """Raises ExcerptaError ``LLM_NOT_CONFIGURED``."""
        yield self.complete(request)


def _build(params: Params) -> NoLlm:
    del params
    return NoLlm()


register("llm.none", version="1", build=_build)
