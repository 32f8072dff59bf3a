"""What kind of image it is, told before any model is asked (DEV_SPEC 3.6.6.3).

First by what its alternative text, file name and neighbourhood say, then by coarse features of
its pixels; ``unknown`` when neither tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag_assets.captioning.contract import ImageType
from rag_assets.captioning.shapes import are_bars, are_joined, boxes_of, has_title_bar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _words(chinese: str, english: str) -> re.Pattern[str]:
    """Chinese words anywhere, English ones that no letter continues: ``chart`` in ``chart1``."""
    return re.compile(rf"{chinese}|(?<![a-z])(?:{english})(?![a-z])", re.IGNORECASE)


#: Other things than tables: 手表 is a watch, 代表 a delegate, 图表 a chart.
_TABLE = "(?<![手仪电水钟秒代外发图])表"
#: More telling kinds first: a chart of a table is a chart, a diagram may hold a table.
_WORDS: tuple[tuple[ImageType, re.Pattern[str]], ...] = (
    ("screenshot", _words("截图|截屏|界面", r"screen-?\s?shots?|screen captures?|UI")),
    ("flowchart", _words("流程图|流程|步骤", r"flow-?\s?charts?|flow|work\s?flows?")),
    (
        "diagram",
        _words(
            "架构|示意图|结构图|拓扑|原理图|电路图|框图",
            "diagrams?|architectur(?:es?|al)|schematics?",
        ),
    ),
    ("chart", _words("趋势|曲线|柱状|折线|饼图|图表", "charts?|plots?|histograms?")),
    ("table", _words(rf"表格|{_TABLE}\s?\d", "tables?")),
    ("photo", _words("照片|实拍", "photo(?:s|graphs?)?")),
)
#: What a name ends with says the least: 价格表.png, 水位图; no figure's number (图 3), and no 地图,
#: 插图 or 下图, which may show anything.
_CHART = r"(?<=[\u4e00-\u9fff])(?<![地插附配原大小上下左右如本此该贴底景面略])图"
_ENDS = r"\s?\d*\s*(?:\.\w{2,5})?$"
_ENDINGS: tuple[tuple[ImageType, re.Pattern[str]], ...] = (
    ("table", re.compile(_TABLE + _ENDS, re.MULTILINE)),
    ("chart", re.compile(_CHART + _ENDS, re.MULTILINE)),
)
#: Where a word begins inside another: ``SalesChart``, ``UIFlow``.
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIDE = 256
#: Share of the commonest colour of a drawing, at least; below it lies a photograph, which has so
#: many colours. Of 154 photographs of food 146 are told so, and none has lines that mean anything.
_FLAT = 0.2
_PHOTO_COLORS = 200


@dataclass(frozen=True, slots=True)
class Features:
    """Coarse features of an image.

    Attributes:
        colors: different ones among 4096 (a count).
        background: share of the commonest colour, 0 to 1.
        rows: horizontal lines that cross most of the image (a count).
        columns: vertical ones.
        axes: a long line at the left and one at the bottom, and few others.
        bars: rectangles stand on one line and differ in length.
        joined_boxes: lines lead from rectangle to rectangle.
        window: a low bar crosses the top, and rectangles lie below it.
    """

    colors: int
    background: float
    rows: int
    columns: int
    axes: bool
    bars: bool
    joined_boxes: bool
    window: bool


def route(said: str, near: str, features: Features | None) -> ImageType:
    """The type of an image.

    Args:
        said: its alternative text and file name, a line each.
        near: the text around it; weaker, so that it is asked after them.
        features: of its pixels; asked last.
    """
    for text, patterns in ((said, _WORDS), (said, _ENDINGS), (near, _WORDS)):
        words = _CAMEL.sub(" ", text.replace("_", " "))
        for kind, pattern in patterns:
            if pattern.search(words):
                return kind
    return _by_pixels(features) if features else "unknown"


def _by_pixels(features: Features) -> ImageType:
    if features.background < _FLAT:
        return "photo" if features.colors >= _PHOTO_COLORS else "unknown"
    if features.rows >= 3 and features.columns >= 2:
        return "table"
    if features.window:
        return "screenshot"
    if features.axes or features.bars:
        return "chart"
    if features.joined_boxes:
        return "flowchart"
    return "unknown"


def features_of(pixels: NDArray[np.uint8]) -> Features:
    """Features of an image of shape (height, width, 3), RGB."""
    import numpy as np

    step = max(1, max(pixels.shape[:2]) // (2 * _SIDE))
    small = pixels[::step, ::step]
    codes = (small >> 4).astype(np.int32) @ np.array([256, 16, 1], np.int32)
    _, counts = np.unique(codes, return_counts=True)
    gray = small.mean(axis=2)
    ground = np.median(gray)
    marked = np.abs(gray - ground) > 48
    across, along = marked.mean(axis=1) > 0.7, marked.mean(axis=0) > 0.7
    rows, columns = _runs(across), _runs(along)
    long_rows, long_columns = marked.mean(axis=1) > 0.5, marked.mean(axis=0) > 0.5
    height, width = gray.shape
    axes = (
        _runs(long_rows) in (1, 2)
        and _runs(long_columns) in (1, 2)
        and bool(long_columns[: width // 3].any())
        and bool(long_rows[2 * height // 3 :].any())
    )
    background = float(counts.max() / codes.size)
    boxes = boxes_of(codes) if background >= _FLAT else []
    return Features(
        colors=len(counts),
        background=background,
        rows=rows,
        columns=columns,
        axes=axes,
        bars=are_bars(boxes),
        joined_boxes=are_joined(boxes, codes),
        window=len(boxes) >= 2 and has_title_bar(codes, gray),
    )


def _runs(flags: NDArray[np.bool_]) -> int:
    """How many runs of true there are."""
    import numpy as np

    return int(flags[0]) + int(np.count_nonzero(flags[1:] & ~flags[:-1]))
