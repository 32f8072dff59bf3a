"""An OCR engine that does what the colour of a picture tells it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rag_assets.ocr.base import OcrLine, OcrParams, Reading
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import REGISTRY, register

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


#: Names a file; while it lies there, the model that knows cyan is away.
ABSENT_VARIABLE = "HOSTILE_OCR_ABSENT"


class HostileOcr:
    engine = "hostile"
    engine_version = "1"

    def __init__(self, params: OcrParams) -> None:
        del params

    def read(self, picture: NDArray[np.uint8]) -> Reading:
        red, green, blue = (int(value) for value in picture[0, 0])
        if red and green:
            os._exit(3)
        if green and blue and Path(os.environ[ABSENT_VARIABLE]).exists():
            raise ExcerptaError(ErrorCode.MODEL_UNAVAILABLE, "The model is away.")
        if red:
            time.sleep(600)
        if blue and not green:
            raise ValueError("no letters in the sea")
        return Reading(0, (OcrLine("a meadow", 0.9, 1, 2, 3, 4),))


if "ocr.hostile" not in REGISTRY.ids():
    register("ocr.hostile", version="1", params=OcrParams, build=HostileOcr)
