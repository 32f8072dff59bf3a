"""What stands raised on a page: marks that lead to footnotes, and exponents.

The structured text a page is read from tells only the font of a line's first character. MuPDF's
HTML of the same text page has the same lines in the same order and marks the runs within them; it
is printed only for pages that may hold notes, or numbers that cannot be read without it: 4,210 with
a raised 3 is not 42103.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice, pairwise
from operator import attrgetter
from typing import Any

from rag_assets.loading.pdf.characters.accents import ACCENTS
from rag_assets.loading.pdf.extraction.blocks import Line, Raised
from rag_assets.loading.pdf.extraction.stext import CORK, all_blocks, printed

RAISED_DIGITS = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079"
#: What stands before a note: a number, a raised number, a circled one, a letter or a sign.
NOTE_MARK = re.compile(
    rf"(?:[\d{RAISED_DIGITS}]{{1,3}}|[①-⑳㉑-㉟❶-❿]|[*†‡§¶‖]{{1,3}}|[a-z](?![a-z]))"
)
#: A note is at most this share of the size of the text.
NOTE_SIZE = 0.93
#: Share of the page's height above which no note begins.
NOTES_BELOW = 0.35
#: So many lines of larger text below a note are a footer, of so many that stand lowest.
_FOOTER = 1
_LOWEST = 10
#: The raised mark of a note is at most this share of the note's own size.
_RAISED_SIZE = 0.85


#: A line as MuPDF prints it, and a run of one style in it: raised or not, size, text.
_LINE = re.compile(r"<p [^>]*>(.*)</p>")
_CONTROL = re.compile("&#x(1[0-9a-f]);")
_LIGATURE = re.compile("&#x1[b-e];(?:[a-z]|(?<=[a-z]&#x1[b-e];))")
_SIZE = re.compile(r"<span [^>]*font-size:([\d.]+)pt")
_RUN = re.compile(r"(<sup>)?(?:<(?:tt|b|i)>)*<span [^>]*font-size:([\d.]+)pt[^>]*>([^<]*)</span>")
_ENTITY = re.compile(r"&#?\w+;")
_end = attrgetter("y1")
#: Numbers as they stand in a line when their last digits are raised: too many digits behind a
#: comma, behind a year or a percent sign, a power of ten, an area, a volume or a square. Each by
#: what it begins with, which is found quickly.
_NUMBERS = {
    ",": re.compile(r",(?<=\d,)\d{4}"),
    "20": re.compile(r"20(?<!\d20)[012]\d{2,3}(?![\d,])"),
    "19": re.compile(r"19(?<!\d19)\d{3,4}(?![\d,])"),
    "%": re.compile(r"%\d"),
    "×": re.compile(r"×\s?10\S{0,2}\d"),
    "10": re.compile(r"10(?<!\d10)[−–-]\d"),
    "m": re.compile(r"m[23](?<![A-Za-z]{3}[23])(?!\w)"),
    "2": re.compile(r"2(?<=[^\w-][A-Za-z]2)(?!\w)"),
}
#: A raised number, and what it stands behind: a number, or a unit or variable.
_POWER = re.compile(r"[−–+-]?\d{1,3}")
_BASE = re.compile(r"(?:[\d%]|(?<![^\W_])[A-Za-z]{1,2})$")


def may_hold_notes(lines: Sequence[Line], height: int, sizes: Mapping[int, int]) -> bool:
    """Whether a line low on a page ``height`` high is smaller than most text, begins with a mark
    and has no text but a footer below it. Without the rest of the document it is a guess, good
    enough to look at the page once.

    Args:
        sizes: characters by font size on this page and those before.
    """
    if not lines:
        return False
    lowest, largest = NOTES_BELOW * height, NOTE_SIZE * max(sizes, key=sizes.__getitem__)
    # Code begins with whatever a mark may be.
    marked = [
        line
        for line in lines
        if line.size <= largest
        and line.y0 >= lowest
        and not line.mono
        and NOTE_MARK.match(line.text)
    ]
    if not marked:
        return False
    large = [line for line in lines if line.size > largest]
    text = sorted(large, key=_end, reverse=True)[:_LOWEST]
    return any(
        sum(each.y1 > line.y1 and each.x0 < line.x1 and each.x1 > line.x0 for each in text)
        <= _FOOTER
        for line in marked
    )


def may_hold_powers(text: str) -> bool:
    """Whether numbers stand in a text that would be others if their last digits are raised."""
    return any(begin in text and pattern.search(text) for begin, pattern in _NUMBERS.items())


def write_powers(raised: Sequence[Raised]) -> list[Raised]:
    """Write the raised numbers behind numbers, units and variables as ``10^6``, as HTML's are;
    return the other runs, where they stand then."""
    others: list[Raised] = []
    line: Line | None = None
    added = 0
    for runs in _adjoining(raised):
        added = added if runs[0].line is line else 0
        line, at = runs[0].line, runs[0].at + added
        number, text = "".join([run.text for run in runs]), line.text
        end = at + len(number)
        is_power = _POWER.fullmatch(number) is not None and _BASE.search(text, 0, at) is not None
        if runs[0].first or not is_power or not text.startswith(number, at):
            others += [run._replace(at=run.at + added) for run in runs]
            continue
        closed = not number.isdecimal() or text[end : end + 1].isalnum()
        written = f"^({number})" if closed else f"^{number}"
        line.text = text[:at] + written + text[end:]
        added += len(written) - len(number)
    return others


def _adjoining(raised: Sequence[Raised]) -> list[list[Raised]]:
    """Runs without a gap between them, together: a minus often comes from another font."""
    found: list[list[Raised]] = []
    for run in raised:
        last = found[-1][-1] if found else None
        if last and last.line is run.line and last.at + len(last.text) == run.at:
            found[-1].append(run)
        else:
            found.append([run])
    return found


def raised_in(text_page: Any, lines: Sequence[Line | None], *, images: bool) -> list[Raised]:
    """The raised runs of a text page.

    Args:
        lines: what its lines were read as.
        images: whether there are any on the page.
    """
    import pymupdf

    html_of = pymupdf.mupdf.fz_print_stext_page_as_html
    with _without_images(text_page) if images else nullcontext():
        page = printed(text_page, html_of, 0).decode("ascii", "replace")
    if "&#x1" in page and _LIGATURE.search(page):
        # As long as in the lines.
        page = _CONTROL.sub(lambda found: CORK.get(int(found[1], 16), found[0]), page)
    contents = _LINE.findall(page)
    if len(contents) != len(lines):
        # Nobody can tell which is which; the marks stay text.
        return []
    found: list[Raised] = []
    for line, content in zip(lines, contents, strict=True):
        # What a single run would be raised from is on no line.
        if line is None or content.count("<span ") < 2:
            continue
        # Most lines of several runs have one size.
        sizes = list(map(float, _SIZE.findall(content)))
        if "<sup>" not in content and min(sizes) > _RAISED_SIZE * max(sizes):
            continue
        runs = _RUN.findall(content)
        last = max([at for at, run in enumerate(runs) if run[0]], default=-1)
        before = ""
        for at, (raised, _, escaped) in enumerate(runs):
            if at > last and before.strip():
                # Nothing raised follows.
                break
            # A line's first run is what the others are raised from; only its size tells.
            first = at + 1 < len(runs) and not before.strip()
            smaller = first and sizes[at] <= _RAISED_SIZE * sizes[at + 1]
            text = html.unescape(escaped) if raised or smaller else _as_long(escaped)
            if (raised or smaller) and text.strip():
                start = len((before + text).lstrip()) - len(text.lstrip())
                found.append(Raised(line, place_of(line, start), text.strip(), first))
            before += text
    return found


@contextmanager
def _without_images(text_page: Any) -> Iterator[None]:
    """A text page whose images are not printed: MuPDF writes all of each into HTML, which takes a
    hundred times as long as the text around it."""
    from pymupdf import mupdf

    image, hidden = mupdf.FZ_STEXT_BLOCK_IMAGE, mupdf.FZ_STEXT_BLOCK_VECTOR
    blocks = [block for block in all_blocks(text_page) if block.type == image]
    for block in blocks:
        block.type = hidden
    try:
        yield
    finally:
        # What a block is made of tells MuPDF how to free it.
        for block in blocks:
            block.type = image


def place_of(line: Line, at: int) -> int:
    """Where a character of a line's extracted text stands once blanks were written into it, and
    accents into its letters."""
    extracted = line.raw.strip()
    if len(line.text) == len(extracted):
        return at  # most lines
    place = 0
    for character, after in islice(pairwise(extracted), at):
        there = line.text[place : place + 1]
        if there != character and (character in ACCENTS or (character == " " and after in ACCENTS)):
            continue
        place += 1 + (there == " " != character)
    return place + (line.text[place : place + 1] == " ")


def _as_long(escaped: str) -> str:
    """A text as long, and as blank at its edges, as one that is written with entities: all that
    counts of what is not raised, and quicker to have."""
    if "&" not in escaped:
        return escaped
    return _ENTITY.sub("x", escaped.replace("&#x3000;", " ").replace("&#xa0;", " "))
