"""Every call answers in one shape."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from rag_query.contracts.envelope import ResponseEnvelope
from rag_query.contracts.errors import ErrorCode, ExcerptaError


def test_success_and_failure_have_the_members_of_the_specification() -> None:
    good = ResponseEnvelope[dict[str, int]].success("trc_1", {"n": 1}, ["slow"])
    assert good.to_json() == {
        "ok": True,
        "trace_id": "trc_1",
        "data": {"n": 1},
        "warnings": ["slow"],
    }
    error = ExcerptaError(ErrorCode.BUSY, "Busy.", hint="Wait.")
    bad = ResponseEnvelope[dict[str, int]].failure("trc_2", error)
    assert bad.to_json() == {
        "ok": False,
        "trace_id": "trc_2",
        "error": {"code": "BUSY", "message": "Busy.", "details": {"hint": "Wait."}},
    }


def test_an_error_is_there_exactly_when_the_call_failed() -> None:
    with pytest.raises(ValidationError):
        ResponseEnvelope[int](ok=False, trace_id="t")
    with pytest.raises(ValidationError):
        ResponseEnvelope[int].model_validate(
            {"ok": True, "trace_id": "t", "error": {"code": "X", "message": "m"}}
        )
    with pytest.raises(ValidationError):
        ResponseEnvelope[int](ok=True, trace_id="")
