"""Which pages may call the HTTP server, and what it needs before others may reach it."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from mcp_app.commands.app import app
from mcp_app.http.access import settle_access
from rag_query.library.home import Home


@pytest.mark.parametrize(
    ("origin", "host", "known"),
    [
        ("http://127.0.0.1:8765", "127.0.0.1:8765", True),
        ("http://localhost:8765", "LOCALHOST:8765", True),
        ("http://[::1]:8765", "[::1]:8765", True),
        ("http://127.0.0.1", "127.0.0.1:80", True),
        ("https://library.example.org", "library.example.org", True),
        ("https://library.example.org:8443", "library.example.org:8443", True),
        # A proxy that names itself.
        ("https://library.example.org", "127.0.0.1:8765", True),
        # Other programs of this machine.
        ("http://localhost:3000", "localhost:8765", False),
        ("http://localhost:3000", "127.0.0.1:8765", False),
        ("https://127.0.0.1:9", "127.0.0.1:8765", False),
        ("http://localhost", "localhost:8765", False),
        ("https://library.example.org:8443", "127.0.0.1:8765", False),
        ("https://evil.example", "127.0.0.1:8765", False),
        ("https://127.0.0.1.evil.example:8765", "127.0.0.1:8765", False),
        ("http://127.0.0.1:99999", "127.0.0.1:8765", False),
        ("null", "127.0.0.1:8765", False),
        ("file://127.0.0.1:8765", "127.0.0.1:8765", False),
    ],
)
def test_only_pages_of_this_server_may_call_it(origin: str, host: str, known: bool) -> None:
    access = settle_access("127.0.0.1:8765", allowed_hosts=["library.example.org"])
    assert access.knows_origin(origin, host) is known


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--http", "0.0.0.0:0"], "INSECURE_ADDRESS"),
        (["--http", "0.0.0.0:0", "--allowed-host", "library.example.org"], "INSECURE_ADDRESS"),
        (["--http", "127.0.0.1"], "INVALID_ARGUMENT"),
        (["--http", "127.0.0.1:99999"], "INVALID_ARGUMENT"),
        (["--http", "127.0.0.1:80?x=1"], "INVALID_ARGUMENT"),
        (["--http", "127.0.0.1:80#x"], "INVALID_ARGUMENT"),
        (["--http", "127.0.0.1:0", "--rate-limit", "many"], "INVALID_ARGUMENT"),
        (["--http", "127.0.0.1:0", "--rate-limit", "0/minute"], "INVALID_ARGUMENT"),
        (["--http", "127.0.0.1:0", "--rate-limit", "100/minute;5/hour"], "INVALID_ARGUMENT"),
        (["--http", "127.0.0.1:0", "--token-file", "missing.txt"], "INVALID_ARGUMENT"),
        (["--http", "127.0.0.1:0", "--allowed-host", "*"], "INVALID_ARGUMENT"),
        (["--http", "127.0.0.1:0", "--allowed-host", "user@x"], "INVALID_ARGUMENT"),
        (["--http", "127.0.0.1:0", "--allowed-host", "a b"], "INVALID_ARGUMENT"),
        (["--http", "127.0.0.1:0", "--allowed-host", "x?y"], "INVALID_ARGUMENT"),
    ],
)
def test_the_server_refuses_to_start_unprotected(
    library: Home, monkeypatch: pytest.MonkeyPatch, options: list[str], code: str
) -> None:
    monkeypatch.delenv("EXCERPTA_HTTP_TOKEN", raising=False)
    done = CliRunner().invoke(app, ["--home", str(library.root), "mcp", *options])
    assert done.exit_code == 1 and code in done.stderr
    assert isinstance(done.exception, SystemExit), done.exception


def test_names_are_taken_as_clients_write_them() -> None:
    named = ["Library.example.org", "192.0.2.7:8765", "[2001:DB8::7]", "a_b-c"]
    access = settle_access("[::1]:0", allowed_hosts=named, rate="5/hour")
    assert access.names >= {"library.example.org", "192.0.2.7", "2001:db8::7", "a_b-c"}
    assert (access.host, access.rate.amount) == ("::1", 5)
