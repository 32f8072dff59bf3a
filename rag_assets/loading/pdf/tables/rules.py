"""Rules of tables: which belong together, and what stands between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import UNIT, Box

#: Rules of one table begin and end so near each other, and two so near below each other are one.
_NEAR = 2 * UNIT
_DOUBLE = 4 * UNIT
#: How wide one is at least, and how many a table has: one that goes on on the next page has two.
_RULE_WIDTH = 20 * UNIT
MIN_RULES = 2


def groups_of(rules: list[Box]) -> Iterator[tuple[int, int, list[int]]]:
    """Left, right and the heights, downwards, of rules that begin and end together."""
    groups: list[tuple[int, int, list[int]]] = []
    for rule in sorted(joined(rules), key=lambda rule: rule.y0):
        if rule.x1 - rule.x0 < _RULE_WIDTH:
            continue
        for left, right, ys in groups:
            if abs(rule.x0 - left) <= _NEAR and abs(rule.x1 - right) <= _NEAR:
                if rule.y0 - ys[-1] > _DOUBLE:
                    ys.append(rule.y0)
                break
        else:
            groups.append((rule.x0, rule.x1, [rule.y0]))
    return (group for group in groups if len(group[2]) >= MIN_RULES)


def joined(shapes: list[Box]) -> list[Box]:
    """Shapes, those of one height that are drawn cell by cell in one."""
    found: list[Box] = []
    for shape in sorted(shapes, key=lambda shape: (shape.y0, shape.x0)):
        last = found[-1] if found else None
        if (
            last
            and shape.y0 - last.y0 <= UNIT // 2
            and abs(shape.y1 - last.y1) <= UNIT // 2
            and abs(shape.x0 - last.x1) <= UNIT
        ):
            found[-1] = Box(last.x0, last.y0, shape.x1, last.y1)
        else:
            found.append(shape)
    return found


def bands_between(lines: list[Line], ys: list[int]) -> list[list[Line]]:
    """What stands between each two rules below each other."""
    bands: list[list[Line]] = [[] for _ in ys[1:]]
    for line in lines:
        # Signs that are set over several rows have boxes as high as these.
        at = bisect_right(ys, line.base - line.size // 3) - 1
        if 0 <= at < len(bands):
            bands[at].append(line)
    return bands


def filled_from_top(bands: list[list[Line]]) -> list[list[Line]]:
    """The first of some bands, as far as something stands in them."""
    empty = next((number for number, band in enumerate(bands) if not band), len(bands))
    return bands[:empty]
