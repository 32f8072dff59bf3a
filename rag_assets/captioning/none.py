"""``captioner.none``: no image is described. The default."""

from __future__ import annotations

from rag_assets.captioning.base import Captioned, CaptionPolicy, CaptionRequest
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import Params, register


class NoCaptioner:
    """Says nothing."""

    active = False
    provider_id = "captioner.none"
    model = ""

    def __init__(self, params: Params) -> None:
        del params
        self.policy = CaptionPolicy()

    def caption(self, request: CaptionRequest) -> Captioned:
        """Raises ExcerptaError ``LLM_NOT_CONFIGURED``."""
        del request
        raise ExcerptaError(ErrorCode.LLM_NOT_CONFIGURED, "The strategy names no captioner.")


register("captioner.none", version="1", build=NoCaptioner)
