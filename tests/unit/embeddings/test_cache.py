"""Vectors paid for once are found again, and damage costs only what is damaged."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_assets.embeddings import cache as cache_module
from rag_assets.embeddings.cache import EmbeddingCache, embedding_id, keep_only
from rag_query.contracts.snapshot import EmbeddingSpace
from rag_query.library.home import Home
from rag_query.providers.embedding.base import ModelCard
from rag_query.text.ids import sha256_text

SPACE = ModelCard("model", "1", 4, 512, ("*",)).space


def _hash(number: int) -> str:
    return sha256_text(str(number))


def _vector(number: int) -> list[float]:
    return [float(number), 1.0, 2.0, -float(number)]


def _put(cache: EmbeddingCache, numbers: list[int]) -> None:
    vectors = np.array([_vector(n) for n in numbers], np.float32)
    cache.put([_hash(n) for n in numbers], vectors)


def _get(cache: EmbeddingCache, numbers: list[int]) -> dict[int, list[float]]:
    found, vectors = cache.get(pa.array([_hash(n) for n in numbers], pa.string()))
    assert vectors.shape == (len(numbers), 4)
    assert vectors.dtype == np.float32
    return {n: vectors[i].tolist() for i, n in enumerate(numbers) if found[i]}


def test_an_empty_cache_finds_nothing(tmp_path: Path) -> None:
    assert _get(EmbeddingCache(Home(tmp_path), SPACE), [1, 2]) == {}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.integers(0, 60), unique=True, max_size=30), max_size=6),
    st.lists(st.integers(0, 80), unique=True, max_size=40),
)
def test_what_was_put_is_found_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, puts: list[list[int]], asked: list[int]
) -> None:
    cache = EmbeddingCache(Home(tmp_path_factory.mktemp("cache")), SPACE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache_module, "ROW_GROUP", 7)
        for numbers in puts:
            _put(cache, numbers)
    known = {n for numbers in puts for n in numbers}
    assert _get(cache, asked) == {n: _vector(n) for n in asked if n in known}


def test_spaces_do_not_mix(tmp_path: Path) -> None:
    other = ModelCard("model", "2", 4, 512, ("*",)).space
    _put(EmbeddingCache(Home(tmp_path), SPACE), [1])
    assert _get(EmbeddingCache(Home(tmp_path), other), [1]) == {}
    assert embedding_id(SPACE, _hash(1)) != embedding_id(other, _hash(1))
    assert embedding_id(SPACE, _hash(1)).startswith("emb_")


def test_many_small_parts_become_one_without_doubles(tmp_path: Path) -> None:
    cache = EmbeddingCache(Home(tmp_path), SPACE)
    for number in range(cache_module.MAX_SMALL_PARTS + 1):
        _put(cache, [number, number + 1])
    assert cache.compact()
    (part,) = tmp_path.rglob("part-*.parquet")
    assert pq.read_metadata(part).num_rows == cache_module.MAX_SMALL_PARTS + 2
    assert _get(cache, [0, 20, 99]) == {0: _vector(0), 20: _vector(20)}
    assert not cache.compact()


def test_a_part_that_vanishes_while_reading_is_found_in_the_merged_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = EmbeddingCache(Home(tmp_path), SPACE)
    for number in range(cache_module.MAX_SMALL_PARTS + 1):
        _put(cache, [number])
    listed = EmbeddingCache._parts
    merged: list[Any] = []

    def list_then_merge(self: EmbeddingCache) -> list[Path]:
        parts = listed(self)
        if not merged:
            merged.append(True)
            EmbeddingCache(Home(tmp_path), SPACE).compact()
        return parts

    monkeypatch.setattr(EmbeddingCache, "_parts", list_then_merge)
    assert _get(cache, [0, 30]) == {0: _vector(0), 30: _vector(30)}


def test_a_damaged_part_costs_only_its_vectors(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = EmbeddingCache(Home(tmp_path), SPACE)
    _put(cache, [1])
    (part,) = tmp_path.rglob("part-*.parquet")
    part.write_bytes(b"PAR1 and then the power went")
    _put(cache, [2])
    assert _get(cache, [1, 2]) == {2: _vector(2)}
    assert "cannot be read" in caplog.text
    assert not part.exists()


def test_the_embedding_id_is_that_of_the_whole_key() -> None:
    changed = EmbeddingSpace.model_validate(SPACE.model_dump() | {"text_norm_profile_id": "x"})
    assert embedding_id(SPACE, _hash(1)) == embedding_id(SPACE, _hash(1))
    assert embedding_id(changed, _hash(1)) != embedding_id(SPACE, _hash(1))


@pytest.mark.parametrize("damage", ["end", "vector"])
def test_a_damaged_part_costs_no_more_than_its_vectors(tmp_path: Path, damage: str) -> None:
    def damaged() -> EmbeddingCache:
        cache = EmbeddingCache(Home(tmp_path), SPACE)
        _put(cache, [1, 2])
        (part,) = (tmp_path / "cache").rglob("part-*.parquet")
        data = bytearray(part.read_bytes())
        if damage == "end":
            del data[-40:]
        else:
            # A wrong bit in a stored vector: still a number, but not the one put there.
            at = data.index(np.array(_vector(2), np.float32).tobytes())
            data[at] ^= 1
        part.write_bytes(data)
        _put(cache, [3])
        return cache

    cache = damaged()
    assert _get(cache, [1, 2, 3]) == {3: _vector(3)}
    _put(cache, [1, 2])
    assert _get(cache, [1, 2, 3]) == {n: _vector(n) for n in (1, 2, 3)}

    # Merging and hard deletion meet it too.
    shutil.rmtree(tmp_path / "cache")
    cache = damaged()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache_module, "MAX_SMALL_PARTS", 1)
        assert cache.compact()
    assert _get(cache, [1, 2, 3]) == {3: _vector(3)}
    shutil.rmtree(tmp_path / "cache")
    damaged()
    assert keep_only(Home(tmp_path), pa.array([_hash(3)])) == 0


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO, errno.ENOMEM])
def test_what_the_system_refuses_costs_no_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    cache = EmbeddingCache(Home(tmp_path), SPACE)
    for at in range(2):
        _put(cache, [at])

    def refused(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(cache_module, "MAX_SMALL_PARTS", 1)
    with monkeypatch.context() as patch:
        for name in ("ParquetFile", "read_table", "read_metadata"):
            patch.setattr(pq, name, refused)
        for work in (
            lambda: _get(cache, [0, 1]),
            cache.compact,
            lambda: keep_only(Home(tmp_path), pa.array([_hash(0)])),
        ):
            with pytest.raises(OSError, match=re.escape(os.strerror(number))) as caught:
                work()
            assert caught.value.errno == number
    assert _get(cache, [0, 1]) == {0: _vector(0), 1: _vector(1)}


def test_too_many_open_files_cost_no_vectors(tmp_path: Path) -> None:
    cache = EmbeddingCache(Home(tmp_path), SPACE)
    _put(cache, [1])
    script = """
import resource, sys
from pathlib import Path
import pyarrow as pa
from tests.unit.embeddings.test_cache import SPACE, EmbeddingCache, Home, _hash
cache = EmbeddingCache(Home(Path(sys.argv[1])), SPACE)
assert cache.get(pa.array([_hash(1)]))[0].all()
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
held = []
try:
    while True:
        held.append(open("/dev/null"))
except OSError:
    pass
held.pop().close()  # the folder can be listed, but then no file of it is opened
taken = cache._parts
cache._parts = lambda: (taken(), held.append(open("/dev/null")))[0]
try:
    cache.get(pa.array([_hash(1)]))
except OSError as exc:
    print(exc.errno)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.stdout.strip() == str(errno.EMFILE), ran.stderr
    assert _get(cache, [1]) == {1: _vector(1)}
