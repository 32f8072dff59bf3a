"""``llm.openai_compatible``: chat completions of OpenAI, Azure, DeepSeek, vLLM, Ollama, gateways.

Through OpenAI's own SDK (extra ``openai``). The key comes from the environment only, is sent to
``base_url`` only, and is never part of a strategy, a trace or a message.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from rag_query.contracts.errors import ExcerptaError
from rag_query.providers.http import BaseUrl
from rag_query.providers.llm import failures
from rag_query.providers.llm.base import FinishReason, LlmRequest, Message, TextPart, Usage
from rag_query.providers.llm.output import schema_prompt, strict_schema
from rag_query.providers.llm.service import Answer, ServiceLlm, ServiceParams
from rag_query.providers.registry import register

_OPENAI_HOSTS = ("openai.com", "azure.com")


class OpenAiLlmParams(ServiceParams):
    """Parameters of ``llm.openai_compatible``.

    Attributes:
        api_version: names Azure's classic API; ``base_url`` is then the resource's address and
            ``model`` the deployment.
        structured: how a service is asked for an object: by schema, by "JSON, please" with the
            schema in the prompt (DeepSeek), or in the prompt alone.
        token_limit: the field that bounds the answer; by default the one the host knows.
        send_temperature: false for models that take none.
    """

    base_url: BaseUrl = "https://api.openai.com/v1"
    api_key_env: str = Field("OPENAI_API_KEY", description="empty for a service without keys")
    api_version: str = ""
    structured: Literal["json_schema", "json_object", "prompt"] = "json_schema"
    token_limit: Literal["max_tokens", "max_completion_tokens"] | None = None
    send_temperature: bool = True


class OpenAiLlm(ServiceLlm):
    """Chat completions."""

    provider_id = "llm.openai_compatible"

    def __init__(self, params: OpenAiLlmParams, **settings: Any) -> None:
        super().__init__(params, **settings)
        self._params = params

    def _once(self, request: LlmRequest, timeout_s: float) -> Answer:
        client = self._client()
        with self._failures():
            found = client.chat.completions.create(**self._body(request), timeout=timeout_s)
        choices = getattr(found, "choices", None)
        if not choices or choices[0].message is None:
            raise self._unknown_form()
        message = choices[0].message
        if getattr(message, "refusal", None):
            raise failures.refused(self.service)
        return Answer(
            text=message.content or "",
            finish_reason=self._reason(choices[0].finish_reason),
            usage=_usage(found.usage),
            model_version=_version(found),
        )

    def _open(self, request: LlmRequest, timeout_s: float) -> Iterator[str | Answer]:
        client = self._client()
        body = self._body(request) | {"stream": True, "stream_options": {"include_usage": True}}
        text: list[str] = []
        reason, usage, version = None, Usage(), self.model
        with self._failures(), client.chat.completions.create(**body, timeout=timeout_s) as chunks:
            for chunk in chunks:
                version = _version(chunk) or version
                if chunk.usage:
                    usage = _usage(chunk.usage)
                if not chunk.choices:
                    continue
                choice = chunk.choices[0]
                if getattr(choice.delta, "refusal", None):
                    raise failures.refused(self.service)
                if choice.delta is not None and choice.delta.content:
                    text.append(choice.delta.content)
                    yield choice.delta.content
                reason = choice.finish_reason or reason
        if reason is None:
            raise failures.cut_off(self.service)
        yield Answer("".join(text), self._reason(reason), usage, version)

    def _body(self, request: LlmRequest) -> dict[str, Any]:
        params = self._params
        messages = [_message(message) for message in request.messages]
        body: dict[str, Any] = {"model": params.model, "messages": messages}
        if not self._key:
            # The SDK insists on a key; a service without keys is sent none.
            import openai

            body["extra_headers"] = {"Authorization": openai.Omit()}
        body[params.token_limit or _token_limit(params.base_url)] = request.max_tokens
        if params.send_temperature and request.temperature is not None:
            body["temperature"] = request.temperature
        if request.output is None:
            return body
        if params.structured == "json_schema":
            schema = {
                "name": request.output.__name__,
                "schema": strict_schema(request.output),
                "strict": True,
            }
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
            return body
        messages.append({"role": "system", "content": schema_prompt(request.output)})
        if params.structured == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def _reason(self, said: str | None) -> FinishReason:
        if said == "content_filter":
            raise failures.refused(self.service)
        return FinishReason.LENGTH if said == "length" else FinishReason.STOP

    def _make(self) -> Any:
        from rag_query.providers.http_client import http_client
        from rag_query.providers.llm.prerequisites import missing_extra, read_key

        try:
            import openai
        except ImportError as exc:
            raise missing_extra("openai") from exc
        params = self._params
        self._key = read_key(params.api_key_env)
        shared: dict[str, Any] = {"max_retries": 0, "http_client": http_client()}
        if params.api_version:
            return openai.AzureOpenAI(
                azure_endpoint=params.base_url,
                azure_deployment=params.model,
                api_version=params.api_version,
                api_key=self._key,
                **shared,
            )
        return openai.OpenAI(base_url=params.base_url, api_key=self._key or "none", **shared)

    def _failures(self) -> AbstractContextManager[None]:
        import openai

        return failures.translated(openai, self.service, self._key, self._unknown_form())

    def _unknown_form(self) -> ExcerptaError:
        return failures.unknown_form(self.service, "chat completion")


def _message(message: Message) -> dict[str, Any]:
    if all(isinstance(part, TextPart) for part in message.parts):
        return {"role": message.role, "content": message.text}
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            content.append({"type": "text", "text": part.text})
        else:
            data = base64.b64encode(part.data).decode("ascii")
            url = f"data:{part.mime};base64,{data}"
            content.append({"type": "image_url", "image_url": {"url": url}})
    return {"role": message.role, "content": content}


def _token_limit(base_url: str) -> str:
    host = urlsplit(base_url).hostname or ""
    own = any(host == known or host.endswith(f".{known}") for known in _OPENAI_HOSTS)
    return "max_completion_tokens" if own else "max_tokens"


def _usage(said: Any) -> Usage:
    if said is None:
        return Usage()
    return Usage(said.prompt_tokens or 0, said.completion_tokens or 0)


def _version(said: Any) -> str:
    fingerprint = getattr(said, "system_fingerprint", None)
    name = getattr(said, "model", None) or ""
    return f"{name}@{fingerprint}" if fingerprint else name


register("llm.openai_compatible", version="1", params=OpenAiLlmParams, build=OpenAiLlm)
