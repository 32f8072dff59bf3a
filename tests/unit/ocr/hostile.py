"""An OCR engine that does what the colour of a picture tells it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from rag_assets.ocr.base import OcrLine, OcrParams, Reading
from rag_query.providers.registry import REGISTRY, register

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class HostileOcr:
    engine = "hostile"
    engine_version = "1"

    def __init__(self, params: OcrParams) -> None:
        del params

    def read(self, picture: NDArray[np.uint8]) -> Reading:
        red, green, blue = (int(value) for value in picture[0, 0])
        if red and green:
            os._exit(3)
        if red:
            time.sleep(600)
        if blue:
            raise ValueError("no letters in the sea")
        return Reading(0, (OcrLine("a meadow", 0.9, 1, 2, 3, 4),))


if "ocr.hostile" not in REGISTRY.ids():
    register("ocr.hostile", version="1", params=OcrParams, build=HostileOcr)
