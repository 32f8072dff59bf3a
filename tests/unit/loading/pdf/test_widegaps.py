"""Gaps within a line of ideographs."""

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import load


def row(*pieces: tuple[float, str]) -> str:
    """The Markdown of pieces of a row, each so many font sizes behind the one before."""
    with pymupdf.open() as document:
        page = document.new_page()
        x = 72.0
        for gap, text in pieces:
            x += 10 * gap
            page.insert_text((x, 100), text, fontname="china-s", fontsize=10)
            x += 10 * len(text)
        return load(document.tobytes()).md


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([(0, "序号"), (0.27, "名称"), (0.27, "单价（元）")], "序号 名称 单价（元）"),
        ([(0, "第三章"), (0.5, "质量保证")], "第三章 质量保证"),
        # Set flush, or a word that is set wide.
        ([(0, "单"), *((0.3, character) for character in "价含税运费")], "单价含税运费"),
        ([(0, "摘"), (0.5, "要：本文介绍")], "摘要：本文介绍"),
        # The comma has its own room.
        ([(0, "本文介绍，"), (0.3, "并说明")], "本文介绍，并说明"),
        ([(0, "本文介绍"), (0.1, "并说明")], "本文介绍并说明"),
    ],
)
def test_ideographs_that_stand_apart_have_a_blank(
    pieces: list[tuple[float, str]], text: str
) -> None:
    assert row(*pieces) == text
