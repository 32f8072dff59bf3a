import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_assets.loading.base import LoadRequest
from rag_assets.loading.text import TextLoader, TextParams
from rag_assets.loading.text_headings import text_as_markdown
from rag_assets.sections.markdown_headings import tree_headings

RST = """.. SPDX-License-Identifier: GPL-2.0

.. _tide-log:

==========
 Tide Log
==========

Intro.

:mod:`gauge` --- Reads
======================

Text of ``code``.

Sub section
~~~~~~~~~~~

More.

Notes
=====
"""
ASCIIDOC = """gauge-log(1)
============

NAME
----
gauge-log - Show the log

[[STANDALONE]]
STANDALONE USE
--------------
Run it:

------------
# no heading
$ gauge log

last line
------------

+
------
gauge
------

Reading
~~~~~~~
Text.
"""


def outline(text: str) -> list[tuple[int, str]]:
    loaded = TextLoader(TextParams()).load(text.encode(), LoadRequest("name.txt"))
    headings = [(item.level, item.title, item.char_start) for item in loaded.outline]
    assert headings == [(h.level, h.title, h.start) for h in tree_headings(loaded.md, 6)]
    return [(level, title) for level, title, _ in headings]


def title(text: str) -> str:
    return TextLoader(TextParams()).load(text.encode(), LoadRequest("name.txt")).title


def test_titles_of_restructured_text_have_no_rules_and_no_roles() -> None:
    assert outline(RST) == [
        (1, "Tide Log"),
        (2, "gauge --- Reads"),
        (3, "Sub section"),
        (2, "Notes"),
    ]
    assert title(RST) == "Tide Log"


def test_titles_of_restructured_text_have_no_marks_of_references() -> None:
    text = (
        "`2.1.0`_ (2025-07-20)\n======================\n\nText.\n\n"
        "Log of Harbour_\n===============\n\nText.\n\n"
        "`Gauges <https://a.example/g>`__\n================================\n\nText.\n\n"
        "The field size_\n===============\n\nText.\n\n"
        ".. _2.1.0: https://a.example/2.1.0\n.. _harbour: https://a.example/h\n"
    )
    titles = [title for _, title in outline(text)]
    assert titles == ["2.1.0 (2025-07-20)", "Log of Harbour", "Gauges", "The field size_"]


def test_listings_of_asciidoc_are_no_headings() -> None:
    assert outline(ASCIIDOC) == [
        (1, "gauge-log(1)"),
        (2, "NAME"),
        (2, "STANDALONE USE"),
        (3, "Reading"),
    ]


def test_titles_of_asciidoc_may_have_marks_before_them() -> None:
    text = (
        "= Gauge\nJo Quill\n\n== Use `read`\n\nWords.\n\n[[oil]]\n=== Oil it ===\n\nDaily.\n\n"
        "----\n== no title\n\n----\n\n= no title\n\n== no\ntitle\n\n=> x\n\n== 5\n"
    )
    assert outline(text) == [(1, "Gauge"), (2, "Use read"), (3, "Oil it")]


def test_below_a_title_of_a_wiki_its_text_may_stand() -> None:
    """Were it none, its text would be of the section above."""
    text = "== Links ==\n\n=== Sport ===\nA club.\nText\n== no title ==\n\n=== RUN   TestPump\n"
    assert outline(text) == [(2, "Links"), (3, "Sport")]


def test_an_anchor_of_asciidoc_is_no_link_to_a_page() -> None:
    assert "\n\\[[STANDALONE]]\n" in text_as_markdown(ASCIIDOC).md


def test_lines_stay_where_they_are_and_text_between_headings_as_it_is() -> None:
    for text in (RST, ASCIIDOC):
        lines, read = text.split("\n"), text_as_markdown(text)
        made = read.md.split("\n")
        own = {n for h in read.headings for n in (h.line, *h.others)}
        assert len(made) == len(lines)
        changed = [n for n in range(len(lines)) if made[n] != lines[n] and n not in own]
        assert all(made[n] == f"\\{lines[n]}" for n in changed)


def test_a_heading_that_markdown_reads_as_such_is_left_as_written() -> None:
    text = "Tide\n====\n\nWords.\n\n潮位\n----\n\n文字。\n"
    assert text_as_markdown(text).md == text
    assert outline(text) == [(1, "Tide"), (2, "潮位")]


@pytest.mark.parametrize(
    "text",
    [
        "# set the port\nport = 80\n\n# and the host\nhost = x\n",
        "# one\n# two\n",
        "#!/bin/sh\n\n# comment\nrun\n",
        "Two lines\nof words\n--------\n",
        "A title much longer than its rule\n-----\n",
        "Name     Age\n------------\nBob      7\n",
        "- item\n------\n",
        "~~~\n# code\n~~~\n",
        "```sh\n# code\n\nTitle\n=====\n```\n",
        "------\n\tI---X\n------\n",
        "------------\n---o---o---A\n------------\n",
        "-----------------------------------\n        write_all(1, buf, size);\n"
        "-----------------------------------\n",
        "1. one\n2. two\n===\n",
    ],
)
def test_comments_tables_and_code_of_a_text_are_no_headings(text: str) -> None:
    assert outline(text) == []


def test_a_title_has_no_marks_around_it() -> None:
    rule = "=" * 38
    text = f"{rule}\n{'=' * 12} Introduction {'=' * 12}\n{rule}\n\nText.\n"
    assert outline(text) == [(1, "Introduction")]
    assert title(text) == "Introduction"


def test_marks_between_blank_lines_are_headings() -> None:
    text = "# Guide\n\nWords.\n\n## Use it\n\nMore.\n"
    assert outline(text) == [(1, "Guide"), (2, "Use it")]
    assert text_as_markdown(text).md == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1. Introduction\n===============\n", "1. Introduction"),
        ("The __init__ <hook>\n===================\n", "The __init__ <hook>"),
        (":ref:`the log <tide>` C #\n=========================\n", "the log C #"),
        ("grp\n~~~\n\nWords.\n", "grp"),
        (".. highlight:: c\n   :x: y\n\n.. _bytes:\n\nBytes\n*****\n", "Bytes"),
    ],
)
def test_a_title_reads_as_its_reader_sees_it(text: str, shown: str) -> None:
    assert [name for _, name in outline(text)] == [shown]
    assert title(text) == shown


def test_a_text_of_directives_alone_has_no_title_of_its_own() -> None:
    assert title(".. SPDX-License-Identifier: GPL-2.0\n\n.. include:: x.txt\n") == ""
    assert title("## 标题\n正文。\n") == "标题"


@given(
    st.lists(
        st.sampled_from(
            [
                "Title", "Another title", "=====", "-----", "---------------", "~~~~~", "", "",
                "# a", "== b", "- x", "1. y", "```", "~~~", "    code", "[[x]]", ".. note:: n",
                "text `a` *b*", "***", "+", "    It reads the gauge, and ends.", "    ===",
                "第一章 概述", "第二章 # 要求 #", "１. One", "2. Two", "3. Three", "Part D",
                "A.1 x", "     # a", "~~~~~~~~~~~~~~~~", "````", "```py", "~~~ x",
                "CHAPTER I", "CHAPTER II.", "THE # EVE #", "I. THE EVE", "II.", "序",
            ]
        ),
        max_size=14,
    )
)  # fmt: skip
@example(["~~~", "~~~~~", "# a", "```"])
@example(["~~~", "Title", "=====", "```"])
@example(["```py", "-----", "", "# a"])
def test_the_headings_of_a_text_are_those_markdown_reads(lines: list[str]) -> None:
    text = "\n".join(lines)
    read = text_as_markdown(text)
    assert read.md.count("\n") == text.count("\n")
    if text.strip():
        outline(text)
