"""The conditions that a question's own words state."""

from __future__ import annotations

import pytest

from rag_query.retrieval.names import NamedDocument, Names
from rag_query.retrieval.question_filters import read_conditions
from rag_query.text.analysis import analyzer


def no_names() -> Names:
    raise AssertionError("no name is stated")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What do we know since April 2025?", {"from": "2025-04-01"}),
        ("What do we know sİnce APRİL 2025?", {"from": "2025-04-01"}),
        ("reports untıl Auguſt 2025", {"to": "2025-08-31"}),
    ],
)
def test_a_time_is_read_in_the_letters_of_any_alphabet(question: str, value: object) -> None:
    assert [each.value for each in read_conditions(question, no_names)] == [value]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("levels since 2025", {"from": "2025-01-01"}),
        ("levels since 2025-03-14", {"from": "2025-03-14"}),
        ("levels since December 2025", {"from": "2025-12-01"}),
        ("levels since 2025-13", None),
        ("levels since 2025-02-30", None),
        ("documents added after 2025", {"from": "2025-12-31T23:59:59.999999Z"}),
        ("documents before March 2025", {"to": "2025-03-01T00:00:00Z"}),
        ("documents before 2025", {"to": "2025-01-01T00:00:00Z"}),
        ("reports until 2024-02", {"to": "2024-02-29"}),
        ("the levels before 2025", None),
        ("自2025年3月5日以来的潮位", {"from": "2025-03-05"}),
        ("2025年12月以前的文档", {"to": "2025-12-01T00:00:00Z"}),
        ("2025年12月以前的潮位", None),
    ],
)
def test_a_date_bounds_what_was_first_seen(question: str, value: object) -> None:
    found = [each.value for each in read_conditions(question, no_names)]
    assert found == ([value] if value else [])


TITLES = {
    "tide": "Tide Handbook",
    "radar": "Radar Handbook",
    "book": "观测手册",
    "annex": "观测手册附录",
    "south": "南站水位",
}


def names() -> Names:
    documents = [
        NamedDocument(doc, title, f"{doc}.md", frozenset(analyzer().tokens(title)))
        for doc, title in TITLES.items()
    ]
    return Names(tuple(documents), {"storm": "Storm"}, {"手记": "手记"})


@pytest.mark.parametrize(
    ("question", "field", "value", "words"),
    [
        ("levels in the tide handbook", "document_ids", ["tide"], "in the tide handbook"),
        ("levels in the handbook", None, None, ""),
        ("levels in the moon handbook", None, None, ""),
        ("根据《观测手册》校准", "document_ids", ["book"], "《观测手册》"),
        ("根据《手册》校准", None, None, ""),
        ("根据《附录》校准", "document_ids", ["annex"], "《附录》"),
        ("请问观测手册里怎么校准", "document_ids", ["book"], "观测手册里"),
        ("说明书里怎么校准", None, None, ""),
        ("报告手册里怎么校准", None, None, ""),
        ("指南里怎么校准", None, None, ""),
        ("levels in RADAR.md", "document_ids", ["radar"], "in RADAR.md"),
        ("levels in moon.md", None, None, ""),
        ("levels tagged storm", "tag_ids", ["Storm"], "tagged storm"),
        ("levels tagged moon", None, None, ""),
        ("手记合集里的潮位", "collection", ["手记"], "手记合集里"),
        ("别的合集里的潮位", None, None, ""),
    ],
)
def test_only_a_name_that_one_thing_has_is_a_condition(
    question: str, field: str | None, value: object, words: str
) -> None:
    found = [(each.field, each.value, each.words) for each in read_conditions(question, names)]
    assert found == ([(field, value, words)] if field else [])
