"""Reading one page or image, as it happens inside a child process."""

from __future__ import annotations

import hashlib
import importlib
import json
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rag_assets.loading.parse import RawBytes, open_raw
from rag_assets.ocr.base import OcrEngine, OcrLine, OcrParams, Reading
from rag_assets.ocr.units import Unit
from rag_assets.sidecar_cache import SidecarCache
from rag_query.library.home import Home
from rag_query.providers.registry import REGISTRY
from rag_query.text.ids import profile_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_Box = tuple[float, float, float, float]

TARGET = "rag_assets.ocr.read:read_unit"
_BUILT_IN = ("none", "rapidocr")


@dataclass(frozen=True, slots=True)
class ReadTask:
    """One unit of one document.

    Attributes:
        home: root of the library.
        raw: the document's bytes.
        engine_profile_id: names the readings in the cache.
    """

    home: str
    raw: RawBytes
    unit: Unit
    engine_profile_id: str


@dataclass(frozen=True, slots=True)
class UnitText:
    """What was read of a unit.

    Boxes of a page's lines are PDF points in the frame of ``contracts.columns.ANCHOR``; those of
    an image are its pixels, as it is displayed.

    Attributes:
        image_sha256: of the pixels that were read.
        width: in pixels, as read.
        cached: whether the reading was known.
    """

    image_sha256: str
    width: int
    height: int
    rotation: int
    lines: tuple[OcrLine, ...]
    engine: str
    engine_version: str
    cached: bool


def read_unit(provider_id: str, params_json: str, task: ReadTask) -> UnitText:
    """Read a unit with the provider a strategy names.

    Raises:
        ExcerptaError: ``ASSET_NOT_FOUND``, ``PARSE_FAILED``, ``PDF_*`` or ``MODEL_UNAVAILABLE``.
    """
    engine = _engine(provider_id, params_json)
    params = REGISTRY.params(provider_id, json.loads(params_json))
    assert isinstance(params, OcrParams)
    picture = _picture(task, params)
    pixels = picture.pixels
    height, width = pixels.shape[:2]
    sha256 = hashlib.sha256(f"{width}x{height}:".encode() + pixels.tobytes()).hexdigest()
    reader = profile_id([task.engine_profile_id, engine.engine, engine.engine_version])
    folder = Home(Path(task.home)).sidecar_cache / "ocr" / reader[:16]
    store = SidecarCache(folder)
    reading = _known(store.get(sha256))
    cached = reading is not None
    if reading is None:
        reading = engine.read(pixels)
        store.put(sha256, {"rotation": reading.rotation, "lines": reading.lines})
    lines = tuple(
        OcrLine(text, confidence, *picture.place(box)) for text, confidence, *box in reading.lines
    )
    return UnitText(
        sha256,
        width,
        height,
        reading.rotation,
        lines,
        engine.engine,
        engine.engine_version,
        cached,
    )


def _known(held: Any) -> Reading | None:
    try:
        return Reading(held["rotation"], tuple(OcrLine(*line) for line in held["lines"]))
    except (KeyError, TypeError):
        return None


class _Picture(Protocol):
    """Pixels of shape (height, width, 3), RGB, and where a box of them lies in the source."""

    pixels: NDArray[np.uint8]

    def place(self, box: list[float]) -> _Box: ...


def _picture(task: ReadTask, params: OcrParams) -> _Picture:
    if task.unit.page is not None:
        return _PagePicture(_pdf(task.raw)[task.unit.page - 1], params)
    path = Home(Path(task.home)).media_file(str(task.unit.asset_id))
    return _ImagePicture(path, params)


class _PagePicture:
    """A page as it is displayed."""

    def __init__(self, page: Any, params: OcrParams) -> None:
        import numpy as np
        import pymupdf

        width, height = page.rect.width, page.rect.height
        largest = (params.max_pixels / max(width * height, 1.0)) ** 0.5
        self._scale = min(params.dpi / 72, largest)
        self._back = page.derotation_matrix
        drawn = page.get_pixmap(
            matrix=pymupdf.Matrix(self._scale, self._scale),
            colorspace=pymupdf.csRGB,
            alpha=False,
        )
        shape = (drawn.height, drawn.width, 3)
        self.pixels: NDArray[np.uint8] = np.frombuffer(drawn.samples, np.uint8).reshape(shape)

    def place(self, box: list[float]) -> _Box:
        import pymupdf

        rect = pymupdf.Rect(*(value / self._scale for value in box)) * self._back
        rect.normalize()
        return rect.x0, rect.y0, rect.x1, rect.y1


class _ImagePicture:
    """An image as it is displayed, on white."""

    def __init__(self, path: Path, params: OcrParams) -> None:
        import numpy as np

        from rag_assets.media.displayed import open_displayed

        image = open_displayed(path).image
        self._scale = 1.0
        if (size := image.width * image.height) > params.max_pixels:
            self._scale = (params.max_pixels / size) ** 0.5
            image = image.resize(
                (max(1, int(image.width * self._scale)), max(1, int(image.height * self._scale)))
            )
        self.pixels: NDArray[np.uint8] = np.asarray(image, np.uint8)

    def place(self, box: list[float]) -> _Box:
        x0, y0, x1, y1 = (value / self._scale for value in box)
        return x0, y0, x1, y1


@lru_cache(maxsize=1)
def _pdf(raw: RawBytes) -> Any:
    """The PDF whose pages come one after another."""
    from rag_assets.loading.pdf.file.document import open_pdf

    return open_pdf(open_raw(raw), max_pages=2**31 - 1)


@cache
def _engine(provider_id: str, params_json: str) -> OcrEngine:
    for name in _BUILT_IN:
        importlib.import_module(f"rag_assets.ocr.{name}")
    engine: OcrEngine = REGISTRY.create(provider_id, json.loads(params_json))
    return engine
