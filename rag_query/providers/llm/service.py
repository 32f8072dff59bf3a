"""What every model behind HTTP shares: attempts, the deadline, the clock, the parsed object."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from rag_query.contracts.errors import ExcerptaError
from rag_query.providers.http import Attempt, attempts
from rag_query.providers.llm.base import Completion, FinishReason, LlmRequest, Usage
from rag_query.providers.llm.failures import cut_off
from rag_query.providers.llm.output import parse_output, unfit_answer
from rag_query.providers.registry import Params


class Price(Params):
    """What a service charges for a million tokens, in a currency of one's choice."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)

    def of(self, usage: Usage) -> float:
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / 1e6


class ServiceParams(Params):
    """Parameters of every model behind HTTP.

    Attributes:
        price: answers and evaluations then name their cost; services do not say what they charge.
    """

    price: Price | None = None
    model: str = Field(min_length=1, description="name of the model, or of an Azure deployment")
    max_retries: int = Field(2, ge=0, le=10, description="within the request's deadline")


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a service, not yet checked."""

    text: str
    finish_reason: FinishReason
    usage: Usage
    model_version: str


class ServiceLlm(ABC):
    """See :class:`rag_query.providers.llm.base.Llm`. A vendor's file says how one is asked.

    The vendor's client is made at the first call, and shared by all threads.
    """

    active = True
    provider_id: str

    def __init__(
        self, params: ServiceParams, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._retries = params.max_retries
        self._price = params.price
        self._sleep = sleep
        self._lock = threading.Lock()
        self._made: Any = None
        self._key = ""
        self.model = params.model
        self.service = f"The model service of {params.model}"

    @abstractmethod
    def _make(self) -> Any:
        """The client, and the key into ``_key``. Raises ExcerptaError."""

    @abstractmethod
    def _once(self, request: LlmRequest, timeout_s: float) -> Answer:
        """One attempt. Raises ExcerptaError only."""

    @abstractmethod
    def _open(self, request: LlmRequest, timeout_s: float) -> Iterator[str | Answer]:
        """One streamed attempt: pieces, then the answer. Raises ExcerptaError only."""

    def _client(self) -> Any:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def complete(self, request: LlmRequest) -> Completion:
        began = time.perf_counter()

        def once(attempt: Attempt) -> Completion:
            answer = self._once(request, attempt.remaining_s)
            return self._completion(request, answer, began, attempt.number)

        return attempts(
            once, deadline_s=request.deadline_s, max_retries=self._retries, sleep=self._sleep
        )

    def stream(self, request: LlmRequest) -> Iterator[str | Completion]:
        began = time.perf_counter()

        def opened(attempt: Attempt) -> tuple[str | Answer, Iterator[str | Answer], int]:
            pieces = self._open(request, attempt.remaining_s)
            first = next(pieces, None)
            if first is None:
                raise cut_off(self.service)
            return first, pieces, attempt.number

        first, pieces, number = attempts(
            opened, deadline_s=request.deadline_s, max_retries=self._retries, sleep=self._sleep
        )
        answer = first if isinstance(first, Answer) else None
        if isinstance(first, str):
            yield first
        for piece in pieces:
            if isinstance(piece, str):
                yield piece
            else:
                answer = piece
        if answer is None:
            raise cut_off(self.service)
        yield self._completion(request, answer, began, number)

    def _completion(
        self, request: LlmRequest, answer: Answer, began: float, number: int
    ) -> Completion:
        parsed = None
        if request.output is not None and answer.finish_reason is FinishReason.STOP:
            parsed = parse_output(answer.text, request.output)
        elif request.output is not None:
            raise _cut_by_length(self.service, request.max_tokens)
        return Completion(
            text=answer.text,
            parsed=parsed,
            provider_id=self.provider_id,
            model=self.model,
            model_version=answer.model_version,
            usage=answer.usage,
            latency_ms=round((time.perf_counter() - began) * 1000, 3),
            finish_reason=answer.finish_reason,
            attempts=number,
            cost=self._price.of(answer.usage) if self._price else None,
        )


def _cut_by_length(service: str, max_tokens: int) -> ExcerptaError:
    return unfit_answer(
        f"{service} reached {max_tokens} tokens before its object was whole.",
        hint="Raise `max_tokens` of the stage that asks.",
    )
