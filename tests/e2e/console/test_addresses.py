"""Addresses nobody should type, and what they get."""

from __future__ import annotations

import httpx2
import pytest

from tests.e2e.console.conftest import Console


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/documents/doc_of_another_library", 404),
        ("/documents/..%2F..%2Fetc%2Fpasswd", 404),
        ("/chunks/chk_000000000000000000000000", 404),
        ("/chunks/../library.json", 404),
        ("/media/..%2Flibrary.json", 404),
        (f"/media/{'0' * 64}", 404),
        ("/traces/query/trc_<script>", 404),
        ("/ingestion/runs/..%2Flibrary", 404),
        ("/evaluation/evr_..%2Fx", 404),
        ("/evaluation/compare?a=evr_x", 400),
        ("/documents?cursor=nonsense", 400),
        ("/documents?order=size", 400),
        ("/traces/query?status=strange", 400),
        ("/traces/query?min_ms=soon", 400),
        ("/ingestion?cursor=-1", 400),
        ("/static/../app.py", 404),
        ("/nowhere", 404),
    ],
)
def test_a_wrong_address_gets_a_page_that_says_so(console: Console, path: str, status: int) -> None:
    response = console.get(path)
    assert response.status_code == status, response.text
    assert "Traceback" not in response.text and "<script>" not in response.text.split("<main")[-1]
    assert str(console.excerpta.home) not in response.text


def test_pages_allow_nothing_from_elsewhere(console: Console) -> None:
    headers = console.get("/").headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "form", "status"),
    [
        ("/ingestion/add", {"path": "/etc"}, 403),
        ("/ingestion/add", {"path": "notes.md"}, 400),
        ("/ingestion/add", {"path": "/tmp\0x"}, 400),
        ("/ingestion/delete", {"doc_id": "never"}, 404),
        ("/ingestion/runs/never/cancel", {}, 404),
        ("/evaluation/start", {"dataset": "../../etc"}, 400),
        ("/evaluation/start", {"dataset": "synthetic", "mode": "psychic"}, 400),
        ("/traces/query/trc_never/rerun", {}, 404),
    ],
)
def test_a_form_filled_in_wrongly_starts_nothing(
    console: Console, path: str, form: dict[str, str], status: int
) -> None:
    response = httpx2.post(console.root + path, data=form, timeout=60)
    assert response.status_code == status, response.text
    assert "Traceback" not in response.text


def test_a_form_of_another_site_is_refused(console: Console) -> None:
    response = httpx2.post(
        console.root + "/ingestion/delete",
        data={"doc_id": "handbook"},
        headers={"Origin": "https://evil.example"},
    )
    assert response.status_code == 403
