"""A clean-up killed while it drops the vectors of a former embedder harms no later run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from rag_assets.context import StageContext
from rag_assets.indexes import vector
from rag_assets.indexes.heads import vector_head
from rag_assets.publication import gc
from rag_assets.publication.publish import publish
from rag_query.library.lance import connect
from rag_query.library.settings import load_settings, update_settings
from tests.hashed_words import small_strategy
from tests.library_builder import open_context, run_indexes, write_tables
from tests.small_documents import SmallDoc

DOCUMENTS = [SmallDoc("tea.md", "# Tea\n\nGreen."), SmallDoc("coffee.md", "# Coffee\n\nHot.")]
WHOLE, HALF, GONE = "before", "within", "after"


class _Killed(BaseException):
    pass


def _changed(root: Path) -> tuple[StageContext, StageContext, str]:
    """A library under a second embedder, opened with the first and with the second, and the name
    of the first one's table."""
    first = open_context(root, shards=1)
    second = open_context(root, strategy=small_strategy(version="2"))
    for ctx in (first, second):
        write_tables(ctx, DOCUMENTS)
        run_indexes(ctx)
        publish(ctx)
    update_settings(first.home, keep_snapshots=1, retention_hours=0)
    (former,) = vector_head(first.home).tables.keys() - vector_head(first.home).holder.values()
    return first, second, former


@pytest.mark.parametrize("dropped", [WHOLE, HALF, GONE])
def test_killed_while_a_former_table_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dropped: str
) -> None:
    first, second, former = _changed(tmp_path)
    home = first.home
    folder = home.lance / f"{former}.lance"

    class Database:
        def drop_table(self, name: str) -> None:
            if dropped != WHOLE:
                shutil.rmtree(folder / "data" if dropped == HALF else folder)
            raise _Killed

    with monkeypatch.context() as patched:
        patched.setattr(gc, "connect", lambda _: Database())
        with pytest.raises(_Killed):
            gc.collect(home, load_settings(home))
    index: Any = vector.LanceVectorIndex(vector.LanceParams())
    index.rewrite(second)
    assert list(vector_head(home).tables) == list(vector_head(home).holder.values()) != [former]
    # The former embedder is wanted again, and its table with every row.
    write_tables(first, DOCUMENTS)
    result = vector.run(first, "s00")
    assert (result.rows, connect(home.lance).open_table(former).count_rows()) == (2, 2)


def test_a_head_that_names_a_lost_table_is_mended(tmp_path: Path) -> None:
    _, second, former = _changed(tmp_path)
    home = second.home
    shutil.rmtree(home.lance / f"{former}.lance")
    vector.LanceVectorIndex(vector.LanceParams()).rewrite(second)
    gc.collect(home, load_settings(home))
    assert former not in vector_head(home).tables
