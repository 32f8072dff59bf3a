"""Asking a question of the past again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from mcp_app.console import traces
from mcp_app.console.rerun import rerun
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.strategies.strategy import FOLDER


def test_a_trace_is_looked_for_while_the_server_goes_on_answering() -> None:
    looked: list[bool] = []

    def get(_: str) -> None:
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        looked.append(True)

    library: Any = SimpleNamespace(traces=SimpleNamespace(get=get))
    client = TestClient(Starlette(routes=traces.routes(library)))
    with pytest.raises(ExcerptaError) as caught:
        client.post("/traces/query/trc_1/rerun")
    assert caught.value.code is ErrorCode.TRACE_NOT_FOUND and looked


def test_only_a_shipped_strategy_can_be_asked_with(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_bytes((FOLDER / "default.yaml").read_bytes())
    trace: Any = SimpleNamespace(replay={"plan": {"version": "0.1"}})
    library: Any = SimpleNamespace(home=None)
    for name in (str(own), "../strategies/default", "nothing"):
        with pytest.raises(ExcerptaError) as caught:
            rerun(library, trace, strategy=name)
        assert caught.value.code is ErrorCode.INVALID_ARGUMENT
