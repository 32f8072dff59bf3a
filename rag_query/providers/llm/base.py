"""The language model's contract (DEV_SPEC 3.4.5): a request in, a completion out.

A provider raises :class:`~rag_query.contracts.errors.ExcerptaError` with one of the ``LLM_*``
codes; ``transient`` says whether the same request may succeed later. Whoever asks has a fallback.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text of a message."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image of a message: encoded bytes and their type, as ``image/png``."""

    data: bytes
    mime: str


Part = TextPart | ImagePart


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. A system message holds text only."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, role: Literal["system", "user", "assistant"], text: str) -> Message:
        """A message of text alone."""
        return cls(role, (TextPart(text),))

    @property
    def text(self) -> str:
        """Its text parts, joined by blank lines."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, TextPart))


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """What a model is asked.

    Attributes:
        output: the answer must be a JSON object of this model; it then stands in
            ``Completion.parsed``, validated.
        temperature: 0 to 2; ``None`` leaves the service's own.
        max_tokens: of the answer.
        deadline_s: for the whole call: every attempt, every wait between them, every byte.
        prompt_profile_id: which prompt this is; recorded, never sent.
        mode: ``online`` for a waiting reader, ``offline`` for ingestion; recorded, never sent.
    """

    messages: tuple[Message, ...]
    output: type[BaseModel] | None = None
    temperature: float | None = 0.0
    max_tokens: int = 1024
    deadline_s: float = 60.0
    prompt_profile_id: str = ""
    mode: Literal["online", "offline"] = "online"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the service counted them; 0 where it did not say."""

    input_tokens: int = 0
    output_tokens: int = 0


class FinishReason(StrEnum):
    """Why the model stopped. An answer cut by ``LENGTH`` holds no parsed object."""

    STOP = "stop"
    LENGTH = "length"


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered.

    Attributes:
        parsed: an instance of the request's ``output``; ``None`` when none was asked for.
        model: the name the request went to; ``model_version`` is what the service says answered.
        latency_ms: of the whole call, waits included.
        attempts: requests sent, at least 1.
        cost: of ``usage``, where the strategy states the service's price.
    """

    text: str
    parsed: BaseModel | None
    provider_id: str
    model: str
    model_version: str
    usage: Usage
    latency_ms: float
    finish_reason: FinishReason
    attempts: int = 1
    cost: float | None = None


class Llm(Protocol):
    """A language model. Methods may be called from several threads.

    Attributes:
        active: false for ``llm.none``, so that a caller need not prepare a prompt.
        provider_id: ``llm.<name>``.
        model: the name requests go to.
    """

    @property
    def active(self) -> bool: ...

    @property
    def provider_id(self) -> str: ...

    @property
    def model(self) -> str: ...

    def complete(self, request: LlmRequest) -> Completion:
        """The whole answer.

        Raises:
            ExcerptaError: ``LLM_NOT_CONFIGURED``, ``LLM_MISCONFIGURED``, ``LLM_UNAVAILABLE``,
                ``LLM_RATE_LIMITED``, ``LLM_TIMEOUT``, ``LLM_REFUSED`` or ``LLM_BAD_OUTPUT``.
        """
        ...

    def stream(self, request: LlmRequest) -> Iterator[str | Completion]:
        """Pieces of the answer's text as they come, then the completion, last and once.

        Only what fails before the first piece is tried again.

        Raises:
            ExcerptaError: as :meth:`complete`; a stream that ends early is ``LLM_UNAVAILABLE``.
        """
        ...
