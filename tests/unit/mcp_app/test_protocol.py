"""Resources, notices, prompts and completions, in both eras of the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import (
    PromptReference,
    ResourceListChangedNotification,
    ResourceTemplateReference,
    ResourceUpdatedNotification,
)

from mcp_app.server import LibraryServer
from mcp_app.service import LibraryService
from rag_query.library.home import Home
from tests.library_builder import build_library
from tests.small_documents import SmallDoc
from tests.unit.mcp_app.conftest import refusal, with_client

BEFORE = SmallDoc("tea.md", "# Tea\n\nGreen tea is steamed.\n")
AFTER = SmallDoc("tea.md", "# Tea\n\nGreen tea is fired in a pan.\n")
OTHER = SmallDoc("coffee.md", "# Coffee\n\nCoffee beans are roasted.\n")
MANY = 130


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibraryService]:
    documents = [
        SmallDoc(f"note-{n:03}.md", f"# Note {n:03}\n\nText {n}.\n", tags=(f"tag{n}",))
        for n in range(MANY)
    ]
    made = LibraryService(build_library(tmp_path_factory.mktemp("many") / "home", documents))
    yield made
    made.close(1)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_documents_are_listed_page_by_page(many: LibraryService, mode: str) -> None:
    async def work(client: Client) -> list[Any]:
        listed, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            listed += page.resources
            cursor = page.next_cursor
            if cursor is None:
                return listed

    listed = with_client(many, work, mode)
    assert [r.title for r in listed] == [f"Note {n:03}" for n in range(MANY)]
    assert all(r.uri.startswith("document://doc_") and r.mime_type for r in listed)
    read = with_client(many, lambda client: client.read_resource(listed[7].uri), mode)
    assert "Text 7." in read.contents[0].text


@pytest.mark.parametrize("cursor", ["nonsense", "WyJjaHVua3MiLDBd", "x" * 5_000])
def test_a_cursor_of_nobody_is_refused(many: LibraryService, cursor: str) -> None:
    error = refusal(many, lambda client: client.list_resources(cursor=cursor))
    assert error.code == -32602 and "INVALID_ARGUMENT" in str(error)


def test_without_a_library_nothing_is_listed(tmp_path: Path) -> None:
    service = LibraryService(Home.resolve(tmp_path / "nothing"))
    assert with_client(service, lambda client: client.list_resources()).resources == []


def _published(home: Home, uri: str, changed: list[Any]) -> None:
    assert any(isinstance(item, ResourceListChangedNotification) for item in changed)
    updated = [i.params.uri for i in changed if isinstance(i, ResourceUpdatedNotification)]
    assert updated == [uri], home


def _document_uri(service: LibraryService, name: str) -> str:
    return f"document://{service.snapshot().catalog.resolve_document(name)}"


def test_an_older_client_is_told_what_a_publication_changed(tmp_path: Path) -> None:
    home = build_library(tmp_path / "home", [BEFORE, OTHER])
    service = LibraryService(home)
    tea, coffee = _document_uri(service, "tea.md"), _document_uri(service, "coffee.md")
    seen: list[Any] = []

    async def note(message: Any) -> None:
        seen.append(message)

    async def work() -> None:
        async with Client(LibraryServer(service), mode="legacy", message_handler=note) as client:
            capabilities = client.server_capabilities
            assert capabilities.resources is not None
            assert capabilities.resources.subscribe and capabilities.resources.list_changed
            with pytest.warns(MCPDeprecationWarning):
                await client.subscribe_resource(tea)
                await client.subscribe_resource(coffee)
                await client.subscribe_resource("chunk://chk_nothing")
                with pytest.raises(MCPError):
                    await client.subscribe_resource("file:///etc/passwd")
            await anyio.sleep(1.5)
            await anyio.to_thread.run_sync(lambda: build_library(tmp_path / "home", [AFTER, OTHER]))
            with anyio.fail_after(20):
                while len(seen) < 2:
                    await anyio.sleep(0.05)
            read = await client.read_resource(tea)
            assert "fired in a pan" in read.contents[0].text

    anyio.run(work)
    _published(home, tea, seen)
    service.close(1)


def test_a_newer_client_listens_for_what_it_wants(tmp_path: Path) -> None:
    home = build_library(tmp_path / "home", [BEFORE, OTHER])
    service = LibraryService(home)
    tea, coffee = _document_uri(service, "tea.md"), _document_uri(service, "coffee.md")
    seen: list[Any] = []

    async def work() -> None:
        async with (
            Client(LibraryServer(service)) as client,
            client.listen(resources_list_changed=True, resource_subscriptions=[tea, coffee]) as sub,
        ):
            await anyio.sleep(1.5)
            await anyio.to_thread.run_sync(lambda: build_library(tmp_path / "home", [AFTER, OTHER]))
            with anyio.fail_after(20):
                async for event in sub:
                    seen.append(event)
                    if len(seen) == 2:
                        break

    anyio.run(work)
    assert [type(event).__name__ for event in seen] == ["ResourcesListChanged", "ResourceUpdated"]
    assert seen[1].uri == tea
    service.close(1)


def _prompt(service: LibraryService, name: str, **arguments: str) -> str:
    got = with_client(service, lambda client: client.get_prompt(name, arguments))
    (message,) = got.messages
    assert message.role == "user"
    return message.content.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_prompts_are_listed_with_their_arguments(service: LibraryService, mode: str) -> None:
    listed = with_client(service, lambda client: client.list_prompts(), mode).prompts
    required = {p.name: [a.name for a in p.arguments if a.required] for p in listed}
    assert required == {
        "ask_with_citations": ["question"],
        "compare_documents": ["first", "second"],
        "summarize_section": ["document", "section"],
    }
    for prompt in listed:
        assert prompt.title and prompt.description
        assert all(argument.description for argument in prompt.arguments)


def test_a_question_comes_with_its_passages(service: LibraryService) -> None:
    text = _prompt(service, "ask_with_citations", question="备份如何加密？")
    assert "[1]" in text and "> 备份每天加密一次。" in text and "Question: 备份如何加密？" in text
    of_drinks = {"question": "What is steamed?", "tag": "hot"}
    drinks = _prompt(service, "ask_with_citations", **of_drinks)
    assert "steamed" in drinks and "Coffee beans" not in drinks
    nothing = _prompt(service, "ask_with_citations", question="What is steamed?", tag="drinks")
    assert "(Nothing was found.)" in nothing and "did you mean 'drink'?" in nothing


def test_two_documents_are_compared(service: LibraryService) -> None:
    text = _prompt(service, "compare_documents", first="tea.md", second="Coffee")
    assert "Green tea is steamed." in text and "Coffee beans are roasted" in text
    about = {"first": "tea.md", "second": "coffee.md", "aspect": "steaming"}
    assert "with regard to: steaming" in _prompt(service, "compare_documents", **about)


def test_a_section_is_quoted(service: LibraryService) -> None:
    text = _prompt(service, "summarize_section", document="tea.md", section="Brewing")
    assert "Brew at 80 degrees" in text
    text = _prompt(service, "summarize_section", document="tea.md", section="Tea / Brewing")
    assert "> Brew at 80 degrees" in text and "steamed" not in text


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        ("ask_with_citations", {"question": "  "}, "INVALID_ARGUMENT"),
        ("ask_with_citations", {}, "question"),
        ("compare_documents", {"first": "tea.md", "second": "nowhere.md"}, "DOCUMENT_NOT_FOUND"),
        ("summarize_section", {"document": "tea.md", "section": "Nowhere"}, "INVALID_ARGUMENT"),
        ("paint", {}, "paint"),
    ],
)
def test_a_prompt_says_what_is_wrong(
    service: LibraryService, name: str, arguments: dict[str, str], named: str
) -> None:
    error = refusal(service, lambda client: client.get_prompt(name, arguments))
    assert error.code == -32602 and named in str(error)


def _completed(service: LibraryService, ref: Any, name: str, value: str, **chosen: str) -> Any:
    argument = {"name": name, "value": value}

    async def work(client: Client) -> Any:
        return await client.complete(ref, argument, context_arguments=chosen or None)

    return with_client(service, work).completion


def test_a_prompt_that_is_not_there_completes_nothing(service: LibraryService) -> None:
    ref = PromptReference(type="ref/prompt", name="zzz")
    argument = {"name": "document", "value": "te"}
    error = refusal(service, lambda client: client.complete(ref, argument))
    assert error.code == -32602 and "zzz" in str(error) and "compare_documents" in str(error)


def test_names_are_completed(service: LibraryService) -> None:
    prompt = PromptReference(type="ref/prompt", name="compare_documents")
    assert _completed(service, prompt, "first", "te").values == ["tea.md"]
    assert _completed(service, prompt, "collection", "st").values == ["stories"]
    assert _completed(service, prompt, "tag", "").values == ["drink", "hot"]
    assert _completed(service, prompt, "section", "brew", document="tea.md").values == [
        "Tea / Brewing"
    ]
    assert _completed(service, prompt, "section", "brew", document="nowhere").values == []
    assert _completed(service, prompt, "question", "wh").values == []
    template = ResourceTemplateReference(type="ref/resource", uri="document://{doc_id}{?cursor}")
    (doc_id,) = _completed(service, template, "doc_id", "Tea").values
    assert doc_id.startswith("doc_")
    assert _completed(service, template, "doc_id", doc_id[:12]).values == [doc_id]


def test_no_more_are_completed_than_a_client_takes(many: LibraryService) -> None:
    prompt = PromptReference(type="ref/prompt", name="compare_documents")
    completion = _completed(many, prompt, "first", "note")
    assert len(completion.values) == 100 and completion.has_more
