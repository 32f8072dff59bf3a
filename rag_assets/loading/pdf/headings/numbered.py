"""Headings that only their number tells, and their font or how they count: neither larger than the
text nor bolder."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise
from typing import NamedTuple

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.headings.likeness import PART
from rag_assets.loading.pdf.order.rows import Row
from rag_assets.loading.pdf.paragraphs.paragraphs import had_room

#: How Chinese laws number their parts, 第一章 and below it 第一节, and reports and notices, 一、
#: and below it （一）: often in the size and weight of the text, and in another font or centred.
_CHINESE_PART = re.compile(
    r"(?:第\s?[一二三四五六七八九十百\d]{1,4}\s?([编編篇章节節]|部分)(?![、，的和])"
    r"|[一二三四五六七八九十]{1,3}、|([（(])[一二三四五六七八九十]{1,3}[)）])"
    r"(?:[（(][^（()）]*[)）]|[^。；…:：（(])+"
)
_PART_STARTS = frozenset("第一二三四五六七八九十（(")
_MAX_PART = 40
#: From outer to inner ones, and behind them those without a name.
_DIVISIONS = ("编編篇部分", "章", "节節")
#: What is centred begins so many font sizes within its column, further than a paragraph does, and
#: has its middle so near to that of the column.
_WITHIN = 2.5
_OFF_MIDDLE = 0.6
#: How papers number their sections.
_NUMBER = re.compile(r"(?:(\d{1,2}(?:\.\d{1,2})*)\.?|([IVX]{1,5})\.|([A-Z])\.)\s+(?=[^\W\d_a-z])")
_TO_NINE = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]
_ROMAN = [*_TO_NINE, "X", *("X" + number for number in _TO_NINE), "XX"]
#: What ends otherwise is a sentence, a step, or an entry of a table of contents.
_TITLE_END = re.compile(r"(?:[^.,;:!?。，；：！？、\d\s]|(?<![\d\s.])\d|\.\d)$")
_MAX_CHARS = 100
_SENTENCE_END = re.compile(r"[.,;:!?。，；：！？、]$")
#: The font of so much of the text is the body's.
_BODY_FONT = 0.5
#: What stands before the name of a font of which a file holds some characters.
_SUBSET = re.compile(r"[A-Z]{6}\+")
#: Font sizes of headings, as parts of the text's.
_SMALLEST_PART, _SMALLEST, _LARGEST = 0.95, 0.85, 1.12
#: A row has cells when gaps of so many font sizes part it into so many: the head of a table.
CELLS = ((1.5, 3), (0.8, 4))
_IS_ROMAN = "I"
_IS_ARABIC = "1"
_IS_LETTER = "A"
_MAX_ROWS = 2
#: So many numbers follow each other, and so many of the rows of a font are headings, and over text.
_RUN = 3
_MOST = 0.4
_OVER_TEXT = 0.6
#: From the first row of a heading to its second one, in font sizes.
_PITCH = 1.6
#: So far apart are rows of text, at most, and so much may their sizes differ.
_WIDE_PITCH = 2.5
_SAME_SIZE = 0.05


class _Numbered(NamedTuple):
    """Rows of one style with the kind of their number (Arabic ones of one depth are of one kind)
    and its value."""

    rows: list[Row]
    after: Row | None
    kind: str
    value: int


def chinese_parts(rows: list[Row], body: int) -> list[tuple[int, Row]]:
    """Rows numbered as parts of a Chinese text are, and set apart from it by weight or font or, as
    those with the name of a division may be, centred; each with its depth, which begins at 0."""
    numbered = [
        (row, match[1], match[2])
        for row in rows
        # Most begin with something else.
        if row.text[0] in _PART_STARTS
        and not (row.stamped or row.mono)
        and _SMALLEST_PART * body <= row.size < _LARGEST * body
        and row.x1 <= row.edge - row.size
        and len(row.text) <= _MAX_PART
        and (match := _CHINESE_PART.fullmatch(row.text))
        and not _SENTENCE_END.search(row.text)
    ]
    if not numbered:
        return []
    named = [(row, _division(name)) for row, name, _ in numbered if name]
    listed = _contents(rows, named) if named else set()
    font = _body_font(rows)
    set_apart = [
        (row, name, bracket)
        for row, name, bracket in numbered
        if id(row) not in listed and ((font and _font(row) != font) or (name and _is_centred(row)))
    ]
    divisions = sorted({_division(name) for _, name, _ in set_apart if name})
    return [
        (divisions.index(_division(name)) if name else len(divisions) + bool(bracket), row)
        for row, name, bracket in set_apart
    ]


def _division(name: str) -> int:
    return next(depth for depth, names in enumerate(_DIVISIONS) if name in names)


def _contents(rows: list[Row], named: list[tuple[Row, int]]) -> set[int]:
    """``id`` of those ``named`` as divisions, each of some depth, that are entries of contents: of
    rows that follow each other without a text some are of one depth."""
    at = {id(row): number for number, row in enumerate(rows)}
    runs: list[list[tuple[Row, int]]] = []
    for row, depth in named:
        run = runs[-1] if runs else []
        follows = run and at[id(row)] == at[id(run[-1][0])] + 1
        # Right behind its contents a text may begin, with its first part.
        if follows and all(row.text != other.text for other, _ in run):
            run.append((row, depth))
        else:
            runs.append([(row, depth)])
    return {
        id(row) for run in runs if len({depth for _, depth in run}) < len(run) for row, _ in run
    }


def _is_centred(row: Row) -> bool:
    """Whether a row stands in the middle of its column."""
    off = abs(row.x0 + row.x1 - row.left - row.right) / 2
    return row.x0 - row.left > _WITHIN * row.size and off < _OFF_MIDDLE * row.size


def numbered_sections(rows: list[Row], body: int) -> list[tuple[int, list[Row]]]:
    """The rows of headings whose numbers (1., I., A.) run on in a font that is not the text's, or
    count the whole document, each with its depth, which begins at 0.

    Args:
        rows: those of a document that are no furniture.
    """
    found = [
        _Numbered(some, after, *number)
        for at, row in enumerate(rows)
        if _SMALLEST * body <= row.size < _LARGEST * body
        and (number := _number(row.text))
        and not (row.stamped or row.mono or has_cells(row, _is_bare(row.lines[0])))
        and (at == 0 or _is_apart(rows[at - 1], row))
        for some, after in [_heading_at(rows, at)]
        if _is_title(some, after)
    ]
    if len(found) < _RUN:
        return []
    counted = _counted(found) or _centred(found)
    chosen = {id(each) for each in [*counted, *_in_own_font(found, rows)]}
    heads = [each for each in found if id(each) in chosen]
    known = [each for each in found if id(each) in chosen or each.rows[0].level]
    kinds = list(dict.fromkeys(each.kind for each in known))
    if _IS_ROMAN in kinds:
        kinds.sort(key=_below_roman)
    depths = [(kinds.index(each.kind), each.rows) for each in heads if not each.rows[0].level]
    return depths + [(0, [row]) for row in _unnumbered(counted, rows)]


def _counted(found: list[_Numbered]) -> list[_Numbered]:
    """Those whose Roman numbers count from I. on without a gap, over text, and those lettered from
    A. on below one of them: so do the sections of papers whose headings are set in the font of
    their text."""
    numbers = [at for at, each in enumerate(found) if each.kind == _IS_ROMAN]
    if [found[at].value for at in numbers] != list(range(1, len(numbers) + 1)):
        return []
    firsts = {id(found[at].rows[0]) for at in numbers}
    over_text = sum(id(found[at].after) not in firsts for at in numbers)
    if len(numbers) < _RUN or over_text < _OVER_TEXT * len(numbers):
        return []
    counted = []
    for at, end in pairwise([*numbers, len(found)]):
        letters = [each for each in found[at + 1 : end] if each.kind == _IS_LETTER]
        counted.append(found[at])
        if len(letters) > 1 and [x.value for x in letters] == list(range(1, len(letters) + 1)):
            counted += letters
    return counted


def _centred(found: list[_Numbered]) -> list[_Numbered]:
    """Those numbered from 1. on without a gap, over text, that stand in the middle of their column,
    as no items of a list do. Of a row, the font of its number is known, which is often the text's
    where the title is set in small capitals."""
    centred = [each for each in found if each.kind == _IS_ARABIC and _is_centred(each.rows[0])]
    if [each.value for each in centred] != list(range(1, len(centred) + 1)):
        return []
    firsts = {id(each.rows[0]) for each in centred}
    over_text = sum(id(each.after) not in firsts for each in centred)
    enough = len(centred) >= _RUN and over_text >= _OVER_TEXT * len(centred)
    return centred if enough else []


def _unnumbered(counted: list[_Numbered], rows: list[Row]) -> list[Row]:
    """Rows set apart like numbered headings that head a part of most documents, and so have no
    number, "References": in the style of Roman-numbered ones, or centred as others are."""
    styles = {_style(each.rows[0]) for each in counted if each.kind == _IS_ROMAN}
    if not counted:
        return []
    # What is centred may be an introduction before the first of them.
    first = counted[0].rows[0] if styles else rows[0]
    behind = rows[next(at for at, row in enumerate(rows) if row is first) :]
    return [
        row
        for before, row, after in zip(behind, behind[1:], behind[2:], strict=False)
        if not row.level
        and (_style(row) in styles if styles else _is_centred(row))
        and _is_apart(before, row)
        and _is_apart(row, after)
        and PART.fullmatch(row.text)
    ]


def _in_own_font(found: list[_Numbered], rows: list[Row]) -> list[_Numbered]:
    """Those set in a font that is not the text's, and is one of headings."""
    font = _body_font(rows)
    if font is None:
        return []
    styles: defaultdict[tuple[str, int], list[_Numbered]] = defaultdict(list)
    for each in found:
        if _font(each.rows[0]) != font:
            styles[_style(each.rows[0])].append(each)
    counts = Counter(map(_style, rows))
    return [
        each
        for style, some in styles.items()
        if len(some) >= _RUN and _are_headings(some, counts[style])
        for each in some
    ]


def _heading_at(rows: list[Row], at: int) -> tuple[list[Row], Row | None]:
    """The rows of the heading that begins at a row, and the row after it."""
    some = rows[at : at + 1]
    for row in rows[at + 1 : at + 3]:
        first, last = some[0], some[-1]
        if len(some) == _MAX_ROWS or _style(row) != _style(first) or _number(row.text):
            return some, row
        if not 0 < row.y0 - last.y0 <= _PITCH * row.size or (
            row.block != last.block and had_room(last, row, last.left, last.edge)
        ):
            return some, row
        some.append(row)
    return some, None


def _is_title(some: list[Row], after: Row | None) -> bool:
    """Whether rows are a block, or blocks, of their own, and say no sentence."""
    length = sum(len(row.text) for row in some)
    last = some[-1]
    ended = after is None or (_is_apart(last, after) and not _goes_on(last, after))
    return ended and length <= _MAX_CHARS and _TITLE_END.search(last.text) is not None


def _goes_on(row: Row, after: Row) -> bool:
    """Whether a row is full and the next one goes on with its text: rows set wide apart are blocks
    of their own. Their fonts do not tell, the number's is often not the text's."""
    return (
        after.bold == row.bold
        and abs(after.size - row.size) <= _SAME_SIZE * row.size
        and 0 < after.y0 - row.y0 <= _WIDE_PITCH * row.size
        and _number(after.text) is None
        and not had_room(row, after, row.left, row.edge)
    )


def _is_apart(before: Row, row: Row) -> bool:
    return before.block != row.block or before.y0 > row.y0


def _number(text: str) -> tuple[str, int] | None:
    match = _NUMBER.match(text)
    if match is None:
        return None
    arabic, roman, letter = match.groups()
    if arabic:
        *above, last = arabic.split(".")
        return "1" * len(above) + "1", int(last)
    if roman in _ROMAN:
        return _IS_ROMAN, _ROMAN.index(roman) + 1
    return _IS_LETTER, ord(letter or roman[0]) - ord("A") + 1


def _are_headings(some: list[_Numbered], rows: int) -> bool:
    """Whether numbered rows of one style are most of its rows, and run on."""
    if len(some) < _MOST * rows:
        return False
    kinds: defaultdict[str, list[int]] = defaultdict(list)
    for each in some:
        kinds[each.kind].append(each.value)
    return max(_longest_run(values) for values in kinds.values()) >= _RUN


def _below_roman(kind: str) -> int:
    letters = (_IS_ROMAN, _IS_LETTER)
    return letters.index(kind) if kind in letters else 1 + len(kind)


def _longest_run(values: list[int]) -> int:
    longest = run = 1
    for before, value in pairwise(values):
        run = run + 1 if value == before + 1 else 1
        longest = max(longest, run)
    return longest


def _style(row: Row) -> tuple[str, int]:
    return _font(row), row.size


def _body_font(rows: list[Row]) -> str | None:
    """The font of most of the text; null when there is none."""
    fonts: Counter[str] = Counter()
    for row in rows:
        fonts[_font(row)] += len(row.text)
    [(font, characters)] = fonts.most_common(1)
    return font if characters >= _BODY_FONT * fonts.total() else None


def _font(row: Row) -> str:
    """The font a row begins in, and its weight."""
    name = row.lines[0].font
    return (_SUBSET.sub("", name, count=1) if "+" in name else name) + ("*" if row.bold else "")


def _is_bare(line: Line) -> bool:
    """Whether a line is a number alone."""
    return not any(map(str.isalpha, line.text))


def has_cells(row: Row, begin: int = 0) -> bool:
    """Whether a row is parted like that of a table from one of its pieces on; a word of letters set
    apart is none."""
    lines = row.lines[begin:]
    if len(lines) < 3 or sum(len(line.text) > 1 for line in lines) < 3:
        return False
    gaps = [after.x0 - before.x1 for before, after in pairwise(lines)]
    return any(sum(gap >= wide * row.size for gap in gaps) >= cells - 1 for wide, cells in CELLS)
