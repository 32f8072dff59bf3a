"""Which rows of a page make one paragraph, and what joins them."""

from __future__ import annotations

import re
from itertools import pairwise
from unicodedata import bidirectional

from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.scripts import CJK
from rag_assets.loading.pdf.order.rows import Row, is_mark
from rag_assets.loading.pdf.pages.listmarks import SIGNS, TICKS
from rag_assets.loading.pdf.paragraphs.clauses import (
    CHOICES,
    CLAUSE,
    NUMBERED,
    SENTENCE_END,
    begins_part,
    stands_apart,
    starts_clause,
)
from rag_assets.loading.pdf.paragraphs.hyphens import Hyphens

#: Instead of what joins two rows: nothing, and the hyphen that the first ends with goes.
DROP_HYPHEN = "-"
#: Private-use characters are what symbol fonts draw list marks with. "— 1 —" is a page's number,
#: "– ENDS –" the end of a release, and dots lead to what stands behind them.
BULLET = re.compile(
    "^(?!(?:· ?){3})"
    f"(?:[•◦▪‣●○■□∙⁃·–—*\uf000-\uf0ff-]\\s+|–(?=[“‘])|[{SIGNS}]\\s*(?![{SIGNS}\\\\])"
    f"|(?=[{TICKS}]\\s*[^\\s\u2700-\u27bf]))(?=\\S)(?!\\d+\\s*[–—-]$|\\S{{1,12}} [–—-]$)"
)
#: What may stand before items and references too. In text these may stand anywhere, but what comes
#: below them is indented where they begin an item.
_LABELLED = re.compile(r"\((?:[A-Za-z]|[ivxl]{1,5})\)\s|\[[^\]]{1,12}\]\s")
#: The rows below a term stand so many font sizes further in, at most.
_HANGING = 6
#: What begins an entry of a bibliography, and how much further in its other rows stand than the
#: words behind it, in font sizes.
_ENTRY_LABEL = re.compile(r"\[[\w+:.&-]{1,12}\]\s+(?=\S)")
_OFF = 2
_HYPHENATED = re.compile(r"[a-zà-öø-ÿ][-‐]$")
#: A hyphen that ties what stands before it to what follows, and the dash of "1914–1918".
_TIED = re.compile(r"[^\W_][-‐]$|\d–$")
_LOWER = re.compile(r"[a-zà-öø-ÿ]")
_LOWER_WORD = re.compile(r"(?:[a-zà-öø-ÿ]{2,}|a)(?:[ ,.;)-]|$)")
_SOFT_HYPHEN = "\u00ad"
#: Where addresses are broken.
_ADDRESS_ENDS = frozenset("/.:@_-?&=#")
#: Marks of items that may be text where a row was wrapped before them.
_TEXTUAL = frozenset("-–—" + SIGNS + TICKS)
_HYPHENS = frozenset(f"-‐–{_SOFT_HYPHEN}")
#: Hebrew, Arabic and the scripts between them.
_RTL = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_RTL_LETTER = re.compile(f"[{_RTL}]")
_GOES_ON = re.compile(f"[{CJK}{_RTL}a-zà-öø-ÿ]")
#: How an entry of contents or of an index ends, and what begins one whose own leaders are missing.
_LEADERS = re.compile(
    r"(?:\.{4}|(?:\. ?){4}|(?: \.)+ |…{2}|·{4})\s*(?:\d{1,4}(?:, ?\d{1,4})*|[ivxl]{1,6})$"
)
_ROMAN = frozenset("ivxl")
_ENTRY = re.compile(r"(?![a-zà-öø-ÿ(])")
_ROW_NUMBER = re.compile(r"\d{1,4}|[ivxl]{1,6}")
#: What is asked for or stated in a form: "Name: …".
_LABEL = re.compile(f"[A-Z][a-z]+(?: [A-Za-z]+){{0,2}}: |[{CJK}]{{2,12}}[：:]")
#: Parts of a row stand far apart when more than so many font sizes lie between them, or fewer where
#: those of the next row begin below them.
_GAP = 1.5
_SMALL_GAP = 0.7
_FIRST_WORD = re.compile(f"[{CJK}]|[^\\s{CJK}]+")


def between(before: Row, row: Row, pitch: float, hyphens: Hyphens) -> str | None:
    """What joins two rows of prose: text, :data:`DROP_HYPHEN`, or None for a new paragraph.

    Rows of one paragraph are joined with a blank (or nothing, in scripts without blanks) when the
    first is full, and with a line break when it ends early (addresses, verse, list items).
    ``pitch`` is the usual distance of rows, in font sizes.
    """
    if before.vertical or row.vertical:
        return _between_columns(before, row, hyphens)
    if row.left >= before.right and row.y1 < before.y0:
        return across_pages(before, row, hyphens)  # into the next column
    if before.text[0] == "[" and _hangs_from(before, row, pitch):
        return wrapped(before, row, hyphens)
    is_outer = row.text[0] == "[" and before.x0 - row.x0 > row.size
    if row.anew or (is_outer and _ENTRY_LABEL.match(row.text)):
        return None
    rtl = not row.text.isascii() and _run_left(before, row)
    no_room = _is_full(before, row, rtl)
    full = no_room or _goes_on(before, row)
    together = row.block == before.block or row.part == "rest"
    # A number, a dash or a sign after a full row of its block may only be text that was wrapped
    # there.
    wraps = no_room and together
    if wraps and row.text[0] in _TEXTUAL:
        # Items of one row, and those whose other rows are indented, have marks below each other.
        wraps = (
            abs(row.x0 - before.x0) * 2 < row.size
            and before.text[0] not in _TEXTUAL
            and not SENTENCE_END.search(before.text)
        )
    item = starts_item(row, wrapped=wraps) or (
        row.text[0] == "A" and CHOICES.match(row.text) is not None
    )
    if row.part and before.part and not item:
        is_near = 0 < row.y0 - before.y0 <= (pitch + 0.6) * row.size
        if row.part == "first" or not is_near:
            return None
        if row.part == "line":
            return "\n"
        if before.part == "first" and full:
            return wrapped(before, row, hyphens)
    if _starts_paragraph(before, row, pitch, full=full, item=item, rtl=rtl):
        return None
    if not full or item or _ends_entry(before, row):
        return "\n"
    if starts_clause(before, row):
        return "\n" if together and not stands_apart(row.text) else None
    return wrapped(before, row, hyphens)


def _hangs_from(before: Row, row: Row, pitch: float) -> bool:
    """Whether a row stands directly below the words of an entry that begins with a label."""
    label = _ENTRY_LABEL.match(before.text)
    inwards = row.x0 - before.x0
    if label is None or inwards <= row.size // 2 or row.left != before.left:
        return False
    width = label.end() * (before.x1 - before.x0) // len(before.text)
    return (
        inwards <= width + _OFF * row.size
        and 0 < row.y0 - before.y0 <= (pitch + 0.6) * row.size
        and abs(row.size - before.size) <= 0.12 * before.size
        and row.bold == before.bold
        and not starts_item(row)
        and not (row.text[0] == "[" and _ENTRY_LABEL.match(row.text))
    )


def _ends_entry(before: Row, row: Row) -> bool:
    """Whether two rows, however full, are entries of a list: those of contents end with the number
    of a page, those of a form have labels, or their parts far apart; a bold sum ends the list."""
    text = before.text
    if before.part == "line" and not row.part and before.bold > row.bold:
        return True
    if (text[-1].isdigit() or text[-1] in _ROMAN) and (
        _has_leaders(text) or (_ENTRY.match(row.text) and _has_leaders(row.text))
    ):
        return True
    if (
        len(before.lines) > 1
        and _ends_with_figure(before)
        # In the middle of a sentence it numbers the line.
        and (_LOWER_WORD.match(row.text) is None or _has_leaders(row.text))
    ):
        return True
    if len(before.lines) > 1 and len(row.lines) > 1 and text[-1] not in _HYPHENS:
        return (_has_gap(before) and _has_gap(row)) or _is_aligned(before, row)
    # Most rows have no colon.
    if not (":" in row.text or "：" in row.text) or _LABEL.match(row.text) is None:
        return False
    # Or those who sign, below the last clause.
    return _LABEL.match(text) is not None or (
        len(row.lines) > 1 and SENTENCE_END.search(text) is not None and _has_gap(row)
    )


def _has_leaders(text: str) -> bool:
    """Whether a text ends as an entry of contents does; most have no two dots, which is found
    quicker than a pattern is."""
    may_have = ".." in text or " ." in text or "…" in text or "·" in text
    return may_have and _LEADERS.search(text) is not None


def _has_gap(row: Row) -> bool:
    """Whether the parts of a row stand far apart; one behind it may be the number of the row."""
    return any(
        line.x0 - before.x1 > _GAP * row.size and not _ROW_NUMBER.fullmatch(line.text)
        for before, line in pairwise(row.lines)
    )


def _ends_with_figure(row: Row) -> bool:
    """Whether a figure ends a row, far behind what it is of."""
    *_, before, last = row.lines
    is_apart = last.x0 - before.x1 > _GAP * row.size
    return is_apart and last.text[-1] != "," and is_figure(last.text)


def _is_aligned(before: Row, row: Row) -> bool:
    """Whether parts of two rows begin below each other, a gap in front of both."""
    starts = _starts_behind_gaps(row)
    return any(10 * abs(x - y) < row.size for x in _starts_behind_gaps(before) for y in starts)


def _starts_behind_gaps(row: Row) -> list[int]:
    return [
        line.x0
        for before, line in pairwise(row.lines)
        if line.x0 - before.x1 > _SMALL_GAP * row.size and not _ROW_NUMBER.fullmatch(line.text)
    ]


def across_pages(before: Row, row: Row, hyphens: Hyphens) -> str | None:
    """What joins the last row of a page to the first of the next; None for a new paragraph.

    There is no distance to go by, so the text itself must go on: no end of a sentence before, and
    after it no capital letter, list mark or other style.
    """
    width, other = before.right - before.left, row.right - row.left
    if (
        SENTENCE_END.search(before.text)
        or begins_part(before, row)
        or abs(row.size - before.size) > 0.05 * before.size
        or row.bold != before.bold
        or abs(width - other) > 0.15 * max(width, other)
        or not _GOES_ON.match(row.text)
        or not _is_full(before, row, _run_left(before, row))
    ):
        return None
    return wrapped(before, row, hyphens)


def wrapped(before: Row | Line, row: Row | Line, hyphens: Hyphens) -> str:
    """What joins two rows of one run of text, or lines of a cell: text, or :data:`DROP_HYPHEN`."""
    text = before.text
    if text[-1:] in _ADDRESS_ENDS:
        if hyphens.is_address(text, row.text):
            return ""
        if text[-1] == "-" and hyphens.is_address(text[:-1], row.text):
            return DROP_HYPHEN
        if text[-1] != "-" and _breaks_address(text, row.text):
            return ""
    if text[-1:] not in _HYPHENS:
        return hyphens.joint(text, row.text)  # most rows
    if text[-1] == _SOFT_HYPHEN:
        return DROP_HYPHEN
    if _HYPHENATED.search(text) and _LOWER.match(row.text):
        return DROP_HYPHEN if hyphens.divide(text, row.text) else ""
    if _is_tied(before, row):
        return DROP_HYPHEN if hyphens.is_one_word(text, row.text) else ""
    return hyphens.joint(text, row.text)


def _breaks_address(before: str, text: str) -> bool:
    """Whether an address of the web or of mail goes on in the next row."""
    last, first = before.rsplit(maxsplit=1)[-1], text.split(maxsplit=1)[0]
    if last.endswith(("http:", "https:")):
        return first.startswith("//")
    if not ("://" in last or "@" in last) or (last[-1] != "/" and not first[0].islower()):
        return False
    return "/" in first or "." in first[:-1]


def _is_tied(before: Row | Line, row: Row | Line) -> bool:
    """Whether a row was broken within what a hyphen or a dash ties together ("COVID-19")."""
    text = before.text
    return text[-1] in _HYPHENS and row.text[:1].isalnum() and _TIED.search(text) is not None


def _between_columns(before: Row, row: Row, hyphens: Hyphens) -> str | None:
    """What joins two columns of vertical writing, which is read from right to left."""
    step = before.x0 - row.x0
    same = before.vertical == row.vertical and abs(row.size - before.size) <= 0.12 * before.size
    if not same or not 0 < step <= 2.5 * before.size:
        return None
    is_full = before.edge - before.y1 <= 1.5 * before.size
    return hyphens.joint(before.text, row.text) if is_full else "\n"


def _goes_on(before: Row, row: Row) -> bool:
    """Whether a sentence runs on into the next row of its block, however early the row ends."""
    if row.block != before.block:
        return False
    return _is_tied(before, row) or (
        _LOWER.match(row.text) is not None
        and not SENTENCE_END.search(before.text)
        and before.text.count(" ") >= 2
    )


def _starts_paragraph(
    before: Row, row: Row, pitch: float, *, full: bool, item: bool, rtl: bool
) -> bool:
    size = before.size or 1
    if abs(row.size - size) > 0.12 * size or (row.bold != before.bold and not full):
        return True
    step = row.y0 - before.y0
    if step > pitch * size:
        step = _step(before, row)
    inwards = before.x1 - row.x1 if rtl else row.x0 - before.x0
    indented = inwards > size and not (
        starts_item(before) or _LABELLED.match(before.text) or _hangs_behind_mark(before, row)
    )
    if row.block == before.block:
        if item:
            return False
        if step > (pitch + 0.6) * size:
            return True
        return indented and (not full or SENTENCE_END.search(before.text) is not None)
    same_column = row.left == before.left and row.right == before.right
    if not same_column or not 0 < step <= (pitch + 0.2) * size:
        return True
    if item:
        return not starts_item(before)
    hangs = indented and CLAUSE.match(before.text) and not row.text[0].isupper()
    if hangs and not SENTENCE_END.search(before.text):
        return not full  # its number hangs
    return not full or (indented and not _hangs_below(before, row, inwards))


def _hangs_behind_mark(before: Row, row: Row) -> bool:
    """Whether a row begins below the text of an item whose mark stands apart from it."""
    return (
        len(before.lines) > 1
        and 4 * abs(row.x0 - before.lines[1].x0) < row.size
        and is_mark(before.lines[0].text)
    )


def _hangs_below(before: Row, row: Row, inwards: int) -> bool:
    """Whether an indented row goes on in the middle of a sentence, as below the term that a list of
    descriptions explains; what is displayed or centred stands further in, or is no word."""
    return (
        inwards <= _HANGING * row.size
        and before.text.count(" ") >= 2
        and (_LOWER_WORD.match(row.text) is not None or _is_tied(before, row))
        and not SENTENCE_END.search(before.text)
        and abs(before.x0 + before.x1 - row.x0 - row.x1) > row.size
    )


def _step(before: Row, row: Row) -> int:
    """How far below ``before`` a row stands, whatever is raised or lowered in either of them."""
    first, last = row.lines[0], before.lines[0]
    step = row.y0 - before.y0
    if first.mono > last.mono:
        return step  # a line of code below text
    return min(step, row.y1 - before.y1, first.base - last.base)


def starts_item(row: Row, *, wrapped: bool = False) -> bool:
    """Whether a row begins a list item; ``wrapped`` text may begin with a number, dash or sign."""
    text = row.text
    # What begins with a letter is neither, which is most text.
    if text[0].isalpha() or (wrapped and text[0] in _TEXTUAL):
        return False
    return bool(BULLET.match(text)) or (not wrapped and NUMBERED.match(text) is not None)


def _is_full(before: Row, row: Row, rtl: bool) -> bool:
    """Whether the next row's first word had no room at the end of ``before``."""
    room = before.x0 - before.left if rtl else before.edge - before.x1
    return not _has_room(before, row, room, before.right - before.left)


def had_room(before: Row, row: Row, left: int, edge: int) -> bool:
    """Whether the next row's first word had room at the end of ``before``, where rows stand
    between ``left`` and ``edge``."""
    return _has_room(before, row, edge - before.x1, edge - left)


def _has_room(before: Row, row: Row, room: int, width: int) -> bool:
    # Text set ragged, or broken by hand, ends a little before the edge.
    slack = max(0.3 * before.size, 0.04 * width)
    if room <= slack:
        return False
    characters = len(_first_word(row.text)) + 1
    return room - characters * (row.x1 - row.x0) / len(row.text) > slack


def _run_left(before: Row, row: Row) -> bool:
    """Whether two rows are read from right to left."""
    first = row.text[0]
    if first.isalpha() and ("\u4e00" <= first <= "\u9fff" or not _RTL_LETTER.match(first)):
        return False  # which most text is known by
    return _is_rtl(row.text) and _is_rtl(before.text)


def _is_rtl(text: str) -> bool:
    """Whether the first letter is one of a script that is read from right to left."""
    for character in text:
        kind = bidirectional(character)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return False


def _first_word(text: str) -> str:
    if text.isascii():
        return text.split(maxsplit=1)[0]
    if "\u4e00" <= text[0] <= "\u9fff":
        return text[0]  # as most CJK text begins
    word = _FIRST_WORD.search(text)
    return word[0] if word else ""
