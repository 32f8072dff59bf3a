import base64
import hashlib
import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from rag_assets.context import StageContext
from rag_assets.loading import stage as loading
from rag_assets.loading.pool import close_pools
from rag_assets.media import stage
from rag_query.contracts.tables import MEDIA
from rag_query.library.settings import Limits
from tests.fixtures.library import SHARD, make_library


@pytest.fixture(scope="module", autouse=True)
def _no_children_left() -> Iterator[None]:
    yield
    close_pools()


def picture(color: str = "red", size: tuple[int, int] = (600, 300), kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, color).save(out, kind)
    return out.getvalue()


def huge_png() -> bytes:
    """A header that claims 60,000 x 60,000 pixels."""

    def part(kind: bytes, data: bytes) -> bytes:
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    body = part(b"IDAT", zlib.compress(b"\0" * 1000))
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + body + part(b"IEND", b"")


def run(context: StageContext) -> list[dict[str, object]]:
    loading.run(context, SHARD)
    stage.run(context, SHARD)
    table = context.store.read("media", SHARD)
    assert table.schema.equals(MEDIA)
    rows: list[dict[str, object]] = table.to_pylist()
    return rows


def test_references_of_a_markdown_document(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    (folder / "deep" / "img").mkdir(parents=True)
    (tmp_path / "outside.png").write_bytes(picture("black"))
    (folder / "deep" / "img" / "a b.png").write_bytes(picture())
    (folder / "top.jpg").write_bytes(picture("blue", kind="JPEG"))
    (folder / "same.png").write_bytes(picture())
    (folder / "broken.png").write_bytes(picture()[:80])
    (folder / "text.png").write_text("not a picture", encoding="utf-8")
    (folder / "empty.png").write_bytes(b"")
    (folder / "huge.png").write_bytes(huge_png())
    (folder / "d.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    inline = "data:image/png;base64," + base64.b64encode(picture("green", (4, 4))).decode()
    cases = {
        "img/a%20b.png": ("ready", "image/png"),
        "../top.jpg?raw=true#x": ("ready", "image/jpeg"),
        "/top.jpg": ("ready", "image/jpeg"),
        "../same.png": ("ready", "image/png"),
        "../d.svg": ("ready", "image/svg+xml"),
        inline: ("ready", "image/png"),
        "data:image/png;base64,%%%": ("failed", "EMPTY_FILE"),
        "../../outside.png": ("failed", "PATH_NOT_ALLOWED"),
        "../link.png": ("failed", "PATH_NOT_ALLOWED"),
        "nowhere.png": ("failed", "ASSET_NOT_FOUND"),
        "..": ("failed", "ASSET_NOT_FOUND"),
        "../broken.png": ("failed", "PARSE_FAILED"),
        "../text.png": ("failed", "UNSUPPORTED_TYPE"),
        "../empty.png": ("failed", "EMPTY_FILE"),
        "../huge.png": ("failed", "FILE_TOO_LARGE"),
        "https://example.org/a.png": ("failed", "ASSET_NOT_FOUND"),
        "//example.org/a.png": ("failed", "ASSET_NOT_FOUND"),
        "file:///etc/passwd": ("failed", "ASSET_NOT_FOUND"),
    }
    text = "# Pictures\n\n" + "\n\n".join(f"![alt](<{origin}>)" for origin in cases)
    (folder / "deep" / "doc.md").write_text(text, encoding="utf-8")
    context = make_library(tmp_path / "home", folder)

    rows = run(context)

    found = [(row["status"], row["mime"] or row["code"]) for row in rows]
    assert found == list(cases.values())
    for row in rows:
        assert str(tmp_path) not in f"{row['message']} {row['origin_ref']}"
        if row["status"] != "ready":
            assert row["asset_id"] is None and row["message"]
            continue
        stored = context.home.media_file(str(row["asset_id"])).read_bytes()
        assert hashlib.sha256(stored).hexdigest() == row["asset_id"]
        assert row["bytes"] == len(stored)
        assert row["has_thumb"] == (row["mime"] != "image/svg+xml")
        if row["has_thumb"]:
            with Image.open(context.home.thumb_file(str(row["asset_id"]))) as thumb:
                assert thumb.format == "PNG"
                assert max(thumb.size) <= 256
    first, *_ = rows
    assert (first["width"], first["height"], first["alt"]) == (600, 300, "alt")
    assert (first["heading_path"], first["line_start"]) == ("Pictures", 3)
    assert first["asset_id"] == rows[3]["asset_id"]
    assert "not fetched" in str(rows[15]["message"])
    remote = next(row for row in rows if row["origin_ref"] == inline)
    assert remote["width"] == 4


def test_images_of_a_pdf_with_and_without_mask(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    mask = io.BytesIO()
    Image.linear_gradient("L").resize((120, 90)).save(mask, "PNG")
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Two pictures")
    page.insert_image((72, 100, 192, 190), stream=picture("red", (120, 90), "JPEG"))
    page.insert_image((72, 300, 192, 390), stream=picture("blue", (120, 90)), mask=mask.getvalue())
    document.save(folder / "p.pdf")
    document.close()

    context = make_library(tmp_path / "home", folder)
    plain, masked = run(context)

    assert (plain["status"], plain["mime"], plain["page"]) == ("ready", "image/jpeg", 1)
    assert plain["x0"] == pytest.approx(72, abs=0.1)
    assert (masked["status"], masked["mime"]) == ("ready", "image/png")
    with Image.open(context.home.media_file(str(masked["asset_id"]))) as image:
        assert image.mode == "RGBA"
        lowest, highest = image.getextrema()[3]
        assert lowest < 10 and highest > 245


def test_the_same_picture_is_stored_once_and_nothing_is_done_twice(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "m.png").write_bytes(picture())
    for name in ("a.md", "b.md"):
        (folder / name).write_text("![m](m.png) ![again](m.png)", encoding="utf-8")
    context = make_library(tmp_path / "home", folder)
    loading.run(context, SHARD)
    result = stage.run(context, SHARD)
    assert result.details["ready"] == 4
    files = [p for p in context.home.media.rglob("*") if p.is_file()]
    assert len(files) == 2
    assert stage.run(context, SHARD).computed == 0
    (folder / "m.png").write_bytes(picture("blue"))
    assert stage.run(context, SHARD).computed == 2


def test_documents_that_failed_or_left_have_no_media(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "m.png").write_bytes(picture())
    (folder / "a.md").write_text("![m](m.png)", encoding="utf-8")
    (folder / "b.md").write_bytes(b"\xff\xff")
    context = make_library(tmp_path / "home", folder)
    assert len(run(context)) == 1
    (folder / "a.md").unlink()
    assert run(make_library(tmp_path / "home", folder)) == []


def test_pixel_limits_come_from_the_settings(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "m.png").write_bytes(picture())
    (folder / "a.md").write_text("![m](m.png)", encoding="utf-8")
    context = make_library(tmp_path / "home", folder, limits=Limits(max_image_pixels=1000))
    (row,) = run(context)
    assert (row["code"], row["message"]) == ("FILE_TOO_LARGE", "The image has 600 x 300 pixels.")
