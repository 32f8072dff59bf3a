"""Kinds of questions: their patterns are checked one by one, and matched one by one."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from rag_query.generation.evidence.kinds import QuestionKind


def test_a_pattern_that_is_none_is_refused_by_its_text() -> None:
    with pytest.raises(ValidationError, match=r"'\(open' is no regular expression"):
        QuestionKind(name="one", patterns=("fine", "(open"))


def test_patterns_keep_their_own_flags_and_groups() -> None:
    kind = QuestionKind(name="one", patterns=(r"(a)\1", r"(?s)(b).\1"))
    assert kind.matches("aa") and kind.matches("B\nb")
    assert not kind.matches("ab")
    assert QuestionKind(name="rest").matches("anything")
