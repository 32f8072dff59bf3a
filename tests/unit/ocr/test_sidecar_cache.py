"""What was read from a picture is kept, and losing it loses only time."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_assets.sidecar_cache import SidecarCache

KEY = "abcd"


def test_an_entry_that_cannot_be_read_counts_as_none(tmp_path: Path) -> None:
    cache = SidecarCache(tmp_path)
    assert cache.get(KEY) is None
    cache.put(KEY, {"text": "5 m"})
    assert cache.get(KEY) == {"text": "5 m"}
    entry = tmp_path / "ab" / "abcd.json"
    for damage in (b"{", b"\xff\xfe\xff", b"[" * 100_000):
        entry.write_bytes(damage)
        assert cache.get(KEY) is None
    entry.unlink()
    entry.mkdir()
    assert cache.get(KEY) is None


def test_a_disk_that_refuses_an_entry_says_so(tmp_path: Path) -> None:
    (tmp_path / "ab").write_text("")
    with pytest.raises(OSError):
        SidecarCache(tmp_path).put(KEY, 1)
