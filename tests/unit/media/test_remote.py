"""Images from the web: fetched only when asked for, only from where it is allowed."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from rag_assets.child_processes.pool import close_pools
from rag_assets.context import StageContext
from rag_assets.loading import stage as loading
from rag_assets.media import stage
from rag_assets.media.normalizer import ContentHashParams
from rag_assets.media.remote import RemoteImages, is_public
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.settings import Limits
from rag_query.strategies.strategy import StageConfig, Strategy
from tests.fixtures.library import SHARD, make_library
from tests.hashed_words import small_strategy
from tests.unit.media.test_stage import picture
from tests.unit.media.web_server import Web, dribbling_handshakes, serving_pictures

LOOPBACK = "127.0.0.1/32"


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    pictures = {
        "a.png": ("image/png", picture()),
        "page.png": ("text/html", picture()),
        "lie.png": ("image/png", b"<html>no picture</html>"),
        "d.svg": ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
    }
    with serving_pictures(pictures) as served:
        yield served
    close_pools()


def fetch(url: str, resolve: Any = None, **params: Any) -> tuple[bytes, str]:
    given = ContentHashParams.model_validate({"private_networks": [LOOPBACK]} | params)
    return RemoteImages(given.remote_limits, given.remote_document_s, resolve).fetch(url)


def code_of(url: str, resolve: Any = None, **params: Any) -> ErrorCode:
    with pytest.raises(ExcerptaError) as caught:
        fetch(url, resolve, **params)
    assert caught.value.transient == (caught.value.code == ErrorCode.REMOTE_UNAVAILABLE)
    return caught.value.code


def test_a_picture_and_one_that_has_moved(web: Web) -> None:
    assert fetch(web.url("a.png")) == (picture(), "image/png")
    assert fetch(web.url("moved?/a.png"))[0] == picture()
    assert fetch(web.url("moved?" + web.url("moved?/a.png")))[0] == picture()


def test_private_addresses_are_never_asked(web: Web) -> None:
    before = len(web.asked)
    for host in ("127.0.0.1", "localhost", "2130706433", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"):
        assert code_of(web.url("a.png", host), private_networks=[]) in (
            ErrorCode.REMOTE_REFUSED,
            ErrorCode.REMOTE_UNAVAILABLE,
        )
    assert len(web.asked) == before


def test_a_redirect_to_a_private_address_is_refused(web: Web) -> None:
    # 127.0.0.1 may be asked here; another address of this machine may not.
    for target in (web.url("a.png", "127.0.0.2"), "http://169.254.169.254/latest", "file:///etc"):
        assert code_of(web.url(f"moved?{target}")) == ErrorCode.REMOTE_REFUSED
    assert "/a.png" not in web.asked[-3:]


def test_a_name_that_changes_its_mind_is_asked_at_the_address_that_was_checked(web: Web) -> None:
    looked_up: list[str] = []

    def rebinding(host: str, port: int) -> Sequence[str]:
        looked_up.append(host)
        return ["127.0.0.1"] if len(looked_up) == 1 else ["10.0.0.1"]

    assert fetch(web.url("a.png", "pictures.example"), rebinding)[0] == picture()
    assert looked_up == ["pictures.example"]
    both = lambda host, port: ["127.0.0.1", "10.0.0.1"]  # noqa: E731
    assert code_of(web.url("a.png", "pictures.example"), both) == ErrorCode.REMOTE_REFUSED


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("nothing.png", ErrorCode.ASSET_NOT_FOUND),
        ("status?403", ErrorCode.ASSET_NOT_FOUND),
        ("status?429", ErrorCode.REMOTE_UNAVAILABLE),
        ("status?503", ErrorCode.REMOTE_UNAVAILABLE),
        ("cut", ErrorCode.REMOTE_UNAVAILABLE),
        ("loop", ErrorCode.REMOTE_REFUSED),
        ("page.png", ErrorCode.REMOTE_REFUSED),
        ("d.svg", ErrorCode.REMOTE_REFUSED),
        ("endless", ErrorCode.FILE_TOO_LARGE),
    ],
)
def test_what_goes_wrong_has_a_code(web: Web, path: str, code: ErrorCode) -> None:
    assert code_of(web.url(path), remote_max_bytes=1_000_000) == code


def test_size_is_told_before_it_is_read(web: Web) -> None:
    assert code_of(web.url("a.png"), remote_max_bytes=100) == ErrorCode.FILE_TOO_LARGE


def test_a_server_that_dribbles_is_left(web: Web) -> None:
    began = time.monotonic()
    assert code_of(web.url("dribble"), remote_timeout_s=0.4) == ErrorCode.REMOTE_UNAVAILABLE
    assert time.monotonic() - began < 5


def test_a_server_that_dribbles_while_it_shakes_hands_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A socket's own timeout begins anew with each step; it must not be what ends the fetch.
    connect = socket.create_connection
    monkeypatch.setattr(socket, "create_connection", lambda to, timeout: connect(to, 8 * timeout))
    with dribbling_handshakes() as port:
        began = time.monotonic()
        url = f"https://127.0.0.1:{port}/a.png"
        assert code_of(url, remote_timeout_s=0.4) == ErrorCode.REMOTE_UNAVAILABLE
        assert time.monotonic() - began < 2


def test_a_redirect_to_no_address_is_refused(web: Web) -> None:
    for target in ("http://[bad/", "//[", "http://[::1"):
        assert code_of(web.url(f"moved?{target}")) == ErrorCode.REMOTE_REFUSED


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/a.png",
        "http://user:pw@127.0.0.1/a.png",
        "http:///a.png",
        "http://127.0.0.1:99999/a.png",
        "http://" + "a" * 70 + ".example/a.png",
        "http://127.0.0.1/\ud800.png",
        "http://127.0.0.1/a.png?\udcff",
    ],
)
def test_odd_addresses_are_refused(url: str) -> None:
    assert code_of(url) == ErrorCode.REMOTE_REFUSED


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("192.0.1.1", True),
        ("168.63.129.17", True),
        *((private, False) for private in (
            "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0.0.0.0",
            "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1",
            "192.0.0.192", "192.88.99.1", "168.63.129.16", "3fff::1", "::ffff:192.0.0.192",
            "fec0::1", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::",
        )),
    ],
)  # fmt: skip
def test_what_is_public(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public


def strategy(**params: Any) -> Strategy:
    base = small_strategy()
    config = StageConfig(provider="asset_normalizer.content_hash", params=params)
    stages = base.stages.model_copy(update={"asset_normalize": config})
    return base.model_copy(update={"stages": stages})


def test_remote_images_never_take_a_whole_job(web: Web, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.png").write_bytes(picture())
    text = f"![x]({web.url('dribble')}) ![y](a.png)"
    (folder / "d.md").write_text(text, encoding="utf-8")
    given = strategy(remote_images=True, private_networks=[LOOPBACK], remote_timeout_s=30.0)
    limits = Limits(parse_timeout_s=8.0)
    ctx = make_library(tmp_path / "home", folder, strategy=given, limits=limits)
    loading.run(ctx, SHARD)
    stage.run(ctx, SHARD)
    rows = ctx.store.read("media", SHARD).to_pylist()
    assert [row["code"] for row in rows] == ["REMOTE_UNAVAILABLE", None]


def test_a_document_with_remote_images(web: Web, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    links = ["a.png", "lie.png", "nothing.png", "status?503", "moved?http://[bad/"]
    text = "\n\n".join(f"![x]({web.url(link)})" for link in links)
    (folder / "d.md").write_text(f"# Remote\n\n{text}\n", encoding="utf-8")

    def run(run_id: str, **params: Any) -> list[tuple[str, str]]:
        made = make_library(tmp_path / "home", folder, strategy=strategy(**params))
        ctx = StageContext(made.home, made.settings, made.strategy, run_id)
        loading.run(ctx, SHARD)
        stage.run(ctx, SHARD)
        rows = ctx.store.read("media", SHARD).to_pylist()
        return [(row["status"], row["mime"] or row["code"]) for row in rows]

    before = len(web.asked)
    assert run("run_1") == [("failed", "REMOTE_NOT_FETCHED")] * 5
    assert len(web.asked) == before
    allowed = {"remote_images": True, "private_networks": [LOOPBACK]}
    expected = [
        ("ready", "image/png"),
        ("failed", "UNSUPPORTED_TYPE"),
        ("failed", "ASSET_NOT_FOUND"),
        ("failed", "REMOTE_UNAVAILABLE"),
        ("failed", "REMOTE_REFUSED"),
    ]
    assert run("run_2", **allowed) == expected
    # What may be there later is asked for again by the next run, and only that makes one.
    asked = len(web.asked)
    assert run("run_3", **allowed) == expected
    assert len(web.asked) > asked


def test_an_image_that_cannot_be_had_now_stays_as_it_was(web: Web, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "d.md").write_text(f"![x]({web.url('a.png')})\n", encoding="utf-8")
    allowed = {"remote_images": True, "private_networks": [LOOPBACK]}

    def run(ctx: StageContext) -> tuple[int, dict[str, Any]]:
        computed = stage.run(ctx, SHARD).computed
        (row,) = ctx.store.read("media", SHARD).to_pylist()
        return computed, row

    def made(**limits: Any) -> StageContext:
        ctx = make_library(tmp_path / "home", folder, strategy=strategy(**allowed, **limits))
        loading.run(ctx, SHARD)
        return ctx

    computed, first = run(made())
    assert (computed, first["status"]) == (1, "ready")
    # Another profile asks again, when the server has no time for an answer.
    hurried = made(remote_document_s=0.000001)
    assert run(hurried) == (1, first)
    assert run(hurried) == (0, first)
