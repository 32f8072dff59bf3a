"""Dagster's records as a run writes them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import dagster as dg
import sqlalchemy
from sqlalchemy.engine import Engine

from rag_assets.event_log import quick_event_log
from rag_assets.instance import open_instance, prepare_instance
from rag_query.library.home import Home

MATERIALIZED = 20


def _materialize(instance: dg.DagsterInstance, times: int) -> None:
    for number in range(times):
        made = dg.AssetMaterialization("chunks", partition=f"s{number:02d}", metadata={"n": number})
        instance.report_runless_asset_event(made)


def test_many_events_open_few_connections_and_anybody_else_may_write_between_them(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path)
    prepare_instance(home)
    opened = 0

    def on_connect(*_: object) -> None:
        nonlocal opened
        opened += 1

    sqlalchemy.event.listen(Engine, "connect", on_connect)
    try:
        with quick_event_log(), quick_event_log(), open_instance(home) as instance:
            _materialize(instance, 1)
            before = opened
            _materialize(instance, MATERIALIZED)
            assert opened - before <= 2
            index = home.dagster / "history" / "runs" / "index.db"
            with closing(sqlite3.connect(index, timeout=0)) as other, other:
                other.execute("DELETE FROM asset_event_tags")
    finally:
        sqlalchemy.event.remove(Engine, "connect", on_connect)
    with open_instance(home) as instance:
        found = instance.fetch_materializations(dg.AssetKey("chunks"), limit=100).records
        assert len(found) == MATERIALIZED + 1
        assert found[0].asset_materialization is not None
        assert found[0].asset_materialization.metadata["n"].value == MATERIALIZED - 1
