"""What is said of a picture of pages is what is drawn in it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pymupdf
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from mcp_app.commands import show
from mcp_app.console import media
from mcp_app.tools import show_page
from rag_query.library import page_image
from rag_query.library.served import Anchor


@pytest.fixture
def chunk() -> Any:
    """A passage of twelve pages with two boxes on each."""
    places = [Anchor(n, n + 1, 1 + n // 2, 50, 40 + 30 * (n % 2), 150, 60) for n in range(24)]
    return SimpleNamespace(
        chunk_id="chk_1",
        doc_id="doc_1",
        version_id="ver_1",
        title="Tides",
        source_uri="file://docs/tides.pdf",
        format="pdf",
        chunk_text="long",
        places=places,
        # Of the picture that the words were read from: the whole page.
        anchors=[Anchor(0, 24, 1, 0, 0, 200, 150)],
    )


@pytest.fixture
def catalog() -> Any:
    document = pymupdf.open()
    for _ in range(12):
        document.new_page(width=200, height=150)
    data = document.tobytes()
    document.close()
    return SimpleNamespace(document_bytes=lambda *_: data)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The boxes of each picture that was made."""
    made: list[Any] = []
    draw = page_image.page_image

    def noted(pdf: bytes, places: Any, *rest: Any) -> bytes:
        made.append(places)
        return draw(pdf, places, *rest)

    monkeypatch.setattr(page_image, "page_image", noted)
    return made


def test_the_command_names_the_pages_and_boxes_it_drew(
    catalog: Any, chunk: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "page.png"
    show._draw_chunk(catalog, chunk, target, as_json=False)
    assert capsys.readouterr().out.endswith("page 1-8 of 1-12, 16 boxes\n")
    show._draw_chunk(catalog, chunk, target, as_json=True)
    assert json.loads(capsys.readouterr().out)["pages"] == [1, 2, 3, 4, 5, 6, 7, 8]
    chunk.places = chunk.places[:4]
    show._draw_chunk(catalog, chunk, target, as_json=False)
    assert capsys.readouterr().out.endswith("page 1-2, 4 boxes\n")


def test_the_tool_names_the_pages_it_drew(
    catalog: Any, chunk: Any, drawn: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(show_page, "passage", lambda *_: chunk)
    service: Any = SimpleNamespace(snapshot=lambda: SimpleNamespace(catalog=catalog))
    answer = show_page._draw(service, show_page.ShowPageArguments(chunk_id="chk_1"))
    assert answer.data["pages"] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert "pages 1-8 of 1-12" in answer.markdown
    assert drawn == [chunk.places]


def test_the_console_draws_the_same_boxes(
    catalog: Any, chunk: Any, drawn: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media, "served_chunk", lambda *_: chunk)
    library: Any = SimpleNamespace(snapshot=lambda: SimpleNamespace(catalog=catalog))
    app = Starlette(routes=media.routes(library))
    answer = TestClient(app).get("/chunks/chk_1/page.png")
    assert answer.headers["content-type"] == "image/png" and drawn == [chunk.places]
