"""Manual pages, and texts that stand further in, have the titles at their left edge as headings."""

from __future__ import annotations

import time

import pytest

from rag_assets.loading.text_outdents import manual_name
from tests.unit.loading.test_text_headings import outline, title

MANUAL = """\
GAUGE(1)                  General Commands Manual                  GAUGE(1)

NAME 名称
       gauge - read the tide gauge

总览
       gauge [ -h ] [ FILE ]

OPTIONS
       These are known.

   Output
       -h     Prints help.

       -q
              Prints nothing.

SEE ALSO
       log(1)

Tide 1.2                          June 2024                        GAUGE(1)
"""
MEMO = """\
Engineering Task Force                                    J. Quill
Request for Comments: 9999                              Tide Works
ISSN: 2070-1721


                    A Tide Protocol

Abstract

   This document says how gauges
   send their readings.

Table of Contents

   1.  Introduction . . . . . . . . .  2
   2.  Format . . . . . . . . . . . .  2

1.  Introduction

   The protocol is simple.

2.  Format

   A message is never sent, and
   nobody waits for it.

3.  Numbers

   There are none to register.

Author's Address

   Jo Quill
   Email: jo@example.org
"""


def test_a_manual_page_has_its_sections_and_their_parts() -> None:
    assert outline(MANUAL) == [
        (1, "NAME 名称"),
        (1, "总览"),
        (1, "OPTIONS"),
        (2, "Output"),
        (1, "SEE ALSO"),
    ]
    assert title(MANUAL) == "GAUGE(1)"


def test_a_manual_page_whose_name_is_too_long_for_its_head_is_one() -> None:
    head = "GAUGE_ALPHA_READINGS_DEGeneral1CommandGAUGE_ALPHA_READINGS_DESCRIBE(1)"
    text = MANUAL.replace(MANUAL.split("\n", 1)[0], head)
    assert title(text) == "GAUGE_ALPHA_READINGS_DESCRIBE(1)"
    assert len(outline(text)) == 5


def test_titles_of_a_memo_without_a_number_are_headings_beside_the_numbered_ones() -> None:
    assert outline(MEMO) == [
        (1, "Abstract"),
        (1, "Table of Contents"),
        (1, "1. Introduction"),
        (1, "2. Format"),
        (1, "3. Numbers"),
        (1, "Author's Address"),
    ]


def test_chapters_that_are_numbers_alone_are_headings_where_all_else_stands_further_in() -> None:
    text = "".join(f"{number}\n\n" + "　　潮来了。\n" * 4 + "\n" for number in "一二三")
    assert outline(text) == [(1, "一"), (1, "二"), (1, "三")]


@pytest.mark.parametrize(
    "text",
    [
        # As many lines at the edge.
        "First of all\n\n   a\n\nThen\n\n   b\n\nAt last\n\n   c\n",
        # Sentences, fields and code.
        "".join(f"{line}\n" + "    b\n" * 5 + "\n" for line in ("It is so.", "Port: 1", "f(x) {")),
        # Prose with examples.
        "A paragraph of words\nthat goes on.\n\n    code\n    code\n\n" * 5,
        # No manual.
        "gauge(1) and more\n\nNAME\n       gauge\n",
    ],
)
def test_other_lines_at_the_edge_are_no_headings(text: str) -> None:
    assert outline(text) == []


@pytest.mark.parametrize("line", ["a" * 160, "ab" * 80, "a " * 80, "a" * 100_000 + "(1)"])
def test_a_head_is_read_in_no_time(line: str) -> None:
    began = time.process_time()
    manual_name(line)
    assert time.process_time() - began < 1
