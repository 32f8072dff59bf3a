"""``captioner.openai_compatible`` and ``captioner.anthropic``: a vision model is asked.

Through the same providers as every other question to a model; a captioner only adds the prompt,
the contract of the answer and the policy.
"""

from __future__ import annotations

from typing import Any

from rag_assets.captioning.base import Captioned, CaptionPolicy, CaptionRequest
from rag_assets.captioning.contract import Caption
from rag_assets.captioning.profiles import instructions
from rag_query.providers.llm.anthropic import AnthropicLlm, AnthropicParams
from rag_query.providers.llm.base import ImagePart, Llm, LlmRequest, Message, TextPart
from rag_query.providers.llm.openai_compatible import OpenAiLlm, OpenAiLlmParams
from rag_query.providers.registry import register


class OpenAiCaptionParams(CaptionPolicy, OpenAiLlmParams):
    """Parameters of ``captioner.openai_compatible``: the model's, and the policy."""


class AnthropicCaptionParams(CaptionPolicy, AnthropicParams):
    """Parameters of ``captioner.anthropic``: the model's, and the policy."""


class VisionCaptioner:
    """See :class:`rag_assets.captioning.base.Captioner`."""

    active = True

    def __init__(self, provider_id: str, llm: Llm, policy: CaptionPolicy) -> None:
        self.provider_id = provider_id
        self.model = llm.model
        self.policy = policy
        self._llm = llm

    def caption(self, request: CaptionRequest) -> Captioned:
        asked: list[TextPart | ImagePart] = [ImagePart(request.image, request.mime)]
        if request.context_text:
            asked.append(TextPart(f"Context, not to be taken as seen:\n{request.context_text}"))
        completion = self._llm.complete(
            LlmRequest(
                messages=(
                    Message.of("system", instructions(request.profile, request.lang)),
                    Message("user", tuple(asked)),
                ),
                output=request.profile.output,
                max_tokens=self.policy.max_tokens,
                deadline_s=self.policy.deadline_s,
                prompt_profile_id=request.profile.profile_id,
                mode="offline",
            )
        )
        caption = completion.parsed
        assert isinstance(caption, Caption)  # the request's output
        return Captioned(caption, completion.model_version)


def _openai(params: OpenAiCaptionParams, **settings: Any) -> VisionCaptioner:
    llm = OpenAiLlm(params, **settings)
    return VisionCaptioner("captioner.openai_compatible", llm, params)


def _anthropic(params: AnthropicCaptionParams, **settings: Any) -> VisionCaptioner:
    llm = AnthropicLlm(params, **settings)
    return VisionCaptioner("captioner.anthropic", llm, params)


register("captioner.openai_compatible", version="4", params=OpenAiCaptionParams, build=_openai)
register("captioner.anthropic", version="4", params=AnthropicCaptionParams, build=_anthropic)
