"""``ocr.none``: no picture is read. The default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rag_assets.ocr.base import OcrParams, Reading
from rag_query.providers.registry import register

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class NoOcrParams(OcrParams):
    """``read`` can only be ``off``."""

    read: Literal["off"] = "off"


class NoOcr:
    """Sees nothing."""

    engine = "none"
    engine_version = "1"

    def __init__(self, params: NoOcrParams) -> None:
        self.params = params

    def read(self, picture: NDArray[np.uint8]) -> Reading:
        del picture
        return Reading(0, ())


register("ocr.none", version="1", params=NoOcrParams, build=NoOcr)
