"""Both vendors' SDKs against a real server of their wire formats, well and badly behaved."""

from __future__ import annotations

import base64
import logging
import socket
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel, Field

import rag_query.builtin  # noqa: F401  (registers the providers)
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.llm.base import (
    Completion,
    FinishReason,
    ImagePart,
    Llm,
    LlmRequest,
    Message,
    TextPart,
    Usage,
)
from rag_query.providers.registry import REGISTRY
from tests.llm_server import Asked, Fault, Reply, Script, Vendor, serving_llm

KEY = "sk-very-secret"
VENDORS: tuple[Vendor, ...] = ("openai", "anthropic")


class Colour(BaseModel):
    """A colour and how sure the model is of it."""

    name: str = Field(min_length=1)
    sure: float = 0.5


@pytest.fixture(scope="module")
def served() -> Iterator[Script]:
    with serving_llm() as script:
        yield script


@pytest.fixture(params=VENDORS)
def vendor(request: pytest.FixtureRequest) -> Vendor:
    return request.param  # type: ignore[no-any-return]


Build = Callable[..., Llm]


@pytest.fixture
def build(served: Script, vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> Build:
    monkeypatch.setenv("THE_KEY", KEY)
    served.set("ok")

    def made(waits: list[float] | None = None, **params: Any) -> Llm:
        kind = "openai_compatible" if vendor == "openai" else "anthropic"
        given = {
            "model": "m",
            "base_url": served.base_url(vendor),
            "api_key_env": "THE_KEY",
        } | params
        sleep = (waits if waits is not None else []).append
        llm: Llm = REGISTRY.create(f"llm.{kind}", given, sleep=sleep)
        return llm

    return made


def ask(text: str = "Which colour has the sky?", **settings: Any) -> LlmRequest:
    messages = (Message.of("system", "Be brief."), Message.of("user", text))
    return LlmRequest(messages, **({"deadline_s": 20.0} | settings))


def drain(llm: Llm, request: LlmRequest) -> tuple[list[str], Completion]:
    *pieces, last = list(llm.stream(request))
    assert isinstance(last, Completion)
    assert all(isinstance(piece, str) for piece in pieces)
    return [str(piece) for piece in pieces], last


def test_an_answer_with_its_usage(served: Script, build: Build, vendor: Vendor) -> None:
    served.set("The sky is blue, 天空是蓝色的。")
    completion = build().complete(ask(max_tokens=50))
    assert completion.text == "The sky is blue, 天空是蓝色的。"
    assert completion.usage == Usage(11, 7)
    assert completion.finish_reason is FinishReason.STOP
    assert (completion.model, completion.attempts) == ("m", 1)
    assert completion.model_version.startswith("model-2026-01-01")
    (asked,) = served.asked
    assert asked.vendor == vendor
    assert "Be brief." in asked.prompt and "sky" in asked.prompt
    assert asked.body["max_tokens"] == 50
    assert ("temperature" in asked.body) == (vendor == "openai")


def test_a_stream_gives_pieces_then_the_completion(served: Script, build: Build) -> None:
    served.set("One sentence after another, 一句接一句。")
    pieces, completion = drain(build(), ask())
    assert len(pieces) > 3
    assert "".join(pieces) == completion.text == "One sentence after another, 一句接一句。"
    assert completion.usage == Usage(11, 7)
    assert served.asked[0].body["stream"] is True


def test_an_object_is_asked_for_by_schema_and_checked(
    served: Script, build: Build, vendor: Vendor
) -> None:
    served.set('{"name": "blue", "sure": 0.9}')
    request = ask(output=Colour)
    assert build().complete(request).parsed == Colour(name="blue", sure=0.9)
    assert drain(build(), request)[1].parsed == Colour(name="blue", sure=0.9)
    body = served.asked[0].body
    if vendor == "openai":
        given = body["response_format"]["json_schema"]
        assert given["strict"] is True
    else:
        given = body["output_config"]["format"]
    assert given["schema"]["required"] == ["name", "sure"]
    assert given["schema"]["additionalProperties"] is False
    assert given["schema"]["properties"]["name"] == {"type": "string"}


def test_an_object_asked_for_in_the_prompt(served: Script, build: Build) -> None:
    served.set('```json\n{"name": "blue"}\n```')
    llm = build(structured="prompt")
    assert llm.complete(ask(output=Colour)).parsed == Colour(name="blue")
    assert '"additionalProperties": false' in served.asked[0].prompt
    assert "response_format" not in served.asked[0].body
    assert "output_config" not in served.asked[0].body


@pytest.mark.parametrize("broken", ['{"name": "bl', '{"name": ""}', '{"sure": 1}', "blue", "[]"])
def test_a_broken_object_is_tried_again_then_has_a_code(
    served: Script, build: Build, broken: str
) -> None:
    served.set(broken, '{"name": "blue"}')
    completion = build().complete(ask(output=Colour))
    assert completion.parsed == Colour(name="blue") and completion.attempts == 2
    served.set(broken)
    with pytest.raises(ExcerptaError) as raised:
        build(max_retries=1).complete(ask(output=Colour))
    assert raised.value.code is ErrorCode.LLM_BAD_OUTPUT
    assert len(served.asked) == 2


def test_an_image_travels_with_the_text(served: Script, build: Build, vendor: Vendor) -> None:
    image = ImagePart(b"\x89PNG....", "image/png")
    message = Message("user", (TextPart("What is this?"), image))
    build().complete(LlmRequest((message,)))
    text, sent = served.asked[0].body["messages"][0]["content"]
    assert text["text"] == "What is this?"
    data = base64.b64encode(image.data).decode()
    if vendor == "openai":
        assert sent["image_url"]["url"] == f"data:image/png;base64,{data}"
    else:
        assert sent["source"] == {"type": "base64", "media_type": "image/png", "data": data}


def test_the_wait_a_service_asks_for_is_kept(served: Script, build: Build) -> None:
    waits: list[float] = []
    served.set(
        Reply(fault=Fault.RATE_LIMITED, retry_after="3"),
        Reply(fault=Fault.SERVER_ERROR),
        Reply("at last"),
    )
    completion = build(waits).complete(ask())
    assert (completion.text, completion.attempts) == ("at last", 3)
    assert waits[0] == 3.0 and 0.75 <= waits[1] <= 1.0


def test_a_wait_beyond_the_deadline_is_not_begun(served: Script, build: Build) -> None:
    waits: list[float] = []
    served.set(Reply(fault=Fault.RATE_LIMITED, retry_after="60"))
    with pytest.raises(ExcerptaError) as raised:
        build(waits).complete(ask(deadline_s=5.0))
    assert raised.value.code is ErrorCode.LLM_RATE_LIMITED
    assert raised.value.details["retry_after_s"] == 60.0
    assert waits == [] and len(served.asked) == 1


@pytest.mark.parametrize(
    ("fault", "failure"),
    [
        (Fault.RATE_LIMITED, (ErrorCode.LLM_RATE_LIMITED, True, 2)),
        (Fault.SERVER_ERROR, (ErrorCode.LLM_UNAVAILABLE, True, 2)),
        (Fault.HANG_UP, (ErrorCode.LLM_UNAVAILABLE, True, 2)),
        (Fault.NOT_JSON, (ErrorCode.LLM_BAD_OUTPUT, True, 2)),
        (Fault.OTHER_JSON, (ErrorCode.LLM_BAD_OUTPUT, True, 2)),
        (Fault.UNAUTHORIZED, (ErrorCode.LLM_MISCONFIGURED, False, 1)),
        (Fault.BAD_REQUEST, (ErrorCode.LLM_REFUSED, False, 1)),
        (Fault.NO_CREDIT, (ErrorCode.LLM_MISCONFIGURED, False, 1)),
        (Fault.REDIRECT, (ErrorCode.LLM_MISCONFIGURED, False, 1)),
        (Fault.REFUSED, (ErrorCode.LLM_REFUSED, False, 1)),
    ],
)
def test_failures_have_a_code_and_show_no_key(
    served: Script,
    build: Build,
    caplog: pytest.LogCaptureFixture,
    fault: Fault,
    failure: tuple[ErrorCode, bool, int],
) -> None:
    code, transient, requests = failure
    caplog.set_level(logging.DEBUG)
    served.set(Reply("x", fault))
    with pytest.raises(ExcerptaError) as raised:
        build(max_retries=1).complete(ask())
    assert (raised.value.code, raised.value.transient) == (code, transient)
    assert len(served.asked) == requests
    assert KEY not in str(raised.value) + str(raised.value.details) + caplog.text


@pytest.mark.parametrize("fault", [Fault.SILENT, Fault.DRIBBLE, Fault.DRIBBLED_HEADERS])
def test_a_deadline_is_for_the_whole_answer(served: Script, build: Build, fault: Fault) -> None:
    served.set(Reply(fault=fault))
    began = time.monotonic()
    with pytest.raises(ExcerptaError) as raised:
        build().complete(ask(deadline_s=0.4))
    assert raised.value.code is ErrorCode.LLM_TIMEOUT
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("fault", [Fault.CUT_STREAM, Fault.ERROR_EVENT])
def test_a_cut_stream_is_no_answer(served: Script, build: Build, fault: Fault) -> None:
    served.set(Reply("a long enough answer for several pieces", fault))
    heard: list[str | Completion] = []
    with pytest.raises(ExcerptaError) as raised:
        heard.extend(build().stream(ask()))
    assert raised.value.code is ErrorCode.LLM_UNAVAILABLE
    assert not any(isinstance(piece, Completion) for piece in heard)
    assert len(served.asked) == 1, "what was already heard is not said twice"


def test_a_stream_that_does_not_begin_is_tried_again(served: Script, build: Build) -> None:
    served.set(Reply(fault=Fault.SERVER_ERROR), Reply("here"))
    pieces, completion = drain(build(), ask())
    assert ("".join(pieces), completion.attempts) == ("here", 2)


def test_an_answer_cut_by_its_length_says_so(served: Script, build: Build) -> None:
    served.set(Reply('{"name": "bl', Fault.LENGTH))
    assert build().complete(ask()).finish_reason is FinishReason.LENGTH
    with pytest.raises(ExcerptaError, match="max_tokens") as raised:
        build().complete(ask(output=Colour))
    assert raised.value.code is ErrorCode.LLM_BAD_OUTPUT
    assert not raised.value.transient


def test_nobody_there(build: Build) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ExcerptaError) as raised:
        build(base_url=f"http://127.0.0.1:{port}").complete(ask())
    assert (raised.value.code, raised.value.transient) == (ErrorCode.LLM_UNAVAILABLE, True)


def test_a_key_that_is_not_set_is_named(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THE_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-other")
    with pytest.raises(ExcerptaError, match="THE_KEY") as raised:
        build().complete(ask())
    assert raised.value.code is ErrorCode.LLM_MISCONFIGURED


def test_a_missing_extra_says_how_to_get_it(
    build: Build, vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, vendor, None)
    with pytest.raises(ExcerptaError, match=rf"pip install 'excerpta\[{vendor}\]'") as raised:
        build().complete(ask())
    assert raised.value.code is ErrorCode.LLM_MISCONFIGURED


def openai(served: Script, **params: Any) -> Llm:
    given = {"model": "m", "base_url": served.base_url("openai"), "api_key_env": ""} | params
    llm: Llm = REGISTRY.create("llm.openai_compatible", given)
    return llm


def test_a_service_without_keys_is_sent_none(
    served: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", KEY)
    served.set("ok")
    openai(served).complete(ask())
    assert KEY not in str(served.asked[0].headers)
    assert "authorization" not in served.asked[0].headers


def test_azure_names_the_deployment_and_the_version(
    served: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_KEY", KEY)
    served.set("ok")
    llm = openai(
        served, base_url=served.address, api_key_env="AZURE_KEY", api_version="2025-04-01",
        model="my-deployment",
    )  # fmt: skip
    assert llm.complete(ask()).text == "ok"
    asked: Asked = served.asked[0]
    assert asked.path == "/openai/deployments/my-deployment/chat/completions?api-version=2025-04-01"
    assert asked.headers["api-key"] == KEY


def test_a_service_that_knows_only_plain_json(served: Script) -> None:
    served.set('{"name": "blue"}')
    llm = openai(served, structured="json_object", send_temperature=False)
    assert llm.complete(ask(output=Colour)).parsed == Colour(name="blue")
    assert served.asked[0].body["response_format"] == {"type": "json_object"}
    assert "JSON schema" in served.asked[0].prompt
    assert "temperature" not in served.asked[0].body
