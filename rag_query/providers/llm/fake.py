"""``llm.fake``: a model that says what it was told to say, in order; the last for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from rag_query.contracts.errors import ExcerptaError
from rag_query.providers.llm.base import Completion, FinishReason, LlmRequest, Usage
from rag_query.providers.llm.output import parse_output
from rag_query.providers.registry import Params, register

#: Text to say, a function of the request that says it, or a failure to raise.
Reply = str | Callable[[LlmRequest], str] | ExcerptaError


class FakeParams(Params):
    """``replies`` of ``llm.fake``; without any it repeats the last user message."""

    replies: tuple[str, ...] = ()


class FakeLlm:
    """See :class:`rag_query.providers.llm.base.Llm`. ``asked`` keeps every request."""

    active = True
    provider_id = "llm.fake"
    model = "fake"

    def __init__(self, replies: Sequence[Reply] = ()) -> None:
        self._replies = list(replies)
        self._lock = threading.Lock()
        self.asked: list[LlmRequest] = []

    def complete(self, request: LlmRequest) -> Completion:
        text = self._say(request)
        return Completion(
            text=text,
            parsed=parse_output(text, request.output) if request.output else None,
            provider_id=self.provider_id,
            model=self.model,
            model_version="1",
            usage=Usage(sum(len(m.text.split()) for m in request.messages), len(text.split())),
            latency_ms=0.0,
            finish_reason=FinishReason.STOP,
        )

    def stream(self, request: LlmRequest) -> Iterator[str | Completion]:
        completion = self.complete(request)
        yield from completion.text.splitlines(keepends=True)
        yield completion

    def _say(self, request: LlmRequest) -> str:
        with self._lock:
            self.asked.append(request)
            if not self._replies:
                return request.messages[-1].text
            reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, ExcerptaError):
            raise reply
        return reply if isinstance(reply, str) else reply(request)


def _build(params: FakeParams) -> FakeLlm:
    return FakeLlm(params.replies)


register("llm.fake", version="1", params=FakeParams, build=_build)
