"""Which pages may call the HTTP server."""

from __future__ import annotations

import pytest

from mcp_app.http.access import settle_access


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
