"""The console of a library that was used: documents, runs, questions, two evaluations."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import anyio
import httpx2
import pytest
from mcp import Client
from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.conftest import Excerpta

QUESTION = "At which wind speed is the radar shutter closed?"
#: A title that would run, were it not shown as text.
HOSTILE = """\
---
title: '<script>document.title = "taken"</script>'
---

# Notes

<img src=x onerror="document.title='taken'"> and [a link](javascript:document.title='taken').

![elsewhere](https://example.org/pixel.png)
"""


@dataclass(frozen=True)
class Console:
    """A running console, read without a browser."""

    excerpta: Excerpta
    root: str

    def get(self, path: str) -> httpx2.Response:
        return httpx2.get(self.root + path, timeout=60, follow_redirects=True)

    def first(self, path: str, link: str) -> str:
        """The first link on a page that begins with ``link``."""
        found = re.search(rf'href="({re.escape(link)}[\w%-]+)"', self.get(path).text)
        assert found is not None, (path, link)
        return found[1]

    def find(self, text: str) -> str:
        """The page of the one document that a text finds."""
        return self.first(f"/documents?text={text}", "/documents/")


async def _ask(url: str) -> None:
    """Two questions to the server, which has its model already."""
    async with Client(url) as client:
        for asked in ({"query": QUESTION}, {"query": "数据上传失败怎么办？", "mode": "exact"}):
            answer = await client.call_tool("library_query", asked)
            assert not answer.is_error, answer.content


@pytest.fixture(scope="session")
def console(
    tmp_path_factory: pytest.TempPathFactory, sample_library: Excerpta
) -> Iterator[Console]:
    folder = tmp_path_factory.mktemp("sources") / "notes"
    folder.mkdir()
    (folder / "hostile.md").write_text(HOSTILE, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing that a reader understands\n")
    used = sample_library.copied(tmp_path_factory.mktemp("used"))
    used.json("ingest", str(folder))
    used.json("ask", QUESTION)
    for mode in ("exact", "hybrid"):
        used.json("eval", "--dataset", "synthetic", "--retrieval-mode", mode)
    with used.serving() as url:
        anyio.run(_ask, url)
        yield Console(used, url.removesuffix("/mcp"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For one module only: while it is open, this thread has a running event loop."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    assert path is not None, "`make test` installs chromium; see the Makefile"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield launched
        launched.close()


@pytest.fixture
def tab(browser: Browser, console: Console) -> Iterator[Page]:
    """A page that fails the test when its script fails or it calls another server."""
    context = browser.new_context(base_url=console.root)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda request: (
            wrong.append(request.url)
            if not request.url.startswith((console.root, "data:"))
            else None
        ),
    )
    yield page
    context.close()
    assert not wrong, wrong
