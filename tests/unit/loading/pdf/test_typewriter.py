"""Rows that only begin in a typewriter's font."""

from __future__ import annotations

import time

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import Box
from rag_assets.loading.pdf.order.rows import PageRows, Row
from rag_assets.loading.pdf.paragraphs.typewriter import mark_proportional

SIZE = 1_000


def row(text: str, width: int, *, raw: str = "", bold: bool = False) -> Row:
    """A row that begins in a typewriter's font; ``width`` is that of a character, on average."""
    raw = raw or text
    box = Box(0, 0, width * len(raw.lstrip()), SIZE)
    line = Line(text, box, 0, 0, box.x1, SIZE, SIZE, SIZE, bold, True, False, raw=raw, font="TT")
    return Row.of(line, 0, 0, 50_000)


def are_mono(*rows: Row) -> list[bool]:
    mark_proportional([PageRows(1, 60_000, 80_000, rows=list(rows))])
    return [each.mono for each in rows]


COMMAND = row("backup --verbose", 600)
OPTION = row("backup --saveLogs", 600)


def test_a_term_in_a_typewriters_font_makes_no_code_of_its_description() -> None:
    assert are_mono(COMMAND, OPTION, row("--out Write the output to a file", 540)) == [
        True, True, False,
    ]  # fmt: skip


def test_a_bold_term_makes_no_heading_of_its_description() -> None:
    term = row("Save: Saves the open scenario file", 430, bold=True)
    assert are_mono(term) == [False]
    assert not term.bold


def test_a_comment_in_another_font_is_code() -> None:
    assert are_mono(COMMAND, OPTION, row("run() // until all of them stopped", 540)) == [True] * 3


def test_code_with_narrow_blanks_or_names_in_another_font_is_code() -> None:
    narrow = row("tlmgr option repository ctan", 580)
    assert are_mono(COMMAND, OPTION, narrow, row("run <name> [<options>]", 500)) == [True] * 4


def test_words_in_a_narrow_typewriters_font_are_code() -> None:
    words = "all of them stop", "none of them stops"
    assert are_mono(*[row(text, 350) for text in words]) == [True, True]


def test_blanks_behind_code_do_not_count_as_prose() -> None:
    code = row("all of them stop", 600, raw="  all of them stop    ")
    assert are_mono(COMMAND, OPTION, code) == [True] * 3


def test_a_row_with_narrow_blanks_between_rows_of_code_is_code() -> None:
    narrow = row("to next out as much as possible, but", 550)
    assert are_mono(COMMAND, narrow, OPTION) == [True] * 3
    assert are_mono(COMMAND, OPTION, row("to next out as much as possible, but", 550))[-1] is False


def test_a_long_word_in_a_typewriters_font_is_read_quickly() -> None:
    begun = time.process_time()
    are_mono(COMMAND, row("a" * 40_000, 600))
    assert time.process_time() - begun < 1
