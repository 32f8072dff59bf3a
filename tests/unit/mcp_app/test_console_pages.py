"""The console's pages, without a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from mcp_app.http.access import settle_access
from mcp_app.http.app import http_app
from mcp_app.server import build_server
from rag_assets.launch import RunHandle
from rag_assets.run_status import RunFiles, RunState, RunStatus
from rag_query.library import catalog_lists
from rag_query.library.deletions import mark_deleted
from rag_query.library.home import Home
from rag_query.library.snapshot import Library
from rag_query.library.sources import register_path
from rag_query.tracing import store
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

TEA = SmallDoc("tea.md", "Before.\n\n# Tea\n\nGreen.\n\n## Black\n\nBlack tea.", paged=True)
NOTE = SmallDoc("note.md", "Only one section.")
GONE = SmallDoc("gone.md", "# Gone\n\nSoon.")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    root = tmp_path_factory.mktemp("console") / "home"
    build_library(root, [TEA, NOTE, GONE])
    home = build_library(root, [TEA, NOTE])
    mark_deleted(home, ["file://inbox/hard.md"])
    folder = root.parent / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A")
    register_path(home, Path(folder / "a.md"), tags=["tagged"])
    return home


@pytest.fixture(scope="module")
def client(home: Home) -> Iterator[TestClient]:
    app = http_app(build_server(home), home, settle_access("127.0.0.1:0"))
    with TestClient(app, base_url="http://127.0.0.1") as made:
        yield made


def test_a_document_shows_whole_spans_and_no_inner_names(client: TestClient) -> None:
    page = client.get(f"/documents/{TEA.doc_id}").text
    assert "(before the first heading)" in page and "__preamble__" not in page
    assert "3 sections" in page
    assert "1 section<" in client.get(f"/documents/{NOTE.doc_id}").text


def test_a_version_is_named_by_its_number_too(client: TestClient, home: Home) -> None:
    page = client.get(f"/documents/{TEA.doc_id}?version=1")
    assert page.status_code == 200 and "shown here" in page.text
    # Its passages are those of that version, which they name by its id.
    chunk = re.search(r'href="(/chunks/[^"]*version=ver_[^"]*)"', page.text)
    assert chunk and client.get(chunk[1]).status_code == 200
    for unknown in ("0", "7", "abc", "9" * 5000):
        answer = client.get(f"/documents/{TEA.doc_id}?version={unknown}")
        assert answer.status_code == 404 and "Its versions are ver_" in answer.text


def test_a_list_of_nothing_says_which_value_no_document_has(client: TestClient) -> None:
    page = client.get("/documents?collection=inbix").text
    assert "No document has the collection &#39;inbix&#39;; did you mean &#39;inbox&#39;?" in page


def test_commands_in_what_is_said_are_shown_as_code(client: TestClient) -> None:
    answer = client.get("/ingestion/runs/unknown")
    assert "<code>excerpta status</code> or library_job_status lists" in answer.text


def test_the_overview_counts_what_failed_once(client: TestClient) -> None:
    page = client.get("/").text
    before = page.partition("Questions in the last 24 hours")[0]
    assert before.count("<dt>failed documents</dt>") == 1 and "<dt>failed</dt>" not in before
    assert "<dt>chunks of all versions</dt>" in before


def test_the_overview_names_the_strategy(client: TestClient) -> None:
    assert "Strategy default, <code" in client.get("/").text


def test_a_page_that_is_not_there_says_so_in_its_title(client: TestClient) -> None:
    answer = client.get("/nowhere")
    assert answer.status_code == 404
    assert "<title>There is no such page. · Excerpta</title>" in answer.text


def test_a_chunk_on_one_page_names_one(client: TestClient, home: Home) -> None:
    chunks = Library.open(home).snapshot().catalog.document_chunks(TEA.doc_id)
    page = client.get(f"/chunks/{chunks[1].chunk_id}").text
    assert "<td>2</td>" in page and "2–2" not in page
    assert "(before the first heading)" in client.get(f"/chunks/{chunks[0].chunk_id}").text


def test_only_what_can_come_back_is_said_to(client: TestClient, home: Home) -> None:
    def told() -> str:
        return " ".join(client.get("/ingestion").text.split())

    catalog = Library.open(home).snapshot().catalog
    kept = sum(catalog.removed_kept())
    assert f"1 removed document</a>; {kept} of them can be brought back" in told()
    assert "a.md: tagged" in told() and "1 file of it" in told()


@pytest.mark.parametrize(
    ("state", "told"), [("success", "2 added, 1 unchanged"), ("failure", "2 new, 1 unchanged")]
)
def test_a_run_tells_what_it_did_to_documents_or_only_found(
    client: TestClient, home: Home, state: RunState, told: str
) -> None:
    status = RunStatus(
        run_id="00000000-0000-4000-8000-000000000000",
        job="ingest",
        state=state,
        submitted_at=datetime.now(UTC),
        ended_at=datetime.now(UTC),
        counts={"added": 2, "unchanged": 1, "parsed_rows": 2},
    )
    RunFiles(home).write(status)
    try:
        assert f"<td>{told}</td>" in client.get("/ingestion").text
        page = client.get(f"/ingestion/runs/{status.run_id}").text
        assert ("Found in the sources" in page) is (state == "failure")
    finally:
        (home.jobs / f"{status.run_id}.json").unlink()


@pytest.mark.parametrize("held", [b"\xff", None])
def test_health_says_that_what_is_published_cannot_be_read(
    client: TestClient, home: Home, held: bytes | None
) -> None:
    published = home.current.read_bytes()
    home.current.unlink()
    if held is None:
        home.current.mkdir()
    else:
        home.current.write_bytes(held)
    try:
        answer = client.get("/healthz")
        assert (answer.status_code, answer.json()["code"]) == (503, "SNAPSHOT_DAMAGED")
    finally:
        if held is None:
            home.current.rmdir()
        home.current.write_bytes(published)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/documents?cursor=o99999999999999999999999", 400),
        ("/documents?order=bogus", 400),
        ("/traces/query?since=abc", 400),
        ("/traces/query?since=last+24+hours", 200),
        ("/traces/query?cursor=o99999999999999999999999", 400),
        (f"/traces/query/trc_{'f' * 12}7{'f' * 19}", 404),
        (f"/ingestion/runs/{'a' * 300}", 404),
    ],
)
def test_an_address_beyond_all_lists_gets_a_page_that_says_so(
    client: TestClient, path: str, status: int
) -> None:
    assert client.get(path).status_code == status


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/evaluation/start", {"dataset": "synthetic\0"}),
        ("/evaluation/start", {"dataset": "synthetic", "strategy": "/etc/my.yaml"}),
        ("/evaluation/start", {"dataset": "synthetic", "strategy": "../strategies/default"}),
        ("/evaluation/start", {"dataset": "synthetic", "strategy": "default\0"}),
        ("/ingestion/add", {"path": "~nosuchuser/x"}),
    ],
)
def test_a_form_that_names_what_cannot_be_starts_nothing(
    client: TestClient, path: str, form: dict[str, str]
) -> None:
    assert client.post(path, data=form).status_code == 400


@pytest.mark.parametrize(("field", "policy"), [({}, "skip"), ({"new_version": "1"}, "new_version")])
def test_unchanged_files_are_read_again_when_the_form_asks_for_it(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, field: dict[str, str], policy: str
) -> None:
    asked: list[str] = []

    def start(*_: object, policy: str, **__: object) -> RunHandle:
        asked.append(policy)
        return RunHandle("a" * 32, None, "dagster")

    monkeypatch.setattr("mcp_app.console.ingestion.register_and_start", start)
    page = client.get("/ingestion").text
    assert page.count('name="new_version" value="1"') == 2
    client.post("/ingestion/add", data=field, follow_redirects=False)
    assert asked == [policy]


def test_a_page_of_another_port_deletes_nothing(client: TestClient) -> None:
    form = {"doc_id": TEA.doc_id}
    for origin in ("http://localhost:3000", "https://127.0.0.1:9"):
        answer = client.post("/ingestion/delete", data=form, headers={"Origin": origin})
        assert answer.status_code == 403
    own = client.post("/login", data={}, headers={"Origin": "http://127.0.0.1"})
    assert own.status_code != 403


def test_parameters_are_shown_in_their_own_letters(client: TestClient) -> None:
    page = client.get("/").text
    assert "总结" in page and "\\u" not in page


@pytest.mark.parametrize(
    ("path", "orders"),
    [("/documents", catalog_lists.ORDERS), ("/traces/query", store.ORDERS)],
)
def test_orders_are_offered_in_words_and_once(
    client: TestClient, path: str, orders: tuple[str, ...]
) -> None:
    shown = client.get(path).text.partition('<select name="order">')[2].partition("</select>")[0]
    offered = re.findall(r'<option value="([^"]+)"[^>]*>([^<]+)<', shown)
    assert sorted(value for value, _ in offered) == sorted(orders)
    words = [word for _, word in offered]
    assert len(set(words)) == len(words) and not set(words) & set(orders)
    assert "newest first" in words
