"""How a page is turned when it is displayed."""

from __future__ import annotations

from typing import NamedTuple

from rag_assets.loading.pdf.extraction.stext import Box


class Turn(NamedTuple):
    """Display rotation, clockwise, of a page ``width`` x ``height`` before it."""

    degrees: int
    width: int
    height: int

    def point(self, x: int, y: int) -> tuple[int, int]:
        if self.degrees == 90:
            return self.height - y, x
        if self.degrees == 180:
            return self.width - x, self.height - y
        return y, self.width - x

    def box(self, box: Box) -> Box:
        ax, ay = self.point(box.x0, box.y0)
        bx, by = self.point(box.x1, box.y1)
        return Box(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
