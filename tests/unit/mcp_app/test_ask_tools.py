"""library_ask, library_release and library_replay over MCP."""

from __future__ import annotations

import pytest

from mcp_app.service import LibraryService
from rag_query.cancellation import Cancellation, checkpoint
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.retrieval.pipeline import Retriever
from tests.unit.mcp_app.conftest import Call, data_of, error_of


def test_a_conversation_over_mcp(call: Call) -> None:
    first = data_of(call("library_ask", question="How is green tea steamed?"))
    assert first["status"] == "answered" and first["lock"]["parent"]["title"] == "Tea"
    assert first["session_id"] in first["markdown"]
    (answer, *_) = first["generation_map"]
    assert answer["text"] == "Green tea is steamed."
    assert answer["used_chunks"] and all(check["passed"] for check in answer["checks"])
    assert answer["used_chunks"][0] in first["markdown"]

    session = first["session_id"]
    second = data_of(call("library_ask", question="Brew at how many degrees?", session_id=session))
    assert "80 degrees" in second["markdown"] and second["turn"] == 2
    third = data_of(call("library_ask", question="Who roasted the beans?", session_id=session))
    assert third["status"] == "insufficient"
    assert "release" in third["insufficient"]["options"]
    released = data_of(call("library_release", session_id=session))
    assert released["lock"]["status"] == "released"

    replayed = data_of(call("library_replay", session_id=session))
    assert replayed["equal"] is True and len(replayed["turns"]) == 4
    assert "locked: Tea" in replayed["markdown"]


def test_bad_calls_say_what_to_do(call: Call) -> None:
    assert error_of(call("library_ask", question=" "))["code"] == "INVALID_ARGUMENT"
    unknown = "ses_" + "0" * 24
    for tool in ("library_release", "library_replay"):
        error = error_of(call(tool, session_id=unknown))
        assert error["code"] == "SESSION_NOT_FOUND"
        assert "--sessions" in error["details"]["hint"]
        assert "Leave" not in error["details"]["hint"]
    asked = call("library_ask", question="tea?", lock="doc_" + "0" * 24)
    assert error_of(asked)["code"] == "DOCUMENT_NOT_FOUND"


def test_a_turn_that_was_given_up_never_took_place(service: LibraryService) -> None:
    asker = service.asker()
    begun = asker.ask("How is green tea steamed?")
    cancellation = Cancellation()

    def heard(_: object) -> None:
        cancellation.cancel()
        checkpoint()

    with cancellation.active(), pytest.raises(ExcerptaError) as ended:
        asker.ask("Brew at how many degrees?", begun.session_id, on_released=heard)
    assert ended.value.code is ErrorCode.CANCELED
    assert len(asker.log.read(begun.session_id).turns) == 1


def test_a_call_that_was_given_up_waits_for_no_embedder(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Retriever, "embedder_loading", lambda _: True)
    service = LibraryService(library, patience_s=30)
    cancellation = Cancellation()
    cancellation.cancel()
    with cancellation.active(), pytest.raises(ExcerptaError) as ended:
        service.asker()
    service.close(1)
    assert ended.value.code is ErrorCode.CANCELED
