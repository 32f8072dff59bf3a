"""Images of documents are stored once, and one that fails costs no other."""

import base64
import hashlib
import io
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

import tests.unit.media.hostile
from rag_assets.child_processes.jobs import MODULES_VARIABLE, Job, Outcome
from rag_assets.child_processes.pool import ProcessPool, close_pools
from rag_assets.context import StageContext
from rag_assets.loading import stage as loading
from rag_assets.media import stage
from rag_assets.part_failures import warnings_of
from rag_query.contracts.tables import MEDIA
from rag_query.library.settings import Limits
from rag_query.strategies.strategy import StageConfig
from rag_query.tracing.context import Trace, start
from tests.fixtures.library import SHARD, make_library
from tests.hashed_words import small_strategy


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
        "https://example.org/a.png": ("failed", "REMOTE_NOT_FETCHED"),
        "//example.org/a.png": ("failed", "REMOTE_NOT_FETCHED"),
        "file:///etc/passwd": ("failed", "ASSET_NOT_FOUND"),
        "a" * 5000: ("failed", "ASSET_NOT_FOUND"),
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


def test_images_on_the_web_that_nobody_asked_for_are_no_failures(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    badges = "![ci](https://example.org/ci.svg) ![npm](//example.org/npm.svg)"
    (folder / "a.md").write_text(f"{badges} ![m](m.png) ![lost](lost.png)", encoding="utf-8")
    (folder / "m.png").write_bytes(picture())
    context = make_library(tmp_path / "home", folder)
    loading.run(context, SHARD)
    details = stage.run(context, SHARD).details
    assert warnings_of([details]) == ["1 image could not be read (ASSET_NOT_FOUND): a.md."]
    counted = [details[name] for name in ("ready", "failed", "not_fetched", "assets_total")]
    assert counted == [1, 1, 2, 4]


def test_images_of_a_vault_are_found_in_whatever_folder_they_lie(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    for place in ("附件/图 1.png", "deep/x/only.png", "a/two.png", "b/two.png", ".trash/old.png"):
        (vault / place).parent.mkdir(parents=True, exist_ok=True)
        (vault / place).write_bytes(picture(size=(len(place), 4)))
    (tmp_path / "outside.png").write_bytes(picture())
    (vault / "deep" / "out.png").symlink_to(tmp_path / "outside.png")
    cases = {
        "附件/图 1.png": ("ready", len("附件/图 1.png")),
        "Only.PNG": ("ready", len("deep/x/only.png")),
        "x/only.png": ("ready", len("deep/x/only.png")),
        "b/two.png": ("ready", len("b/two.png")),
        "two.png": ("failed", "ASSET_NOT_FOUND"),
        "old.png": ("failed", "ASSET_NOT_FOUND"),
        "./only.png": ("failed", "ASSET_NOT_FOUND"),
        "../only.png": ("failed", "ASSET_NOT_FOUND"),
        "out.png": ("failed", "PATH_NOT_ALLOWED"),
        "outside.png": ("failed", "ASSET_NOT_FOUND"),
    }
    (vault / "日记").mkdir()
    text = "\n\n".join(f"![[{origin}]]" for origin in cases)
    (vault / "日记" / "2024-05-01.md").write_text(text, encoding="utf-8")
    (vault / "日记" / "page.html").write_text("<p>x <img src='only.png'>", encoding="utf-8")
    context = make_library(tmp_path / "home", vault)

    rows = run(context)

    noted = {row["origin_ref"]: (row["status"], row["width"] or row["code"]) for row in rows[:-1]}
    assert noted == cases
    assert rows[-1]["code"] == "ASSET_NOT_FOUND"  # of a page of HTML, which says where it is
    assert stage.run(context, SHARD).unchanged == 2
    (vault / "c").mkdir()
    (vault / "c" / "old.png").write_bytes(picture())
    assert stage.run(context, SHARD).computed == 1


def test_a_run_says_whose_images_could_not_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "note.md").write_text("![a](a.png)", encoding="utf-8")
    context = make_library(tmp_path / "home", folder)
    loading.run(context, SHARD)
    (warning,) = warnings_of([stage.run(context, SHARD).details])
    assert warning == "1 image could not be read (ASSET_NOT_FOUND): note.md."


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


def test_one_heavy_image_costs_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODULES_VARIABLE, tests.unit.media.hostile.__name__)
    folder = tmp_path / "docs"
    folder.mkdir()
    names = [f"{number}.png" for number in range(20)]
    names[3], names[10], names[11] = "hang.png", "crash.png", "eat.png"
    for number, name in enumerate(names):
        (folder / name).write_bytes(picture(size=(number + 1, 1)))
    links = " ".join(f"![]({name})" for name in [*names, "nowhere.png", names[0]])
    (folder / "a.md").write_text(links, encoding="utf-8")
    base = small_strategy()
    config = StageConfig(provider="asset_normalizer.hostile")
    stages = base.stages.model_copy(update={"asset_normalize": config})
    strategy = base.model_copy(update={"stages": stages})
    limits = Limits(parse_timeout_s=4.0)
    ctx = make_library(tmp_path / "home", folder, limits=limits, strategy=strategy)
    trace = Trace("ingestion", ctx.strategy.config_id)
    try:
        loading.run(ctx, SHARD)
        with start(trace, []):
            result = stage.run(ctx, SHARD)
    finally:
        close_pools()
    rows = ctx.store.read("media", SHARD).to_pylist()
    assert [row["order"] for row in rows] == sorted(row["order"] for row in rows)
    failed = {row["origin_ref"]: row["code"] for row in rows if row["status"] != "ready"}
    expected = {
        "hang.png": "PARSER_TIMEOUT",
        "crash.png": "PARSER_CRASHED",
        "eat.png": "PARSER_MEMORY",
        "nowhere.png": "ASSET_NOT_FOUND",
    }
    assert (failed, len(rows)) == (expected, 22)
    assert rows[-1]["asset_id"] == rows[0]["asset_id"]

    told = result.details["failed_images"]
    assert isinstance(told, dict)
    assert {one["reference"]: one["error_code"] for one in told["first"]} == expected
    (warning,) = warnings_of([result.details, result.details])
    assert warning.startswith("8 images could not be read (") and "PARSER_MEMORY 2" in warning
    assert result.details["assets_total"] == 22
    (event,) = [event.payload for event in trace.events if event.kind == "ingest.assets_manifest"]
    assert (event["assets_total"], event["failed"], event["failed_assets"]) == (
        22,
        4,
        told["first"],
    )
    assert trace.counters == {"assets_total": 22, "assets_ready": 18, "assets_failed": 4}


def test_missing_local_files_need_no_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.md").write_text("![a](a.png) ![b](<../b.png>)", encoding="utf-8")
    context = make_library(tmp_path / "home", folder)
    loading.run(context, SHARD)
    dealt: list[int] = []
    real = ProcessPool.run

    def counted(self: ProcessPool, jobs: Iterable[Job]) -> Iterator[tuple[Job, Outcome]]:
        given = list(jobs)
        dealt.append(len(given))
        return real(self, given)

    monkeypatch.setattr(ProcessPool, "run", counted)
    result = stage.run(context, SHARD)
    assert (result.details["failed"], sum(dealt)) == (6, 0)
    codes = {row["code"] for row in context.store.read("media", SHARD).to_pylist()}
    assert codes == {"ASSET_NOT_FOUND", "PATH_NOT_ALLOWED"}
    # Few images of a document are one job, with those on the web.
    (folder / "a.png").write_bytes(picture())
    (folder / "0.md").write_text("![a](a.png) ![](https://example.org/a.png)", encoding="utf-8")
    context = make_library(tmp_path / "home", folder)
    loading.run(context, SHARD)
    dealt.clear()
    stage.run(context, SHARD)
    assert sum(dealt) == 3


def test_drawings_as_programs_write_them(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    root = "<svg xmlns='http://www.w3.org/2000/svg'/>"
    head = "<?xml version='1.0'?><?xml-stylesheet href='a.css'?>"
    (folder / "a.svg").write_text(f"{head}<!--{'licence ' * 900}-->{root}", encoding="utf-8")
    (folder / "b.svg").write_text(f"<!DOCTYPE svg [<!ENTITY a 'b>'>]>{root}", encoding="utf-16")
    (folder / "c.svg").write_text("<html></html>", encoding="utf-8")
    links = " ".join(f"![]({name}.svg)" for name in "abc")
    (folder / "d.md").write_text(links, encoding="utf-8")
    found = [row["mime"] or row["code"] for row in run(make_library(tmp_path / "home", folder))]
    assert found == ["image/svg+xml", "image/svg+xml", "UNSUPPORTED_TYPE"]


def test_pixel_limits_come_from_the_settings(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "m.png").write_bytes(picture())
    (folder / "a.md").write_text("![m](m.png)", encoding="utf-8")
    context = make_library(tmp_path / "home", folder, limits=Limits(max_image_pixels=1000))
    (row,) = run(context)
    assert (row["code"], row["message"]) == ("FILE_TOO_LARGE", "The image has 600 x 300 pixels.")
