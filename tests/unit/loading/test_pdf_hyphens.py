"""Which hyphens at the ends of lines stay in the text a reader searches."""

from __future__ import annotations

import pytest

from rag_assets.loading.pdf.hyphens import Hyphens


@pytest.mark.parametrize(
    ("rows", "divided"),
    [
        (["a cast-", "iron pan", "the cast-iron stove"], False),
        (["the cast-", "iron pan", "cast or iron"], False),
        (["the mono-", "space font", "a monospace font"], True),
        (["the popu-", "lation grew"], True),
        (["a strongly-", "coupled plasma"], False),
        (["in the worst-", "case here"], False),
        (["an assemb-", "ly of parts"], True),
    ],
)
def test_the_document_tells_a_compound_from_a_divided_word(rows: list[str], divided: bool) -> None:
    assert Hyphens(rows).divide(rows[0], rows[1]) is divided


@pytest.mark.parametrize(
    ("rows", "divided"),
    [
        (["请发邮件到debian-", "boot 列表", "订阅 debian-boot 列表"], False),
        (["比如在win-", "dows 下", "其它 windows 程序"], True),
    ],
)
def test_text_without_blanks_before_a_word_is_none_of_the_word(
    rows: list[str], divided: bool
) -> None:
    assert Hyphens(rows).divide(rows[0], rows[1]) is divided
