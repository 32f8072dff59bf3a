"""Tables put among the blocks of a page, in the place of their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rag_assets.loading.pdf.extraction.blocks import (
    Block,
    Line,
    PageContent,
    TableBlock,
    TextBlock,
    bounds,
)
from rag_assets.loading.pdf.extraction.stext import Box


def with_tables(content: PageContent, tables: list[TableBlock]) -> PageContent:
    """A page read without tables, and those that are none the less in the place of their lines."""
    lines = content.lines()
    # A line that runs out of a table, read as one, would be lost with it.
    tables = [
        table
        for table in tables
        if _letters(line for line in lines if _holds(table.box, line))
        == _letters(
            # A head may stand in several cells.
            {id(line): line for row in table.rows for cell in row for line in cell}.values()
        )
    ]
    content.blocks = _in_place(
        content.blocks,
        lambda line: next((table for table in tables if _holds(table.box, line)), None),
    )
    return content


def with_found(
    content: PageContent, tables: Mapping[int, TableBlock], lines: list[Line]
) -> list[Line]:
    """The lines of a page once its ``tables``, by the ids of their lines, stand in their place."""
    if not tables:
        return lines
    content.blocks = _in_place(content.blocks, lambda line: tables.get(id(line)))
    return content.lines()


def _in_place(blocks: list[Block], of: Callable[[Line], TableBlock | None]) -> list[Block]:
    """The blocks with each table ``of`` a line in the place of its first line, unless it stands
    among them."""
    found: list[Block] = []
    seen = {id(block) for block in blocks if isinstance(block, TableBlock)}
    for block in blocks:
        if not isinstance(block, TextBlock):
            found.append(block)
            continue
        run: list[Line] = []
        for line in block.lines:
            table = of(line)
            if table is None:
                run.append(line)
            elif id(table) not in seen:
                seen.add(id(table))
                found += [TextBlock(bounds(run), run), table] if run else [table]
                run = []
        if run:
            found.append(TextBlock(bounds(run), run))
    return found


def _letters(lines: Iterable[Line]) -> int:
    return sum(not character.isspace() for line in lines for character in line.text)


def _holds(box: Box, line: Line) -> bool:
    """Whether the middle of a line stands in a box."""
    return (
        box.x0 <= (line.x0 + line.x1) // 2 <= box.x1
        and box.y0 <= (line.y0 + line.y1) // 2 <= box.y1
    )
