"""A small published library, and the server that serves it in this process."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult
from PIL import Image

from mcp_app.server import LibraryServer
from mcp_app.service import LibraryService
from rag_query.library.home import Home
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

LONG = "\n\n".join(f"Paragraph {number} of a long story about the sea." for number in range(120))
DOCUMENTS = (
    SmallDoc(
        "tea.md",
        "# Tea\n\nGreen tea is steamed.\n\n## Brewing\n\nBrew at 80 degrees for two minutes.\n",
        tags=("drink", "hot"),
        paged=True,
    ),
    SmallDoc("coffee.md", "# Coffee\n\nCoffee beans are roasted, not steamed.", tags=("drink",)),
    SmallDoc("zh.md", "# 备份\n\n备份每天加密一次。\n", language="zh"),
    SmallDoc("long.md", f"# Long\n\n{LONG}\n", collection="stories", asset_ids=("a" * 64,)),
    SmallDoc("bad.md", "x", fails="PDF_CORRUPT"),
)

#: ``call(name, **arguments)``: a tool's result.
Call = Callable[..., CallToolResult]


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return build_library(tmp_path_factory.mktemp("library") / "home", DOCUMENTS)


@pytest.fixture(scope="session")
def service(library: Home) -> Iterator[LibraryService]:
    made = LibraryService(library, patience_s=10)
    yield made
    made.close(1)


def with_client(
    service: LibraryService, work: Callable[[Client], Awaitable[Any]], mode: str = "auto"
) -> Any:
    """Run ``work`` with a client that is connected to the service's server in this process."""

    async def main() -> Any:
        async with Client(LibraryServer(service), mode=mode) as client:
            return await work(client)

    return anyio.run(main)


def refusal(service: LibraryService, work: Callable[[Client], Awaitable[Any]]) -> MCPError:
    """The protocol error that ``work`` has to meet."""

    async def refused(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await work(client)
        return caught.value

    error: MCPError = with_client(service, refused)
    return error


@pytest.fixture
def call(service: LibraryService) -> Call:
    return caller(service)


def caller(service: LibraryService) -> Call:
    def ask(name: str, **arguments: Any) -> CallToolResult:
        return with_client(service, lambda client: client.call_tool(name, arguments))

    return ask


def error_of(result: CallToolResult) -> dict[str, Any]:
    """The error of a call that had to fail, after checking its envelope."""
    assert result.is_error
    envelope = result.structured_content
    assert envelope is not None
    assert envelope["ok"] is False and envelope["trace_id"] and "data" not in envelope
    assert envelope["error"]["code"] in result.content[0].text
    error: dict[str, Any] = envelope["error"]
    return error


def data_of(result: CallToolResult) -> dict[str, Any]:
    """The data of a call that had to work, after checking its envelope."""
    envelope = result.structured_content
    assert not result.is_error and envelope is not None, result.content
    assert envelope["ok"] is True and envelope["trace_id"] and "error" not in envelope
    data: dict[str, Any] = envelope["data"]
    assert data["markdown"] == result.content[0].text
    return data


def _png(side: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (side, side // 2), "navy").save(out, "PNG")
    return out.getvalue()


@pytest.fixture(scope="session")
def picture(library: Home) -> tuple[str, bytes]:
    """A stored picture with a thumbnail: its id and bytes."""
    data = _png(64)
    asset_id = hashlib.sha256(data).hexdigest()
    library.media_file(asset_id).parent.mkdir(parents=True, exist_ok=True)
    library.media_file(asset_id).write_bytes(data)
    library.thumb_file(asset_id).write_bytes(_png(16))
    return asset_id, data
