"""List marks that were drawn apart from their items, as programs do that set marks last.

The extraction makes blocks of nothing but marks of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from rag_assets.loading.pdf.blocks import Block, Line, TextBlock, bounds
from rag_assets.loading.pdf.paragraphs import SIGNS, TICKS

#: What such programs set; dashes and what has brackets may be part of a formula.
_MARK = re.compile(f"[•◦▪‣●○■∙⁃{SIGNS}{TICKS}]|(?:\\d{{1,3}}|[a-z]|[ivx]{{1,5}})\\.", re.IGNORECASE)
_LONGEST = 6
#: An item begins so many font sizes behind its mark, at most, and nothing ends as near before it.
_GAP = 1.5


def give_marks(blocks: list[Block]) -> None:
    """Put the marks of blocks that hold nothing else in front of what they stand before; a block
    stays where one of them stands before nothing."""
    marked = [block for block in blocks if isinstance(block, TextBlock) and _is_marks(block)]
    if not marked:
        return
    apart = set(map(id, marked))
    texts = [b for b in blocks if isinstance(b, TextBlock) and id(b) not in apart]
    lines = sorted([x for block in texts for x in block.lines], key=lambda line: line.base)
    marks: dict[int, Line] = {}
    for block in marked:
        items = [_item(mark, lines) for mark in block.lines]
        given = {id(item): mark for item, mark in zip(items, block.lines, strict=True) if item}
        if len(given) == len(items) and not given.keys() & marks.keys():
            marks |= given
            apart.discard(id(block))
    if not marks:
        return
    for block in texts:
        if any(id(line) in marks for line in block.lines):
            block.lines = [
                each
                for line in block.lines
                for each in ((marks[id(line)], line) if id(line) in marks else (line,))
            ]
            block.box = bounds(block.lines)
    kept = apart.union(map(id, texts))
    blocks[:] = [b for b in blocks if not isinstance(b, TextBlock) or id(b) in kept]


def _is_marks(block: TextBlock) -> bool:
    return len(block.lines[0].text) <= _LONGEST and all(
        _MARK.fullmatch(line.text) and not line.vertical for line in block.lines
    )


def _item(mark: Line, lines: list[Line]) -> Line | None:
    """What begins right behind a mark, on its baseline; ``lines`` are sorted by theirs."""
    near = mark.size // 3
    begin = bisect_left(lines, mark.base - near, key=lambda line: line.base)
    end = bisect_right(lines, mark.base + near, key=lambda line: line.base)
    room = _GAP * mark.size
    found: Line | None = None
    for line in lines[begin:end]:
        if line.x0 < mark.x0:
            if line.x1 > mark.x0 - room:
                return None
        elif line.x0 <= mark.x1 + room and (found is None or line.x0 < found.x0):
            found = line
    return found
