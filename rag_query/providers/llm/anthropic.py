"""``llm.anthropic``: Anthropic's Messages API, through its own SDK (extra ``anthropic``).

The key comes from the environment only, is sent to ``base_url`` only, and is never part of a
strategy, a trace or a message.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Literal

from pydantic import Field

from rag_query.contracts.errors import ExcerptaError
from rag_query.providers.http import BaseUrl
from rag_query.providers.llm import failures
from rag_query.providers.llm.base import FinishReason, LlmRequest, Message, TextPart, Usage
from rag_query.providers.llm.output import schema_prompt, strict_schema
from rag_query.providers.llm.service import Answer, ServiceLlm, ServiceParams
from rag_query.providers.registry import register


class AnthropicParams(ServiceParams):
    """Parameters of ``llm.anthropic``.

    Attributes:
        structured: an object by schema, or, for gateways and models without that, by the prompt.
        send_temperature: for models that still take one; the newer ones refuse it.
    """

    base_url: BaseUrl = "https://api.anthropic.com"
    api_key_env: str = Field("ANTHROPIC_API_KEY", min_length=1)
    structured: Literal["json_schema", "prompt"] = "json_schema"
    send_temperature: bool = False


class AnthropicLlm(ServiceLlm):
    """Messages."""

    provider_id = "llm.anthropic"

    def __init__(self, params: AnthropicParams, **settings: Any) -> None:
        super().__init__(params, **settings)
        self._params = params

    def _once(self, request: LlmRequest, timeout_s: float) -> Answer:
        client = self._client()
        with self._failures():
            found = client.messages.create(**self._body(request), timeout=timeout_s)
        content = getattr(found, "content", None)
        if content is None:
            raise self._unknown_form()
        text = "".join(block.text for block in content if block.type == "text")
        usage = Usage(found.usage.input_tokens or 0, found.usage.output_tokens or 0)
        return Answer(text, self._reason(found.stop_reason), usage, found.model)

    def _open(self, request: LlmRequest, timeout_s: float) -> Iterator[str | Answer]:
        client = self._client()
        text: list[str] = []
        reason, version, whole = None, self.model, False
        read = written = 0
        with (
            self._failures(),
            client.messages.create(**self._body(request), stream=True, timeout=timeout_s) as events,
        ):
            for event in events:
                if event.type == "message_start":
                    version = event.message.model
                    read = event.message.usage.input_tokens or 0
                elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                    text.append(event.delta.text)
                    yield event.delta.text
                elif event.type == "message_delta":
                    reason = event.delta.stop_reason or reason
                    written = event.usage.output_tokens or written
                elif event.type == "message_stop":
                    whole = True
        if not whole:
            raise failures.cut_off(self.service)
        yield Answer("".join(text), self._reason(reason), Usage(read, written), version)

    def _body(self, request: LlmRequest) -> dict[str, Any]:
        params = self._params
        system = [message.text for message in request.messages if message.role == "system"]
        body: dict[str, Any] = {
            "model": params.model,
            "max_tokens": request.max_tokens,
            "messages": [_message(m) for m in request.messages if m.role != "system"],
        }
        if params.send_temperature and request.temperature is not None:
            # No longer a parameter of the SDK.
            body["extra_body"] = {"temperature": min(request.temperature, 1.0)}
        if request.output is not None and params.structured == "json_schema":
            schema = strict_schema(request.output)
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        elif request.output is not None:
            system.append(schema_prompt(request.output))
        if system:
            body["system"] = "\n\n".join(system)
        return body

    def _reason(self, said: str | None) -> FinishReason:
        if said == "refusal":
            raise failures.refused(self.service)
        cut = said in ("max_tokens", "model_context_window_exceeded")
        return FinishReason.LENGTH if cut else FinishReason.STOP

    def _make(self) -> Any:
        from rag_query.providers.http_client import http_client
        from rag_query.providers.llm.prerequisites import missing_extra, read_key

        try:
            import anthropic
        except ImportError as exc:
            raise missing_extra("anthropic") from exc
        self._key = read_key(self._params.api_key_env)
        return anthropic.Anthropic(
            base_url=self._params.base_url,
            api_key=self._key,
            max_retries=0,
            open_telemetry=False,
            http_client=http_client(),
        )

    def _failures(self) -> AbstractContextManager[None]:
        import anthropic

        return failures.translated(anthropic, self.service, self._key, self._unknown_form())

    def _unknown_form(self) -> ExcerptaError:
        return failures.unknown_form(self.service, "message")


def _message(message: Message) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            content.append({"type": "text", "text": part.text})
        else:
            data = base64.b64encode(part.data).decode("ascii")
            source = {"type": "base64", "media_type": part.mime, "data": data}
            content.append({"type": "image", "source": source})
    return {"role": message.role, "content": content}


register("llm.anthropic", version="1", params=AnthropicParams, build=AnthropicLlm)
