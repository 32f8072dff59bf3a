"""The models that need no service."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

import rag_query.builtin  # noqa: F401  (registers the providers)
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.llm.base import Completion, LlmRequest, Message
from rag_query.providers.llm.fake import FakeLlm
from rag_query.providers.registry import REGISTRY
from rag_query.strategies.strategy import load_strategy, parse_strategy


class Colour(BaseModel):
    name: str


REQUEST = LlmRequest((Message.of("user", "Which colour?"),))


def test_the_fake_says_its_replies_in_order_and_the_last_for_ever() -> None:
    llm = REGISTRY.create("llm.fake", {"replies": ["red", "blue\ngreen"]})
    assert [llm.complete(REQUEST).text for _ in range(3)] == ["red", "blue\ngreen", "blue\ngreen"]
    *pieces, last = llm.stream(REQUEST)
    assert pieces == ["blue\n", "green"] and isinstance(last, Completion)


def test_the_fake_checks_objects_computes_and_fails_as_told() -> None:
    failure = ExcerptaError(ErrorCode.LLM_TIMEOUT, "late", transient=True)
    llm = FakeLlm(['{"name": "red"}', failure, lambda request: request.messages[0].text])
    asked = LlmRequest(REQUEST.messages, output=Colour)
    assert llm.complete(asked).parsed == Colour(name="red")
    with pytest.raises(ExcerptaError, match="late"):
        llm.complete(asked)
    assert llm.complete(REQUEST).text == "Which colour?"
    with pytest.raises(ExcerptaError) as raised:
        llm.complete(asked)
    assert raised.value.code is ErrorCode.LLM_BAD_OUTPUT
    assert len(llm.asked) == 4


def test_no_model_says_what_to_do() -> None:
    llm = load_strategy().build("llm")
    assert not llm.active
    with pytest.raises(ExcerptaError, match=r"llm\.openai_compatible") as raised:
        llm.complete(REQUEST)
    assert raised.value.code is ErrorCode.LLM_NOT_CONFIGURED
    with pytest.raises(ExcerptaError):
        next(llm.stream(REQUEST))


def test_a_strategy_from_before_models_stays_readable() -> None:
    stages = load_strategy().model_dump()
    del stages["stages"]["llm"]
    assert parse_strategy(stages).stages.llm.provider == "llm.none"
