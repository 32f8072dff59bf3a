"""Lines of a picture in the order a person reads them.

The lines are cut recursively where a blank band runs between them: first into columns where two
columns of running text stand side by side, else into what is above and what is below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

#: A gutter is at least this wide, in heights of a line.
_GUTTER = 0.8
#: Lines a column must have on either side of a gutter; fewer make a table or a label.
_MIN_LINES = 4
#: Lines of one column fill this share of its width when they are running text.
_MIN_FILL = 0.5
_MAX_DEPTH = 4


class Placed(NamedTuple):
    """The upright box of line ``number``."""

    number: int
    x0: float
    y0: float
    x1: float
    y1: float


def upright(
    box: tuple[float, float, float, float], rotation: int, width: float, height: float
) -> tuple[float, float, float, float]:
    """A box of a picture (``width`` x ``height``) after turning it back by ``rotation`` degrees."""
    x0, y0, x1, y1 = box
    if rotation == 90:
        return y0, width - x1, y1, width - x0
    if rotation == 180:
        return width - x1, height - y1, width - x0, height - y0
    if rotation == 270:
        return height - y1, x0, height - y0, x1
    return box


def reading_order(lines: Sequence[Placed]) -> list[int]:
    """Their numbers in reading order."""
    if not lines:
        return []
    heights = sorted(line.y1 - line.y0 for line in lines)
    return [line.number for line in _order(list(lines), heights[len(heights) // 2], _MAX_DEPTH)]


def _order(lines: list[Placed], height: float, depth: int) -> list[Placed]:
    if len(lines) < 2:
        return lines
    if depth and (gutter := _gutter(lines, height)) is not None:
        left = [line for line in lines if line.x1 <= gutter]
        right = [line for line in lines if line.x1 > gutter]
        return _order(left, height, depth - 1) + _order(right, height, depth - 1)
    if depth and (parts := _bands(lines, height)):
        return [line for part in parts for line in _order(part, height, depth - 1)]
    return _rows(lines)


def _gutter(lines: list[Placed], height: float) -> float | None:
    """The middle of the widest vertical blank between two columns of running text."""
    best: tuple[float, float] | None = None
    reach = float("-inf")
    ordered = sorted(lines, key=lambda line: line.x0)
    for number, line in enumerate(ordered):
        width = line.x0 - reach
        columns = ordered[:number], ordered[number:]
        if (
            number
            and width >= _GUTTER * height
            and (best is None or width > best[0])
            and all(_is_column(column) for column in columns)
        ):
            best = (width, reach + width / 2)
        reach = max(reach, line.x1)
    return best[1] if best else None


def _is_column(lines: Sequence[Placed]) -> bool:
    if len(lines) < _MIN_LINES:
        return False
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    return sum(line.x1 - line.x0 for line in lines) >= _MIN_FILL * width * len(lines)


def _bands(lines: list[Placed], height: float) -> list[list[Placed]] | None:
    """The lines parted at horizontal blanks that are wider than between rows; None without one."""
    parts: list[list[Placed]] = []
    reach = float("-inf")
    for line in sorted(lines, key=lambda line: line.y0):
        if not parts or line.y0 - reach > height:
            parts.append([])
        parts[-1].append(line)
        reach = max(reach, line.y1)
    if len(parts) > 1:
        return parts
    # A line across both columns has no blank around it: each such line is a band of its own.
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    wide = [line.x1 - line.x0 > 0.75 * (right - left) for line in lines]
    if all(wide) or not any(wide):
        return None
    parts, before = [], None
    for line, is_wide in sorted(zip(lines, wide, strict=True), key=lambda pair: pair[0].y0):
        if is_wide != before:
            parts.append([])
        parts[-1].append(line)
        before = is_wide
    return parts


def _rows(lines: list[Placed]) -> list[Placed]:
    """Row by row, from left to right within a row."""
    rows: list[list[Placed]] = []
    for line in sorted(lines, key=lambda line: (line.y0 + line.y1) / 2):
        middle = (line.y0 + line.y1) / 2
        if rows and middle < rows[-1][0].y1 and middle > rows[-1][0].y0:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.x0)]
