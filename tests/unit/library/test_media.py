"""Media are opened by asset_id and by nothing else."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.library.media import media_path, read_media

BYTES = b"not really a picture"
ASSET = hashlib.sha256(BYTES).hexdigest()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    path = home.media_file(ASSET)
    path.parent.mkdir(parents=True)
    path.write_bytes(BYTES)
    (tmp_path / "secret").write_text("secret")
    return home


def test_bytes_come_back(home: Home) -> None:
    assert read_media(home, ASSET) == BYTES


@pytest.mark.parametrize(
    "asset_id",
    [
        "",
        "0" * 64,
        ASSET.upper(),
        ASSET[:-1],
        ASSET + "\n",
        "../secret",
        "../" * 20 + "etc/passwd",
        f"{ASSET[:61]}/..",
    ],
)
def test_anything_else_is_not_found(home: Home, asset_id: str) -> None:
    with pytest.raises(ExcerptaError) as caught:
        media_path(home, asset_id)
    assert caught.value.code == ErrorCode.ASSET_NOT_FOUND


def test_a_missing_thumbnail_is_not_found(home: Home) -> None:
    with pytest.raises(ExcerptaError, match=r"no thumbnail.*raw"):
        media_path(home, ASSET, thumbnail=True)
    with pytest.raises(ExcerptaError, match="no such medium"):
        media_path(home, "nope", thumbnail=True)
    home.thumb_file(ASSET).write_bytes(b"small")
    assert read_media(home, ASSET, thumbnail=True) == b"small"
