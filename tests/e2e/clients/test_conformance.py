"""The protocol's own conformance scenarios that apply to any server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.clients.conftest import Npx
from tests.e2e.conftest import Excerpta

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
#: The others call tools and prompts that only a server written for the suite has.
SCENARIOS = (
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "sep-2164-resource-not-found",
    "caching",
)


@pytest.fixture(scope="module")
def url(pictured: Excerpta) -> Iterator[str]:
    with pictured.serving() as served:
        yield served


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenario(npx: Npx, url: str, scenario: str) -> None:
    done = npx(SUITE, "server", "--url", url, "--scenario", scenario, "--force")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failed" in done.stdout and "Passed: 0/" not in done.stdout, done.stdout
