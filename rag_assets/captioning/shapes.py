"""Rectangles of one colour in a drawing, and what their places tell of its kind.

Coarse on purpose: what it finds chooses which questions a model is asked of an image.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Colours that are looked at, the commonest first; a drawing has few.
_COLORS = 12
#: Shares: of the longer side that a box measures at least, of the image that it covers at most, of
#: its rectangle that has its colour (the rest is what is written in it).
_LEAST_SIDE, _MOST_AREA, _FILLED = 0.03, 0.4, 0.6
#: Pixels beyond a box, outside its outline, where only lines that lead to it are met.
_BESIDE = 4
#: Pixels by which edges of one line may differ.
_ALIGNED = 2
#: Shares of the height between which a bar at the top ends: a slide's band is higher.
_BAR_FROM, _BAR_TO = 0.02, 0.1


class Box(NamedTuple):
    """A rectangle in pixels; ``x1`` and ``y1`` lie beyond it."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def area(self) -> int:
        return (self.x1 - self.x0) * (self.y1 - self.y0)


def boxes_of(codes: NDArray[np.int32]) -> list[Box]:
    """Rectangles of one colour that do not reach the edge: filled ones, the insides of outlined
    ones, cells. ``codes`` holds a colour's number a pixel, shape (height, width)."""
    import numpy as np
    from scipy import ndimage

    height, width = codes.shape
    colors, counts = np.unique(codes, return_counts=True)
    found: list[tuple[float, Box]] = []
    for color in colors[np.argsort(-counts, kind="stable")[:_COLORS]]:
        labels, _ = ndimage.label(codes == color)
        areas = np.bincount(labels.ravel())
        for label, (rows, columns) in enumerate(ndimage.find_objects(labels), start=1):
            box = Box(columns.start, rows.start, columns.stop, rows.stop)
            sides = box.x1 - box.x0, box.y1 - box.y0
            inside = box.x0 > 0 and box.y0 > 0 and box.x1 < width and box.y1 < height
            filled = areas[label] / box.area
            large = min(sides) >= _LEAST_SIDE * max(height, width)
            if inside and large and box.area <= _MOST_AREA * codes.size and filled >= _FILLED:
                found.append((filled, box))
    kept: list[Box] = []
    # The ground that lines close in between some boxes has their corners cut out of it.
    for _, box in sorted(found, reverse=True):
        if not any(_cross(box, other) for other in kept):
            kept.append(box)
    return kept


def _cross(box: Box, other: Box) -> bool:
    """Whether they overlap, and neither lies in the other."""
    shared = Box(
        max(box.x0, other.x0), max(box.y0, other.y0), min(box.x1, other.x1), min(box.y1, other.y1)
    )
    return shared.x0 < shared.x1 and shared.y0 < shared.y1 and shared not in (box, other)


def are_joined(boxes: list[Box], codes: NDArray[np.int32]) -> bool:
    """Whether lines lead from box to box, of which there are at least three with room between
    them: the cells of a table have none, and the parts of a window no lines."""
    import numpy as np
    from scipy import ndimage

    if len(boxes) < 3:
        return False
    lefts, tops, rights, bottoms = np.array(boxes).T
    around = (rights.max() - lefts.min()) * (bottoms.max() - tops.min())
    if sum(box.area for box in boxes) > _FILLED * around:
        return False
    colors, counts = np.unique(codes, return_counts=True)
    drawn = codes != colors[counts.argmax()]
    lines, number = ndimage.label(drawn, structure=np.ones((3, 3)))
    led_to = np.zeros(number + 1, np.int64)
    for box in boxes:
        ring = _ring(box, lines)
        met = np.unique(ring[ring > 0])
        if 0 < np.count_nonzero(ring) < len(ring) // 2:
            led_to[met] += 1
    return int(led_to.max()) >= max(3, len(boxes) // 2)


def _ring(box: Box, lines: NDArray[np.int32]) -> NDArray[np.int32]:
    import numpy as np

    height, width = lines.shape
    x0, y0 = max(0, box.x0 - _BESIDE), max(0, box.y0 - _BESIDE)
    x1, y1 = min(width, box.x1 + _BESIDE) - 1, min(height, box.y1 + _BESIDE) - 1
    sides = lines[y0, x0:x1], lines[y1, x0:x1], lines[y0:y1, x0], lines[y0:y1, x1]
    return np.concatenate(sides)


def are_bars(boxes: list[Box]) -> bool:
    """Whether at least three stand on one line, or begin at one, and differ in length."""
    standing = [(box.y1, box.y1 - box.y0) for box in boxes]
    lying = [(box.x0, box.x1 - box.x0) for box in boxes]
    return any(_are_bars(bars) for bars in (standing, lying))


def _are_bars(bars: list[tuple[int, int]]) -> bool:
    for base, _ in bars:
        lengths = [length for edge, length in bars if abs(edge - base) <= _ALIGNED]
        if len(lengths) >= 3 and len(lengths) > len(bars) // 2:
            return max(lengths) - min(lengths) > 0.1 * max(lengths)
    return False


def has_title_bar(codes: NDArray[np.int32], gray: NDArray[np.float64]) -> bool:
    """Whether a low bar of one colour crosses the whole width at the top."""
    import numpy as np

    height = len(codes)
    first, last = max(2, int(_BAR_FROM * height)), int(_BAR_TO * height)
    for y in range(first, last + 1):
        if (np.abs(gray[y] - gray[y - 1]) >= 8).mean() < 0.75:
            continue
        _, above = np.unique(codes[:y], return_counts=True)
        _, below = np.unique(codes[y : y + first], return_counts=True)
        return bool(above.max() >= 0.6 * above.sum() and below.max() >= 0.4 * below.sum())
    return False
