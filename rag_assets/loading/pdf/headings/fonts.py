"""Headings that only their looks tell: larger than the text, bold, or numbered in another font."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise

from rag_assets.loading.pdf.columns.figures import is_figure
from rag_assets.loading.pdf.extraction.blocks import ImageBlock
from rag_assets.loading.pdf.headings.numbered import (
    CELLS,
    chinese_parts,
    has_cells,
    numbered_sections,
)
from rag_assets.loading.pdf.order.rows import PageRows, Row
from rag_assets.loading.pdf.paragraphs.paragraphs import had_room

#: How headings are numbered.
NUMBERED = re.compile(
    r"^(?:\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)+\.?|Appendix\b|Chapter\b|I(?:tem|TEM)s?\s\d+[A-Z]?\."
    r"|P(?:art|ART)(?=\s[IVX]+\b)|第.{1,5}[章节節部篇条條]"
    r"|[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[)）])\s*\S"
)
#: Chinese, Japanese and Korean begin here; in them no small letter tells that a sentence goes on.
_CJK = "\u2e80"
_ARTICLE = re.compile(r"第.{1,5}[条條]")
#: What a theorem and its like begin with, in bold; its text goes on in the same row.
_THEOREM = re.compile(
    r"(?:Theorem|Lemma|Definition|Corollary|Proposition|Example|Remark"
    r"|定义|定理|引理|推论|命题|公理|性质|例题?|注)\s*\d+(?:\.\d+)*(?!\d)"
)
#: What the caption of an algorithm and the rows above its steps begin with.
_ALGORITHM = re.compile(r"(?:Algorithm|算法)\s*\d|(?:Require|Ensure|Input|Output):")
_SENTENCE_END = re.compile(r"[.,;:!?。，；：！？、]$")
_BROKEN_WORD = re.compile(r"[^\W\d_][-‐]$")
#: What is bold before a value, "Present: the keeper": of a row, the font of its first character is
#: known.
_LABEL = re.compile(r"[^\d:：]{1,30}[:：]\s*\S")
_ENTRY = re.compile(r"(.*?[^\s.])[\s.]+\d{1,4}")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
#: A number with its unit, large on a page of key figures: "€42.7m", "12,400 t".
#: "10.2 UI" is a heading.
_FIGURE = re.compile(r"[^\w\s]{0,2}\s?\d[\d.,']*(?:[A-Za-zµ]{1,3}|\s[a-zµ][A-Za-z]{0,2})")
#: The number of a document's only page is not known by those of others.
_PAGE_NUMBER = re.compile(
    r"(?i:page|seite)\s*\d+(?:\s*(?:of|von|/)\s*\d+)?"
    r"|第\s*\d+\s*[页頁](?:\s*[,，/]?\s*共\s*\d+\s*[页頁])?"
)
#: Signs of formulas; of one in a font of its own, ¼ is the sign of equality.
_RELATIONS = "=≈≠≡≤≥∈∼≃≅∝¼"
_RELATION = re.compile(f"[{_RELATIONS}]")
_WORD = re.compile(r"[^\W\d_]{4}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}")
_MAX_CHARS = 150
#: Blanks in a bold heading, and in a question that is numbered.
_WORDS = 12
_QUESTION = 20
#: So many font sizes before a number at the edge, it is that of a page; one that is smaller than so
#: much of its row counts the lines.
_PAGE_GAP = 2
_PAGE_SIZE = 0.55
#: A number of so many digits may be that of a part.
_NUMBER_DIGITS = 2
#: Large text of more rows is no heading.
_MAX_ROWS = 3
#: A heading is at least this much larger than the body text.
LARGER = 1.12
#: So far apart are the rows of one heading, at most, in font sizes.
_WIDE_PITCH = 2.5
#: Above this share of rows and of characters a style is the body's, not the headings'.
_MAX_SHARE = 0.25
#: Of the rows of a size that is much of a document, so many stand one by one over smaller text when
#: they are headings.
_MOST = 0.75


def mark_by_fonts(pages: list[PageRows], body: int) -> None:
    """Set ``level`` of heading rows, as their size, weight and font tell.

    Args:
        body: font size of most text, see ``headings.body_size``.
    """
    rows = [row for page in pages for row in page.rows if not row.furniture]
    large = [row for row in rows if row.size >= LARGER * body and _is_short(row)]
    large = _without_cells(_without_labels(large))
    if len(rows) > 8:
        large = _without_text(large, rows)
    bold = _bold_headings(pages, rows, body)
    sizes = sorted({_rounded(row.size) for row in large}, reverse=True)
    levels = {size: min(level, 5) for level, size in enumerate(sizes, 1)}
    for row in large:
        row.level = levels[_rounded(row.size)]
    for row in bold:
        row.level = min(len(sizes) + 1, 6)
    for depth, row in chinese_parts(rows, body):
        row.level = min(len(sizes) + 1 + depth, 6)
    for depth, heading in numbered_sections(rows, body):
        for row in heading:
            row.level = min(len(sizes) + 1 + depth, 6)
    _drop_long_runs(pages)


def _bold_headings(pages: list[PageRows], rows: list[Row], body: int) -> list[Row]:
    """The rows of headings that are bold and about as large as the text.

    Args:
        rows: those of the pages that are no furniture.
    """
    bold = [
        row
        for row in rows
        if row.bold
        and not row.mono
        and 0.95 * body <= row.size < LARGER * body
        and _is_short(row)
        and (not _SENTENCE_END.search(row.text) or _may_say_sentence(row.text))
        and row.text.count(" ") <= (_QUESTION if _is_question(row.text) else _WORDS)
        and not _ALGORITHM.match(row.text)
        and not _ends_in_brackets(row.text)
    ]
    bold = _without_entries(bold)
    if _are_many(bold, rows):
        heads = [row for row in bold if not _LABEL.match(row.text)]
        numbered = [row for row in bold if NUMBERED.match(row.text)]
        bold = numbered if _are_many(heads, rows) else heads
    if not bold:
        return []
    alone = Counter((id(page), row.block) for page in pages for row in page.rows)
    of_page = {id(row): id(page) for page in pages for row in page.rows}
    at = {id(row): at for at, row in enumerate(rows)}
    heads = []
    for row in bold:
        here = at[id(row)]
        before = rows[here - 1] if here else None
        rest = _rest(rows, here)
        after = rows[here + 1 + len(rest)] if here + 1 + len(rest) < len(rows) else None
        if alone[of_page[id(row)], row.block] > 1 and not _stands_out(before, row, rest, after):
            continue
        if not rest and _runs_in(row, after):
            continue
        heads += [row, *rest]
    return heads


def _ends_in_brackets(text: str) -> bool:
    """Whether a row ends with a bracket that was opened in a row before: "-C)"."""
    return text[-1] == ")" and text.count(")") > text.count("(")


def _without_entries(bold: list[Row]) -> list[Row]:
    """Some rows less those that name one of the others and a page: entries of contents."""
    texts = {row.text for row in bold}
    return [
        row for row in bold if not ((entry := _ENTRY.fullmatch(row.text)) and entry[1] in texts)
    ]


def _is_question(text: str) -> bool:
    return "?" in text and NUMBERED.match(text) is not None


def _may_say_sentence(text: str) -> bool:
    """Whether a heading may end like a sentence; what follows the number of an article of a law
    then is one, in which only the number is bold."""
    return NUMBERED.match(text) is not None and _ARTICLE.match(text) is None


def _rest(rows: list[Row], at: int) -> list[Row]:
    """The row a numbered bold heading goes on in when its first one, at ``at``, is full."""
    row = rows[at]
    after, behind = (rows[i] if i < len(rows) else None for i in (at + 1, at + 2))
    if (
        after is None
        or not (NUMBERED.match(row.text) and after.bold)
        or NUMBERED.match(after.text)
        or after.size != row.size
        or not 0 < after.y0 - row.y0 <= _WIDE_PITCH * row.size
        or had_room(row, after, row.left, row.edge)
        or (behind is not None and behind.bold)
    ):
        return []
    return [after]


def _stands_out(before: Row | None, row: Row, rest: list[Row], after: Row | None) -> bool:
    """Whether a numbered row begins and ends like a heading, between rows that are not bold."""
    last = rest[-1] if rest else row
    return (
        NUMBERED.match(row.text) is not None
        and (before is None or _ends_before(before, row))
        and (after is None or (not after.bold and had_room(last, after, last.left, last.edge)))
    )


def _ends_before(before: Row, row: Row) -> bool:
    """Whether a text, or a heading, ends in the row before another."""
    if before.size >= LARGER * row.size or before.block != row.block:
        return True
    return not before.bold and (
        _SENTENCE_END.search(before.text) is not None
        or had_room(before, row, before.left, before.edge)
    )


def _runs_in(row: Row, after: Row | None) -> bool:
    """Whether a row only begins in bold: its sentence goes on in the next row, which is not. Of a
    row, the font of its first character is known."""
    if after is not None and not after.bold and _BROKEN_WORD.search(row.text):
        return True
    return (
        after is not None
        and not after.bold
        and (
            after.text[0].islower() or _THEOREM.match(row.text) is not None or after.text[0] >= _CJK
        )
        and 0 < after.y0 - row.y0 <= 2.5 * row.size
        and not had_room(row, after, row.left, row.edge)
    )


def _without_text(large: list[Row], rows: list[Row]) -> list[Row]:
    """The large rows, less those of the most frequent sizes as long as they are many; bold ones
    that each head smaller text are questions and versions, however many."""
    if not _are_many(large, rows):
        return large
    following = {id(row): after for row, after in pairwise(rows)}
    by_size: defaultdict[int, list[Row]] = defaultdict(list)
    for row in large:
        by_size[_rounded(row.size)].append(row)
    heads = [size for size, some in by_size.items() if _head_text(some, following)]
    text = [size for size in by_size if size not in heads]
    text.sort(key=lambda size: sum(len(row.text) for row in by_size[size]))
    while text and _are_many([row for size in text for row in by_size[size]], rows):
        text.pop()
    return [row for size in [*heads, *text] for row in by_size[size]]


def _without_labels(large: list[Row]) -> list[Row]:
    """The large rows, less those that are a single letter and alone in their size: those of a
    glossary or an index are many, that of a drawing is none."""
    sizes = Counter([row.size for row in large])
    return [
        row for row in large if len(row.text) > 1 or sizes[row.size] > 1 or not row.text.isascii()
    ]


def _without_cells(large: list[Row]) -> list[Row]:
    """The large rows, less three or more beside each other that are bold: the heads of a table."""
    beside: set[int] = set()
    for one, two, three in zip(large, large[1:], large[2:], strict=False):
        # Asked of all: most stand below each other.
        if one.y1 > two.y0 and two.y1 > three.y0 and _are_cells(one, two, three):
            beside |= {id(one), id(two), id(three)}
    return [row for row in large if id(row) not in beside] if beside else large


def _are_cells(*rows: Row) -> bool:
    gap, _ = CELLS[0]
    return all(row.bold for row in rows) and all(
        row.size == before.size
        and 3 * abs(row.lines[0].base - before.lines[0].base) < row.size
        and row.x0 - before.x1 >= gap * row.size
        for before, row in pairwise(rows)
    )


def _head_text(some: list[Row], following: dict[int, Row]) -> bool:
    """Whether the rows of one size are bold and stand one by one over smaller ones."""
    after = [following.get(id(row)) for row in some]
    heads = [row is not None and row.size < some[0].size and not row.bold for row in after]
    return all(row.bold for row in some) and sum(heads) >= _MOST * len(heads)


def _are_many(some: list[Row], rows: list[Row]) -> bool:
    if len(some) <= _MAX_SHARE * len(rows):
        return False
    # Short paragraphs below short headings are few rows, but more text.
    return sum(len(row.text) for row in some) > _MAX_SHARE * sum(len(row.text) for row in rows)


def _is_short(row: Row) -> bool:
    return (
        len(row.text) <= _MAX_CHARS
        and may_head(row)
        and not has_cells(row)
        and not _ends_with_page(row)
        and not _ends_with_amount(row)
    )


def _ends_with_page(row: Row) -> bool:
    """Whether a number stands far behind a row, at the edge of its column: an entry of contents."""
    *before, last = row.lines
    return (
        bool(before)
        and last.text.isdecimal()
        and last.x0 - before[-1].x1 >= _PAGE_GAP * row.size
        and last.x1 >= row.right - row.size
        and last.size >= _PAGE_SIZE * row.size
    )


def _ends_with_amount(row: Row) -> bool:
    """Whether an amount stands far behind a row: that of a sum. Years are those of a heading."""
    *before, last = row.lines
    return (
        bool(before)
        and last.x0 - before[-1].x1 >= _PAGE_GAP * row.size
        and is_figure(last.text)
        and len(_DIGIT.findall(last.text)) > _NUMBER_DIGITS
        and not _YEAR.search(last.text)
    )


def may_head(row: Row) -> bool:
    """Whether a row says something, and is neither a figure nor a page's number nor a formula."""
    text = row.text
    if row.stamped or _LETTER.search(text) is None:
        return False
    return not (_is_key_figure(text) or _PAGE_NUMBER.fullmatch(text) or _is_formula(text))


def _is_key_figure(text: str) -> bool:
    """Whether a row is a number with its unit, and mostly number."""
    if _FIGURE.fullmatch(text) is None:
        return False
    return sum(map(str.isdecimal, text)) > len(_LETTER.findall(text))


def _is_formula(text: str) -> bool:
    """Whether a text is cut off at a relation, or holds one and no word, or more than a phrase."""
    if _RELATION.search(text) is None:
        return False
    return text[-1] in _RELATIONS or _WORD.search(text) is None or "，" in text


def _rounded(size: int) -> int:
    return round(size / 100)


def _drop_long_runs(pages: list[PageRows]) -> None:
    """Many rows of one level in a row are large text, not headings; over a table each heads it."""
    for page in pages:
        run: list[Row] = []
        for item in [*page.items, None]:
            if isinstance(item, ImageBlock):
                continue
            row = item if isinstance(item, Row) else None
            if row is not None and row.level and (not run or run[-1].level == row.level):
                run.append(row)
                continue
            if len(run) > _MAX_ROWS:
                for each in run:
                    each.level = 0
            run = [row] if row is not None and row.level else []
