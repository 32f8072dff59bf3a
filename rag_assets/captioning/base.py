"""What a captioner is given and what it returns (DEV_SPEC 3.6.6.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import BaseModel, Field

from rag_assets.captioning.contract import Caption
from rag_assets.captioning.profiles import CaptionProfile


class CaptionPolicy(BaseModel):
    """What is described, and how far that may go; every captioner's parameters have these.

    Attributes:
        context_scope: ``local`` gives the paragraph that shows the image and its neighbours,
            ``none`` nothing.
        context_chars: of the context, at most.
        lang: captions are written in; ``auto`` follows the image, then the context.
        max_images: of one document; those after it are not described.
        min_image_side: smaller images, in pixels, are decoration.
        max_side: larger images are reduced before they are sent.
        max_tokens: of one answer.
        deadline_s: for one image by one profile, every attempt included.
        parallel: requests at once.
        give_up_after: failures of the service in a row after which a run asks no more.
    """

    context_scope: Literal["local", "none"] = "local"
    context_chars: int = Field(1200, ge=0, le=8000)
    lang: Literal["zh", "en", "auto"] = "auto"
    max_images: int = Field(100, ge=0)
    min_image_side: int = Field(64, ge=1)
    max_side: int = Field(1568, ge=64, le=8192)
    max_tokens: int = Field(2000, ge=100)
    deadline_s: float = Field(90.0, gt=0)
    parallel: int = Field(4, ge=1, le=64)
    give_up_after: int = Field(5, ge=1)


@dataclass(frozen=True, slots=True)
class CaptionRequest:
    """One image.

    Attributes:
        image: encoded bytes, reduced; ``mime`` their type.
        context_text: may be empty.
        profile: chosen by the routing.
    """

    asset_id: str
    image: bytes
    mime: str
    context_text: str
    profile: CaptionProfile
    lang: str


@dataclass(frozen=True, slots=True)
class Captioned:
    """A caption, and the model that made it."""

    caption: Caption
    model_version: str


class Captioner(Protocol):
    """A provider of type ``captioner``. Methods may be called from several threads.

    Attributes:
        active: false for ``captioner.none``.
        provider_id: ``captioner.<name>``.
        model: the name requests go to.
    """

    active: bool
    provider_id: str
    model: str
    policy: CaptionPolicy

    def caption(self, request: CaptionRequest) -> Captioned:
        """Describe one image.

        Raises:
            ExcerptaError: one of the ``LLM_*`` codes.
        """
        ...
