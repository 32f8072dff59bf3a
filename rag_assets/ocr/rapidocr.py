"""``ocr.rapidocr``: PP-OCRv6 (Chinese and English) through RapidOCR, on OpenVINO.

The models lie inside the wheel and are named by path, so that nothing is ever downloaded.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_assets.ocr.base import OcrLine, OcrParams, Reading
from rag_assets.ocr.reading_order import Placed, reading_order, upright
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import register

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}
#: A box this many times higher than wide holds a line that runs up or down.
_TALL = 1.5
#: A line is on its head when the classifier is surer than this.
_FLIPPED = 0.9

_Box = tuple[float, float, float, float]


class RapidOcr:
    """Finds lines, turns them upright, reads them. One picture at a time."""

    engine = "rapidocr"

    def __init__(self, params: OcrParams) -> None:
        """Raises ExcerptaError ``MODEL_UNAVAILABLE`` when the package is not installed."""
        if importlib.util.find_spec("rapidocr") is None:
            raise ExcerptaError(
                ErrorCode.MODEL_UNAVAILABLE,
                "ocr.rapidocr needs the package rapidocr, which is not installed.",
                hint="Run `pip install 'excerpta[ocr]'`, or use a strategy without OCR.",
            )
        self.params = params

    @cached_property
    def engine_version(self) -> str:
        from importlib.metadata import version

        return f"{version('rapidocr')}/PP-OCRv6-small"

    def read(self, picture: NDArray[np.uint8]) -> Reading:
        """See :class:`rag_assets.ocr.base.OcrEngine`."""
        import numpy as np
        from rapidocr.main import RapidOCRError
        from rapidocr.utils.process_img import map_boxes_to_original

        height, width = picture.shape[:2]
        # RapidOCR takes arrays as OpenCV has them: blue, green, red.
        small, changes = self._reader.preprocess_img(picture[:, :, ::-1].copy())
        try:
            crops, found = self._reader.detect_and_crop(small, changes)
            _, turned = self._reader.cls_and_rotate([crop.copy() for crop in crops])
            corners = map_boxes_to_original(found.boxes, changes, height, width)
            boxes = [_bounds(points) for points in corners.tolist()]
            flipped = [label == "180" and score > _FLIPPED for label, score in turned.cls_res]
            rotation = _rotation(boxes, flipped)
            # The classifier errs about single lines, of code most of all, so most lines decide.
            same = [_is_tall(box) == (rotation % 180 == 90) for box in boxes]
            turns = [rotation >= 180 if s else f for s, f in zip(same, flipped, strict=True)]
            read = self._reader.recognize_txt(
                [
                    np.rot90(crop, 2) if turn else crop
                    for crop, turn in zip(crops, turns, strict=True)
                ]
            )
        except RapidOCRError:  # It says so of a picture without text.
            return Reading(0, ())
        kept = [
            index
            for index, (text, score) in enumerate(zip(read.txts, read.scores, strict=True))
            if text.strip() and score >= self.params.min_confidence
        ]
        placed = [Placed(index, *upright(boxes[index], rotation, width, height)) for index in kept]
        return Reading(
            rotation,
            tuple(
                OcrLine(read.txts[index].strip(), float(read.scores[index]), *boxes[index])
                for index in reading_order(placed)
            ),
        )

    @cached_property
    def _reader(self) -> Any:
        import rapidocr

        folder = Path(rapidocr.__file__).parent / "models"
        params: dict[str, Any] = {
            "Global.log_level": "error",
            "EngineConfig.openvino.inference_num_threads": self.params.threads,
        }
        for part, name in _MODELS.items():
            if not (folder / name).is_file():
                raise ExcerptaError(
                    ErrorCode.MODEL_UNAVAILABLE,
                    f"The installed rapidocr does not carry the model {name}.",
                    hint="Run `pip install 'excerpta[ocr]'`.",
                )
            params[f"{part}.engine_type"] = rapidocr.EngineType.OPENVINO
            params[f"{part}.model_path"] = str(folder / name)
        return rapidocr.RapidOCR(params=params)


def _bounds(points: Sequence[Sequence[float]]) -> _Box:
    xs, ys = zip(*points, strict=True)
    return float(min(xs)), float(min(ys)), float(max(xs)), float(max(ys))


def _is_tall(box: _Box) -> bool:
    """Whether a box holds a line that runs up or down."""
    x0, y0, x1, y1 = box
    return y1 - y0 >= _TALL * (x1 - x0)


def _rotation(boxes: Sequence[_Box], flipped: Sequence[bool]) -> int:
    """How most of the text is turned, measured by the lengths of its lines.

    Upright crops of tall boxes were turned back by a quarter; the classifier then tells whether
    a line still stands on its head.
    """
    weights: Counter[int] = Counter()
    for box, on_its_head in zip(boxes, flipped, strict=True):
        length = max(box[2] - box[0], box[3] - box[1])
        turned = (90 if _is_tall(box) else 0) + (180 if on_its_head else 0)
        weights[turned] += round(length)
    return weights.most_common(1)[0][0] if weights else 0


register("ocr.rapidocr", version="2", params=OcrParams, build=RapidOcr)
