"""Listing and reading documents through the tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_app.service import LibraryService
from tests.library_builder import build_library
from tests.small_documents import SmallDoc
from tests.unit.mcp_app.conftest import LONG, Call, caller, data_of, error_of, refusal


def test_a_list_names_every_document_and_what_failed(call: Call) -> None:
    data = data_of(call("library_list_documents"))
    assert data["total"] == 5 and data["next_cursor"] is None
    failed = next(d for d in data["documents"] if d["status"] == "failed")
    assert failed["code"] == "PDF_CORRUPT" and failed["filename"] == "bad.md"
    assert "PDF_CORRUPT" in data["markdown"] and "doc_" in data["markdown"]


def test_pages_of_a_list_follow_each_other(call: Call) -> None:
    seen, cursor = [], None
    while True:
        data = data_of(call("library_list_documents", limit=2, cursor=cursor))
        seen += [d["doc_id"] for d in data["documents"]]
        cursor = data["next_cursor"]
        if cursor is None:
            break
        assert cursor in data["markdown"]
    assert len(seen) == len(set(seen)) == 5


def test_filters_and_groups(call: Call) -> None:
    drinks = data_of(call("library_list_documents", filters={"tag": "drink"}, group_by="tags"))
    assert {d["title"] for d in drinks["documents"]} == {"Tea", "Coffee"}
    counts = {group["key"]: group["count"] for group in drinks["groups"]}
    assert counts == {"drink": 2, "hot": 1}


def test_groups_of_other_pages_are_named_with_their_counts(call: Call) -> None:
    whole = data_of(call("library_list_documents", group_by="language"))
    counts = {group["key"]: group["count"] for group in whole["groups"]}
    assert len(counts) > 1
    page = data_of(call("library_list_documents", group_by="language", limit=1))
    assert {group["key"]: group["count"] for group in page["groups"]} == counts
    assert sum(len(group["documents"]) for group in page["groups"]) == 1
    assert all(f"{key} ({count})" in page["markdown"] for key, count in counts.items())


@pytest.mark.parametrize("other", [{"filters": {"tag": "drink"}}, {"order": "source_uri"}])
def test_a_cursor_of_another_list_is_refused(call: Call, other: dict[str, object]) -> None:
    cursor = data_of(call("library_list_documents", limit=1))["next_cursor"]
    assert data_of(call("library_list_documents", limit=3, cursor=cursor))["documents"]
    error = error_of(call("library_list_documents", limit=1, cursor=cursor, **other))
    assert error["code"] == "INVALID_ARGUMENT"


def test_an_unknown_filter_is_told_the_one_it_may_mean(call: Call) -> None:
    error = error_of(call("library_list_documents", filters={"lang": "en", "colour": "red"}))
    assert "`filters.lang` is not known (did you mean `language`?)" in error["message"]
    assert "`filters.colour` is not known (known: collection, tag, " in error["message"]


@pytest.mark.parametrize(
    "filters",
    [
        {"tag": "hot"},
        {"tags": ["hot", "cold"]},
        {"tag_ids": "hot"},
        {"source_uri_prefix": ["file://inbox/tea", "file://outbox/"]},
    ],
)
def test_a_list_takes_the_names_of_filters_that_a_question_takes(
    call: Call, filters: dict[str, object]
) -> None:
    found = data_of(call("library_list_documents", filters=filters))["documents"]
    assert [document["title"] for document in found] == ["Tea"]


def test_a_list_of_nothing_says_which_value_no_document_has(call: Call) -> None:
    only = {"tags": ["hott", "drink"], "language": "zh"}
    result = call("library_list_documents", filters=only)
    said = "No document has the tag 'hott'; did you mean 'hot'?"
    assert result.structured_content["warnings"] == [said]
    assert said in data_of(result)["markdown"]


def test_a_document_is_found_by_id_uri_or_name(call: Call) -> None:
    by_name = data_of(call("library_get_document", document_id="tea.md"))["document"]
    for name in (by_name["doc_id"], by_name["source_uri"], "Tea"):
        assert data_of(call("library_get_document", document_id=name))["document"] == by_name
    assert "Brew at 80 degrees" in by_name["md_text"]


def test_a_long_document_comes_in_pieces_that_join(call: Call) -> None:
    parts, cursor = [], None
    while True:
        data = data_of(
            call("library_get_document", document_id="long.md", max_chars=1000, cursor=cursor)
        )
        assert len(data["document"]["md_text"]) <= 1000
        parts.append(data["document"]["md_text"])
        cursor = data["next_cursor"]
        if cursor is None:
            break
        assert cursor in data["markdown"]
    assert len(parts) > 3
    assert "\n\n".join(parts).strip() == f"# Long\n\n{LONG}"


@pytest.mark.parametrize(
    "wanted",
    [
        {"section": "Sea / Tides"},
        {"page_from": 2, "page_to": 2},
        {"section": "Tides", "page_to": 3},
    ],
)
@pytest.mark.parametrize("view", ["md", "sections", "chunks"])
def test_a_cursor_alone_goes_on_with_its_range(
    range_call: Call, wanted: dict[str, object], view: str
) -> None:
    asked = {"document_id": "sea.md", "max_chars": 500, "view": view, **wanted}
    read, cursor, first = "", None, data_of(range_call("library_get_document", **asked))
    while True:
        again = {"document_id": "sea.md", "max_chars": 500, "cursor": cursor} if cursor else asked
        data = data_of(range_call("library_get_document", **again))
        read += data["markdown"]
        cursor = data["next_cursor"]
        if cursor is None:
            break
    assert "Tide 1 " in read and "Tide 39 " in read
    assert "Preface" not in read and "Storm" not in read
    for name, value in {"view": "outline", "section": "Sea", "page_from": 1}.items():
        other = asked | {"cursor": first["next_cursor"], name: value}
        error = error_of(range_call("library_get_document", **other))
        assert error["code"] == "INVALID_ARGUMENT" and name in error["message"]


@pytest.fixture
def range_call(tmp_path: Path) -> Call:
    tides = "\n\n".join(f"Tide {number} comes and goes twice a day." for number in range(40))
    storms = "\n\n".join(f"Storm {number} comes at night." for number in range(40))
    text = f"# Sea\n\nPreface.\n\n## Tides\n\n{tides}\n\n## Storms\n\n{storms}\n"
    return caller(
        LibraryService(build_library(tmp_path / "sea", [SmallDoc("sea.md", text, paged=True)]))
    )


@pytest.mark.parametrize(
    "wanted",
    [
        {"section": "Tea / Brewing"},
        {"section": "Tea › Brewing"},
        {"section": "Brewing"},
        {"page_from": 2},
        {"page_from": 2, "page_to": 9},
    ],
)
@pytest.mark.parametrize("view", ["md", "sections", "chunks"])
def test_a_range_holds_only_itself(call: Call, wanted: dict[str, object], view: str) -> None:
    data = data_of(call("library_get_document", document_id="tea.md", view=view, **wanted))
    assert "Brew at 80 degrees" in data["markdown"]
    assert "steamed" not in data["markdown"]


def test_chunks_have_ids_and_places(call: Call) -> None:
    data = data_of(call("library_get_document", document_id="tea.md", view="chunks"))
    chunks = data["document"]["chunks"]
    assert [c["page_start"] for c in chunks] == [1, 2]
    assert all(c["chunk_id"] in data["markdown"] for c in chunks)


def test_every_chunk_is_read_exactly_once(call: Call) -> None:
    seen, cursor = [], None
    while True:
        data = data_of(
            call(
                "library_get_document",
                document_id="long.md",
                view="chunks",
                max_chars=2000,
                cursor=cursor,
            )
        )
        seen += [chunk["chunk_index"] for chunk in data["document"]["chunks"]]
        cursor = data["next_cursor"]
        if cursor is None:
            break
    assert seen == list(range(120))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"document_id": "doc_of_another_library"}, "DOCUMENT_NOT_FOUND"),
        ({"document_id": "../../etc/passwd"}, "DOCUMENT_NOT_FOUND"),
        ({"document_id": "bad.md"}, "DOCUMENT_NOT_FOUND"),
        ({"document_id": "tea.md", "version_id": "ver_none"}, "DOCUMENT_NOT_FOUND"),
        ({"document_id": "tea.md", "section": "Milk"}, "INVALID_ARGUMENT"),
        ({"document_id": "tea.md", "page_from": 40}, "INVALID_ARGUMENT"),
        ({"document_id": "tea.md", "page_from": 2, "page_to": 1}, "INVALID_ARGUMENT"),
        ({"document_id": "tea.md", "cursor": "nonsense"}, "INVALID_ARGUMENT"),
        ({"document_id": "tea.md", "cursor": "WzEsMl0"}, "INVALID_ARGUMENT"),
    ],
)
def test_what_is_not_there_gets_a_code(call: Call, arguments: dict[str, str], code: str) -> None:
    assert error_of(call("library_get_document", **arguments))["code"] == code


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ({"document_id": "tea.md", "page_from": 40}, "has 2 pages", "pages 1 to 2"),
        ({"document_id": "coffee.md", "page_from": 1}, "no pages", "Leave page_from"),
        ({"document_id": "tea.md", "section": "Milk"}, "no such section", "Brewing"),
        ({"document_id": "tea.md", "section": "Brewing", "page_to": 1}, "that section", "2 pages"),
        ({"document_id": "tea.md", "version_id": "ver_none"}, "no version 'ver_none'", "ver_"),
    ],
)
def test_what_is_not_there_says_what_is(
    call: Call, arguments: dict[str, object], message: str, hint: str
) -> None:
    error = error_of(call("library_get_document", **arguments))
    assert message in error["message"] and hint in error["details"]["hint"]


def test_only_a_pdf_has_pages_to_show(call: Call) -> None:
    tea = data_of(call("library_get_document", document_id="long.md", view="chunks"))
    chunk = tea["document"]["chunks"][0]["chunk_id"]
    error = error_of(call("library_show_page", chunk_id=chunk))
    assert error["code"] == "INVALID_ARGUMENT" and "library_get_document" in str(error)
    assert error_of(call("library_show_page", chunk_id="chk_no"))["code"] == "CHUNK_NOT_FOUND"


def test_a_summary_may_come_with_the_text(call: Call) -> None:
    read = data_of(call("library_get_document", doc_id="tea.md", include_summary=True, format="md"))
    sentences = read["summary"]["sentences"]
    assert sentences and all(s["text"] in read["document"]["md_text"] for s in sentences)
    for sentence in sentences:
        chunks = data_of(call("library_get_document", document_id="tea.md", view="chunks"))
        text = {c["chunk_id"]: c["chunk_text"] for c in chunks["document"]["chunks"]}
        assert sentence["text"] in text[sentence["chunk_id"]]


def test_a_document_is_summarised_in_its_language(call: Call) -> None:
    data = data_of(call("library_summarize_document", document_id="zh.md", style="bullet"))
    assert data["summary"]["text"] == "备份每天加密一次。"
    assert "- 备份每天加密一次。 [1]" in data["markdown"]
    assert data["summary"]["sentences"][0]["chunk_id"] in data["markdown"]


def test_a_section_is_summarised_alone(call: Call) -> None:
    wanted = {"document_id": "tea.md", "section": "Tea / Brewing"}
    data = data_of(call("library_summarize_document", **wanted))
    assert data["summary"]["text"] == "Brew at 80 degrees for two minutes."
    wanted["section"] = "Nowhere"
    assert "Tea / Brewing" in str(error_of(call("library_summarize_document", **wanted)))


def test_ids_of_another_library_are_unknown_here(
    call: Call, service: LibraryService, tmp_path: Path
) -> None:
    """Real ids, each of a document that only the other library holds."""
    other = LibraryService(
        build_library(tmp_path / "other", [SmallDoc("cocoa.md", "# Cocoa\n\nCocoa is ground.\n")])
    )
    read = data_of(caller(other)("library_get_document", document_id="cocoa.md", view="chunks"))
    doc_id, chunk_id = read["document"]["doc_id"], read["document"]["chunks"][0]["chunk_id"]
    for tool in (
        "library_get_document",
        "library_summarize_document",
        "library_delete_document",
        "library_undelete_document",
    ):
        assert error_of(call(tool, document_id=doc_id))["code"] == "DOCUMENT_NOT_FOUND", tool
    assert error_of(call("library_ask", question="cocoa?", lock=doc_id))["code"] == (
        "DOCUMENT_NOT_FOUND"
    )
    assert error_of(call("library_show_page", chunk_id=chunk_id))["code"] == "CHUNK_NOT_FOUND"
    only = {"filters": {"doc_id": [doc_id]}}
    assert data_of(call("library_query", query="cocoa", mode="exact", **only))["results"] == []
    for uri in (f"document://{doc_id}", f"chunk://{chunk_id}"):
        assert "NOT_FOUND" in str(
            refusal(service, lambda client, uri=uri: client.read_resource(uri))
        )
    begun = data_of(caller(other)("library_ask", question="How is cocoa ground?"))
    session = begun["session_id"]
    assert error_of(call("library_replay", session_id=session))["code"] == "SESSION_NOT_FOUND"
    other.close(1)
