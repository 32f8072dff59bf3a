"""A text's language is told by its script."""

import pytest

from rag_query.text.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The quick brown fox", "en"),
        ("Où est la bibliothèque?", "en"),
        ("四川火锅的做法", "zh"),
        ("使用 `pip install excerpta` 安装 Excerpta，然后运行。", "zh"),
        ("A recipe from 四川 with chili oil and Sichuan pepper", "en"),
        ("これは日本語の文章です", "other"),
        ("이것은 한국어 문장입니다", "other"),
        ("Привет, как дела", "other"),
        ("12345 --- !!", "other"),
        ("", "other"),
    ],
)
def test_language_is_that_of_the_script(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_only_the_beginning_is_read() -> None:
    assert detect_language("word " * 2000 + "汉字" * 100_000) == "en"
