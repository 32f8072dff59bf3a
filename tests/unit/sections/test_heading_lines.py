"""Headings found line by line are those of the parser."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sections.blocks import scan_headings
from rag_assets.sections.heading_lines import headings_of

SAMPLES = Path(__file__).parents[3] / "data" / "samples"

#: Lines that begin, end or continue every kind of block, whole and indented.
LINES = st.sampled_from(
    [
        "# One", "## Two *b* `c`", "### Three ##", "#", "#### ", "#tag", "####### seven",
        "# [ref] and [x](y)", "## a &amp; b \\* <i>c</i>", "# 标题 “甲”\u3000", "# \x00",
        "#\tTab", "===", "---", "--", "=", "- - -", "***", "Title", "中文段落。",
        "text with `# code`", "# \ud800", "```", "```py", "````", "~~~", "``` a`b", "```\t",
        "``` \x0c", "\t```", "> ```", "- ```", "<div>", "</div>", "<b>x</b>", "<!-- # x",
        "-->", "<!-- c -->", "<pre>", "</pre>", "<Pre x", "<?php", "?>", "<script",
        "</script>", "<https://a.b>", "<PreCheck>", "<a", "| a | b |", "| - | - |", "a | b",
        "- | -", "[ref]: /url", "[ref]: /url 'a", "b'", "[ref", "]: /url", "[^1]: note",
        "[^1]: ```", "[^1]: <!--", "> text", "> # quoted", "> <!--", "- item",
        "- # in item", "1. one", "1. ```", "* <!-- c", "\x0c", "\x0b# x", " ", "\t", "\r",
    ]
)  # fmt: skip
INDENTED = st.builds(
    str.__add__, st.sampled_from(["", "", "", "", " ", "  ", "   ", "    "]), LINES
)
TEXTS = st.lists(st.just("") | INDENTED, max_size=14).map("\n".join)


@given(TEXTS | st.text("#-=`~<!>[]: \n\ta1*", max_size=60) | st.text(max_size=60))
def test_headings_are_those_of_the_parser(text: str) -> None:
    for level in (2, 6):
        assert headings_of(text, level) == scan_headings(text, level)


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.md")), ids=lambda path: path.name)
def test_headings_of_the_samples_are_those_of_the_parser(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert headings_of(text) == scan_headings(text)
