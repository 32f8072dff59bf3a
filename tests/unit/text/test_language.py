"""A text's language is told by its script."""

import time

import pytest

from rag_query.text.language import detect_language, markdown_language


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


BADGES = "[![Software License](https://img.shields.io/badge/license-MIT.svg)](LICENSE.md)\n" * 8


@pytest.mark.parametrize(
    ("md", "language"),
    [
        (f"{BADGES}## 下载\n\n这是我们建议的方式", "zh"),
        (f"{BADGES}## Download\n\nThis is the way.", "en"),
        (f"{BADGES * 20}下载方式", "zh"),
        ('见[指南](https://example.org/developer/(sdk)/nodejs-guide "The guide")。', "zh"),
        (
            "见 <https://example.org/developer/kodo/nodejs> 与https://example.org/some/long/path。",
            "zh",
        ),
        ('<p align="center"><img src="https://example.org/logo.svg" alt="A logo"></p>\n安装', "zh"),
        ("![a picture of tea][tea]\n\n绿茶\n\n[tea]: https://example.org/tea.png", "zh"),
        ("a < b and [c](d", "en"),
        ("![only](picture.png)", "en"),
        ("![茶](the-picture-of-the-cup.png)", "en"),
        ("Привет [там](https://example.org/a/very/long/address/of/a/page)", "other"),
    ],
)
def test_addresses_and_images_say_no_language(md: str, language: str) -> None:
    assert markdown_language(md) == language


def test_a_page_of_brackets_is_read_as_quickly_as_any() -> None:
    start = time.process_time()
    for piece in ("](", "[](", "![", "](a(", '](x "', "<a ", "http://"):
        assert markdown_language(f"茶a{piece * 100_000}")
    assert time.process_time() - start < 1
