"""Watching for publications goes on, whatever ``CURRENT`` is for a while."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from mcp_app import subscriptions
from mcp_app.service import LibraryService
from rag_query.library import manifests
from rag_query.library.home import Home
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

TEA = SmallDoc("tea.md", "# Tea\n\nGreen tea is steamed.")
COFFEE = SmallDoc("coffee.md", "# Coffee\n\nCoffee is roasted.")


class _Heard(subscriptions.Subscriptions):
    def __init__(self) -> None:
        super().__init__()
        self.heard = anyio.Event()

    async def announce(self, changed: set[str]) -> None:
        self.heard.set()


def _spoil(home: Home, fault: str) -> None:
    home.current.rename(home.root / "aside")
    if fault == "directory":
        home.current.mkdir()
    else:
        home.current.write_bytes(b"\xff")


def _mend(home: Home) -> None:
    if home.current.is_dir():
        home.current.rmdir()
    (home.root / "aside").replace(home.current)


@pytest.mark.parametrize("fault", ["directory", "bytes", "surprise"])
def test_a_current_that_cannot_be_read_does_not_end_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(subscriptions, "POLL_S", 0.01)
    home = build_library(tmp_path / "home", [TEA])
    service = LibraryService(home)

    async def main() -> None:
        heard = _Heard()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(subscriptions.watch, service, heard)
            with anyio.fail_after(20):
                while heard.announced is None:
                    await anyio.sleep(0.01)
                if fault == "surprise":
                    with monkeypatch.context() as broken:
                        broken.setattr(Path, "read_text", lambda *_, **__: 1 / 0)
                        await anyio.sleep(0.1)
                else:
                    _spoil(home, fault)
                    await anyio.sleep(0.1)
                    _mend(home)
                await anyio.to_thread.run_sync(build_library, home.root, [TEA, COFFEE])
                await heard.heard.wait()
            tasks.cancel_scope.cancel()

    try:
        anyio.run(main)
    finally:
        service.close(1)
    assert manifests.current_number(home) == 2
