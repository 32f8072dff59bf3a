"""The embedder of a run: one for all threads, loaded ahead where it can be."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from rag_assets.context import StageContext
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.strategies.strategy import StageConfig, Strategy
from tests.hashed_words import HashedWordsEmbedder, small_strategy
from tests.library_builder import open_context, write_tables
from tests.small_documents import SmallDoc


class _Loaded(HashedWordsEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.loaded = threading.Event()

    def load(self) -> None:
        self.loaded.set()


def _threads() -> Sequence[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "model-load"]


def test_a_model_that_can_be_loaded_is_loaded_in_the_background(tmp_path: Path) -> None:
    context = open_context(tmp_path)
    embedder = context.__dict__["_embedder"] = _Loaded()
    context.load_embedder()
    assert embedder.loaded.wait(10)


def test_a_fault_is_left_to_the_stage_that_embeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    escaped: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", escaped.append)
    context = StageContext(
        (made := open_context(tmp_path)).home, made.settings, _of_unknown_model(made.strategy)
    )
    context.load_embedder()
    for thread in _threads():
        thread.join(10)
    assert escaped == []
    with pytest.raises(ExcerptaError) as failure:
        _ = context.embedder
    assert failure.value.code is ErrorCode.MODEL_UNAVAILABLE


def test_an_embedder_without_anything_to_load_is_left_alone(tmp_path: Path) -> None:
    context = open_context(tmp_path, strategy=small_strategy())
    context.load_embedder()
    for thread in _threads():
        thread.join(10)
    assert context.embedder is context.embedder


def _of_unknown_model(strategy: Strategy) -> Strategy:
    missing = StageConfig(provider="embedder.openvino", params={"model": "/nowhere/at-all"})
    stages = strategy.stages.model_copy(update={"embedder": missing})
    return strategy.model_copy(update={"stages": stages})


def test_a_stage_reads_of_the_documents_that_are_worked_on_what_it_asks_for(
    tmp_path: Path,
) -> None:
    context = open_context(tmp_path)
    assert context.live_ids("s00") == []
    write_tables(context, [SmallDoc(name, f"What {name} says.") for name in ("a.md", "b.md")])
    shard = next(s for s in context.settings.shard_names if context.live_ids(s))
    rows = context.store.read("documents", shard)
    assert context.live_ids(shard) == rows["version_id"].to_pylist()
    asked = context.live_versions(shard, ["name", "version_id"])
    assert asked.equals(rows.select(["name", "version_id"]))
    removed = pa.array(["removed"] * rows.num_rows)
    place = rows.schema.get_field_index("status")
    context.store.write("documents", shard, rows.set_column(place, "status", removed))
    assert context.live_ids(shard) == []
