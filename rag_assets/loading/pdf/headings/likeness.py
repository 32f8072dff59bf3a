"""Headings an outline leaves out: set as those are that it names, and standing alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from rag_assets.loading.pdf.order.rows import PageRows, Row

#: What heads a part of most documents, and names none.
PART = re.compile(
    r"[\d.\s]*(?:(?:table of )?contents|introduction|abstract|summary|preface|foreword"
    r"|acknowledge?ments?|list of (?:figures|tables)|nomenclature|appendix|references|index"
    r"|inhalt(?:sverzeichnis)?|einleitung|vorwort|zusammenfassung"
    r"|anhang|danksagung|remerciements"
    r"|table des mati[èe]res|sommaire|r[ée]sum[ée]|indice|índice|sommario|introdu\w+|sum[áa]rio"
    r"|spis treści|содержание|оглавление|введение|目\s*[录錄次]|摘\s*要|引\s*言|前\s*言|序\s*言)"
    r"[\s.:]*",
    re.IGNORECASE,
)
#: So many headings of a style make it one of headings.
_ENOUGH = 3
_LARGER = 1.12
_MAX_CHARS = 80
#: What stands so often in the same words is a label: "Note", "Warning".
_OFTEN = 3
#: From one row of a heading to the next, in font sizes.
_PITCH = 1.6
_SUBSET = re.compile(r"[A-Z]{6}\+")
#: A sentence, or an entry of a table of contents.
_NO_HEADING_END = re.compile(r"[.,;:!?。，；：！？、]$|\s\d+$")
_WORD = re.compile(r"[^\W\d_]{2}")
_DEPTH = re.compile(r"\d+((?:\.\d+)*)")


class _Style(NamedTuple):
    font: str
    size: int
    bold: bool


def mark_alike(pages: list[PageRows], found: Collection[Row], body: int) -> None:
    """Set ``level`` of rows that stand alone, in a style that is one of headings; what heads a part
    of most documents may be in another font of that size, as English words in Chinese text are.

    Args:
        found: the first rows of the headings that are known.
        body: font size of most text, see ``headings.body_size``.
    """
    known: defaultdict[_Style, list[Row]] = defaultdict(list)
    for row in found:
        if row.bold or row.size >= _LARGER * body:
            known[_style(row)].append(row)
    heads = {style: rows for style, rows in known.items() if len(rows) >= _ENOUGH}
    if not heads:
        return
    looks = {(style.size, style.bold) for style in heads}
    large = {style.size: style for style in heads if style.size >= _LARGER * body}
    others: Counter[_Style] = Counter()
    alone: list[tuple[_Style, Row, Row | None]] = []
    for page in pages:
        # What stands over the first heading of a document names it and its authors.
        names = page is pages[0]
        for at, row in enumerate(page.rows):
            names = names and not row.level
            # Most rows are text.
            if (row.size, row.bold) not in looks and row.size not in large:
                continue
            style = None if row.level or row.furniture else _head_style(row, heads, large)
            if style is not None:
                others[style] += 1
                if _stands_alone(page.rows, at) and not (names and not PART.fullmatch(row.text)):
                    alone.append((style, row, page.rows[at - 1] if at else None))
    said = Counter(row.text for _, row, _ in alone)
    labels = Counter(style for style, row, _ in alone if said[row.text] >= _OFTEN)
    all_alone = Counter(style for style, _, _ in alone)
    levels: dict[_Style, dict[int | None, int]] = {}
    for style, row, before in alone:
        of_text = others[style] > len(heads[style]) or 2 * labels[style] > all_alone[style]
        goes_on = _goes_on(before, row)
        if of_text or said[row.text] >= _OFTEN or (goes_on and before and not before.level):
            continue
        if style not in levels:
            levels[style] = _levels(heads[style])
        row.level = levels[style].get(_depth(row)) or levels[style][None]
        row.begins = not goes_on


def _head_style(row: Row, heads: Collection[_Style], large: Mapping[int, _Style]) -> _Style | None:
    """The style of headings a row is in, or the one as large, when it heads a part."""
    style = _style(row)
    if style in heads:
        return style
    return large.get(row.size) if PART.fullmatch(row.text) else None


def _stands_alone(rows: list[Row], at: int) -> bool:
    row = rows[at]
    return (
        (at == 0 or rows[at - 1].block != row.block)
        and (at + 1 == len(rows) or rows[at + 1].block != row.block)
        and not (row.stamped or row.mono)
        and len(row.text) <= _MAX_CHARS
        and row.x1 < row.edge - row.size
        and (_WORD.search(row.text) is not None or PART.fullmatch(row.text) is not None)
        and not _NO_HEADING_END.search(row.text)
    )


def _levels(heads: list[Row]) -> dict[int | None, int]:
    """The level of most headings, for each count of the parts of their numbers and for all."""
    counts: defaultdict[int | None, Counter[int]] = defaultdict(Counter)
    for head in heads:
        counts[_depth(head)][head.level] += 1
        counts[None][head.level] += 1
    return {depth: max(some, key=some.__getitem__) for depth, some in counts.items()}


def _depth(row: Row) -> int:
    number = _DEPTH.match(row.text)
    return 1 + number[1].count(".") if number else 0


def _goes_on(before: Row | None, row: Row) -> bool:
    """Whether a row is the next one of what the row before it says."""
    return (
        before is not None
        and _style(before) == _style(row)
        and 0 < row.y0 - before.y0 <= _PITCH * row.size
        and not _depth(row)
    )


def _style(row: Row) -> _Style:
    return _Style(_SUBSET.sub("", row.lines[0].font, count=1), row.size, row.bold)
