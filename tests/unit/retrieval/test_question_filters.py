"""The conditions that a question's own words state."""

from __future__ import annotations

import pytest

from rag_query.retrieval.names import Names
from rag_query.retrieval.question_filters import read_conditions


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
