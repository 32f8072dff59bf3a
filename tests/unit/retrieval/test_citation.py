"""Where a passage stands, as evidence and answers cite it."""

from __future__ import annotations

import pytest

from rag_query.retrieval.citation import Citation, plain_markdown


@pytest.mark.parametrize(
    ("citation", "english", "chinese"),
    [
        (
            Citation("chk_1", "file://a.md", "茶 / 绿茶", line_start=5, line_end=17),
            "§ 茶 / 绿茶 · lines 5-17 · `file://a.md` · `chk_1`",
            "§ 茶 / 绿茶 · 第 5-17 行 · `file://a.md` · `chk_1`",
        ),
        (
            Citation("chk_1", "file://a.pdf", page=3, page_end=3, page_label="iii", from_ocr=True),
            "page 3 (printed iii) · read by OCR · `file://a.pdf` · `chk_1`",
            "第 3 页（印刷页码 iii） · 由 OCR 识别 · `file://a.pdf` · `chk_1`",
        ),
        (
            Citation("chk_1", "file://a.html", "__preamble__", line_start=2, older_version=1),
            "line 2 of the text · older version 1 · `file://a.html` · `chk_1`",
            "解析后文本第 2 行 · 旧版本 1 · `file://a.html` · `chk_1`",
        ),
        (
            Citation("chk_1", "file://a.pdf", page=3, page_end=4, page_label="3", images=1),
            "pages 3-4 · 1 image · `file://a.pdf` · `chk_1`",
            "第 3-4 页 · 1 幅图 · `file://a.pdf` · `chk_1`",
        ),
        (
            Citation("chk_1", "file://a.jsonl#7", line_start=2, line_end=2, images=2),
            "line 2 of the text · 2 images · `file://a.jsonl#7` · `chk_1`",
            "解析后文本第 2 行 · 2 幅图 · `file://a.jsonl#7` · `chk_1`",
        ),
        (
            Citation("chk_1", "file://a.pdf", page=3, line_start=9),
            "page 3 · `file://a.pdf` · `chk_1`",
            "第 3 页 · `file://a.pdf` · `chk_1`",
        ),
        (
            Citation("chk_1", "file://a.md"),
            "`file://a.md` · `chk_1`",
            "`file://a.md` · `chk_1`",
        ),
    ],
)
def test_a_passage_is_cited_in_the_language_of_the_question(
    citation: Citation, english: str, chinese: str
) -> None:
    assert citation.line() == english
    assert citation.line(chinese=True) == chinese


def test_a_heading_stands_as_it_is_and_is_escaped_for_markdown_alone() -> None:
    citation = Citation("chk_1", "file://a.md", "config_file / api_key [v2]", line_start=3)
    assert citation.line().startswith("§ config_file / api_key [v2] · line 3")
    shown = citation.line(shown=plain_markdown)
    assert shown.startswith("§ config\\_file / api\\_key \\[v2\\] · line 3")
