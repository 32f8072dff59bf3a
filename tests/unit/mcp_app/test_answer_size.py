"""No answer is larger than a model can take, and its rest can be had."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CallToolResult

from mcp_app.budget import end_within, estimated_tokens, tokens_of
from mcp_app.conversation_size import fitted
from mcp_app.envelope import Answer, success
from mcp_app.options import ServerOptions
from mcp_app.service import LibraryService
from rag_query.library.home import Home
from tests.library_builder import build_library
from tests.small_documents import SmallDoc
from tests.unit.mcp_app.conftest import Call, caller, data_of, error_of, with_client

BUDGET = 4_000
#: A section in one block, longer than an answer; many documents and tags.
RIVER = " ".join(f"The river number {n} flows into the grey lake." for n in range(2_000))
RIVER_ZH = "".join(f"第{n}条河流入灰色的湖泊。" for n in range(2_000))
ATLAS = "".join(f"## The river number {n}\n\nIt is long.\n\n" for n in range(300))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    many = [
        SmallDoc(
            f"a rather long file name of the note number {n:03}.md",
            f"# Note {n} about the river\n\nThe river {n} is long.\n",
            tags=(f"tag{n}", "river"),
        )
        for n in range(150)
    ]
    large = [
        SmallDoc("river.md", f"# River\n\n{RIVER}\n"),
        SmallDoc("atlas.md", f"# Atlas\n\n{ATLAS}"),
        SmallDoc("river-zh.md", f"# 河流\n\n{RIVER_ZH}\n", language="zh"),
    ]
    return build_library(tmp_path_factory.mktemp("large") / "home", [*many, *large])


@pytest.fixture(scope="module")
def service(home: Home) -> Iterator[LibraryService]:
    made = LibraryService(home, patience_s=10, options=ServerOptions(answer_tokens=BUDGET))
    yield made
    made.close(1)


@pytest.fixture
def call(service: LibraryService) -> Call:
    return caller(service)


def _checked(result: CallToolResult) -> dict[str, Any]:
    data = data_of(result)
    assert tokens_of(result.structured_content) <= BUDGET
    assert set(data) > {"markdown"}, "the fields were left out"
    return data


def _all(call: Call, name: str, **arguments: Any) -> list[dict[str, Any]]:
    """Every piece of an answer."""
    pieces, cursor = [], None
    while True:
        data = _checked(call(name, **arguments, **({"cursor": cursor} if cursor else {})))
        pieces.append(data)
        cursor = data["next_cursor"]
        if cursor is None:
            return pieces
        assert cursor in data["markdown"] and len(pieces) < 200


@pytest.mark.parametrize(("name", "text"), [("river.md", RIVER), ("river-zh.md", RIVER_ZH)])
@pytest.mark.parametrize("view", ["md", "sections", "chunks"])
def test_a_long_document_comes_in_pieces(call: Call, name: str, text: str, view: str) -> None:
    pieces = _all(call, "library_get_document", document_id=name, view=view, max_chars=100_000)
    assert len(pieces) > 1
    documents = [piece["document"] for piece in pieces]
    if view == "md":
        whole = "".join(document["md_text"] for document in documents)
    else:
        field = "text" if view == "sections" else "chunk_text"
        whole = "".join(item[field] for document in documents for item in document[view])
    assert text in whole.replace("\n", "") or view == "chunks"
    for sentence in ("number 1999" if name == "river.md" else "第1999条", "0"):
        assert sentence in whole


def test_a_long_outline_comes_in_pieces(call: Call) -> None:
    pieces = _all(call, "library_get_document", document_id="atlas.md", view="outline")
    titles = [entry["title"] for piece in pieces for entry in piece["document"]["outline"]]
    assert titles == ["Atlas", *(f"The river number {n}" for n in range(300))]
    assert len(pieces) > 1 and all(piece["document"]["total"] == 301 for piece in pieces)
    assert all(title in "".join(piece["markdown"] for piece in pieces) for title in titles)


@pytest.mark.parametrize("group_by", [None, "tags"])
def test_a_long_list_comes_in_pages(call: Call, group_by: str | None) -> None:
    pieces = _all(call, "library_list_documents", limit=200, group_by=group_by)
    named = [document["doc_id"] for piece in pieces for document in piece["documents"]]
    assert len(named) == len(set(named)) == 153
    if group_by:
        assert all(piece["groups_total"] == 152 for piece in pieces)
        river = [g for piece in pieces for g in piece["groups"] if g["key"] == "river"]
        assert {group["count"] for group in river} == {150}
        assert all(
            "and 1" in piece["markdown"] and " more." in piece["markdown"] for piece in pieces
        )


@pytest.mark.parametrize("with_pack", [False, True])
def test_many_passages_come_in_pages(call: Call, with_pack: bool) -> None:
    arguments = {"query": "river", "mode": "exact", "top_k": 60, "include_pack": with_pack}
    pieces = _all(call, "library_query", **arguments)
    ranks = [result["rank"] for piece in pieces for result in piece["results"]]
    assert ranks == list(range(1, len(ranks) + 1)) and len(ranks) == 60
    chunks = {result["chunk_id"] for piece in pieces for result in piece["results"]}
    assert len(chunks) == 60
    assert all(f"[{ranks[-1]}]" in piece["markdown"] for piece in pieces[-1:])
    if with_pack:
        packed = [e for p in pieces if "pack" in p for e in p["pack"]["evidences"]]
        assert [e["id"] for e in packed][:1] == [pieces[0]["results"][0]["chunk_id"]]


def test_a_cursor_belongs_to_its_question(call: Call) -> None:
    first = _checked(call("library_query", query="river", mode="exact", top_k=60))
    other = call("library_query", query="lake", mode="exact", top_k=60, cursor=first["next_cursor"])
    assert "`cursor`" in error_of(other)["message"]
    listed = call("library_list_documents", cursor=first["next_cursor"])
    assert error_of(listed)["code"] == "INVALID_ARGUMENT"


@pytest.mark.parametrize(("name", "text"), [("river.md", RIVER), ("river-zh.md", RIVER_ZH)])
def test_a_document_resource_comes_in_pieces(
    service: LibraryService, call: Call, name: str, text: str
) -> None:
    found = _checked(call("library_get_document", document_id=name, view="outline"))
    uri: str | None = f"document://{found['document']['doc_id']}"
    whole, reads = "", 0
    while uri:
        read = with_client(service, lambda client, uri=uri: client.read_resource(uri))
        shown = read.contents[0].text
        assert estimated_tokens(shown) <= BUDGET
        shown, _, note = shown.partition("\n\n(More: read ")
        whole, uri, reads = whole + shown, note.rstrip(")") or None, reads + 1
    assert text in whole and reads > 5


def test_the_trace_of_a_large_plan_is_explained_in_pages(call: Call) -> None:
    queries = [{"text": f"river {n}", "mode": "hybrid"} for n in range(8)]
    plan = {"version": "0.1", "queries": queries, "budget": {"top_k": 50}}
    answer = call("library_query", plan=plan)
    _checked(answer)
    assert answer.structured_content is not None
    trace_id = answer.structured_content["trace_id"]
    pieces = _all(call, "library_explain", trace_id=trace_id, top=50)
    stages = [stage for piece in pieces for stage in piece["stages"]]
    assert len(stages) == pieces[0]["stages_total"]


def test_a_long_conversation_is_replayed_in_pages(call: Call) -> None:
    asked = {"question": "Which rivers flow into the grey lake?", "lock": "river.md"}
    first = _checked(call("library_ask", **asked))
    assert first["status"] == "answered" and first["markdown"]
    session = first["session_id"]
    for n in (1, 2, 3):
        again = {"question": f"Where does river number {n} flow?", "session_id": session}
        assert _checked(call("library_ask", **again))["turn"] == n + 1
    _checked(call("library_release", session_id=session))
    pieces = _all(call, "library_replay", session_id=session)
    turns = [turn["recorded"]["turn"] for piece in pieces for turn in piece["turns"]]
    assert turns == [1, 2, 3, 4, 5] and len(pieces) > 1
    assert all(piece["turns_total"] == 5 and piece["equal"] for piece in pieces)
    other = call("library_replay", session_id="ses_" + "0" * 24, cursor=pieces[0]["next_cursor"])
    assert error_of(other)["code"] == "INVALID_ARGUMENT"


def _turn(sentences: int, chars: int) -> dict[str, Any]:
    return {
        "session_id": "ses_1",
        "evidence_set": {"doc_id": "d", "chunks": [{"chunk_id": "c", "text": "x" * chars}]},
        "generation_map": [{"text": "word " * 20} for _ in range(sentences)],
        "contradictions": [],
    }


@pytest.mark.parametrize(
    ("markdown", "data", "says"),
    [
        ("short", _turn(1, 10), []),
        ("short", _turn(1, 50_000), ["texts of the evidence"]),
        ("short", _turn(400, 50_000), ["texts of the evidence", "of 400 sentences"]),
        ("long " * 9_000, _turn(400, 50_000), ["text ends early", "texts", "of 400 sentences"]),
        ("short", {"session_id": "ses_1", "generator": {"cut": ["x" * 50_000]}}, ["generator"]),
    ],
)
def test_of_a_large_turn_the_largest_parts_go_first(
    markdown: str, data: dict[str, Any], says: list[str]
) -> None:
    text, fields, warnings = fitted(markdown, data, BUDGET)
    assert tokens_of([text, fields, warnings]) <= BUDGET
    assert len(warnings) == len(says)
    assert all(said in warning for said, warning in zip(says, warnings, strict=True))
    assert fields["session_id"] == "ses_1"


def test_what_no_tool_paged_is_cut_with_a_warning() -> None:
    result = success(Answer("word " * 10_000, {"items": ["x" * 100] * 1_000}), tokens=BUDGET)
    assert tokens_of(result.structured_content) <= BUDGET
    assert result.structured_content is not None
    assert len(result.structured_content["warnings"]) == 2


@given(st.text(max_size=200), st.integers(0, 80))
def test_what_fits_is_as_much_as_fits(text: str, tokens: int) -> None:
    end = end_within(text, 0, tokens)
    assert estimated_tokens(text[:end]) <= tokens or end == 0
    assert end == len(text) or estimated_tokens(text[: end + 1]) > tokens


def test_an_estimate_is_near_what_models_count() -> None:
    assert estimated_tokens("The float gauge is calibrated every 30 days.") == 13
    assert estimated_tokens("浮子式验潮仪每三十天校准一次。") == 15
    assert tokens_of({"a": [1, 2]}) == estimated_tokens(json.dumps({"a": [1, 2]}))
