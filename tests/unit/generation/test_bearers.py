"""Names of a question by which a document is called."""

from __future__ import annotations

import pytest

from rag_query.contracts.answer import Parent
from rag_query.generation.parents.bearers import speaking_of
from rag_query.generation.parents.candidates import Found
from rag_query.generation.questions.question import read_question
from rag_query.text.analysis import Analyzer

TEXTS = {
    "盐酸维洛坦缓释片说明书": "每日最大剂量 22.5mg。",
    "Package leaflet: Torvalin": "At most 80 mg a day.",
    "病历": "服用 Torvalin 80 mg。",
}


def found(title: str, name: str = "a.pdf") -> Found:
    parent = Parent(
        parent_id=title, doc_id=title, title=title, version_no=1, is_latest=True,
        source_uri=f"file://in/{name}",
    )  # fmt: skip
    return Found(parent, (), 1.0, None)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Torvalin 的最大剂量是多少？", ["Package leaflet: Torvalin", "病历"]),
        ("请问 Torvalin 的最大剂量是多少？", ["Package leaflet: Torvalin", "病历"]),
        ("Brufen 的最大剂量是多少？", list(TEXTS)),
        ("最大剂量是多少 mg？", list(TEXTS)),
        ("What is the maximum dose of Torvalin?", list(TEXTS)),
    ],
)
def test_a_document_of_another_drug_says_nothing_of_the_one_named(
    question: str, left: list[str], analyzer: Analyzer
) -> None:
    asked = read_question(question, analyzer, lambda _: 1, 30)
    said = speaking_of(asked, [*map(found, TEXTS)], lambda f: TEXTS[f.parent.title])
    assert [each.parent.title for each in said] == left


def test_a_document_in_the_questions_language_that_bears_a_word_leaves_the_others(
    analyzer: Analyzer,
) -> None:
    asked = read_question("请假在 App 里要提前几天？", analyzer, lambda _: 1, 30)
    both = [found("App 更新日志"), found("请假制度")]
    assert speaking_of(asked, both, lambda f: f"{f.parent.title}：请假要提前三天。") == both


def test_a_file_may_bear_the_name_that_its_title_has_not(analyzer: Analyzer) -> None:
    asked = read_question("Pellworth 的净利润为什么下降？", analyzer, lambda _: 1, 30)
    both = [found("2024 年年度报告"), found("Third Quarter Report", "pellworth-q3.pdf")]
    (left,) = speaking_of(asked, both, lambda f: f.parent.title + f.parent.source_uri)
    assert left.parent.title == "Third Quarter Report"
