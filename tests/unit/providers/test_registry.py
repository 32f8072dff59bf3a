"""Providers of other packages, found by whoever asks for one first."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import REGISTRY, Params, ProviderRegistry, Registration

_PLUGIN = """
from rag_query.providers.registry import Params, Registration
from rag_query.providers.reranking.noop import NoopReranker

def add(registry):
    entry = Registration("reranker.own", "1", Params, lambda params, **_: NoopReranker())
    registry.register(entry)
"""
_ASK = """
from rag_query.providers.registry import REGISTRY
assert "reranker.noop" in REGISTRY.ids(), "the library's own are known"
assert "reranker.own" not in REGISTRY.ids(), "nothing is loaded that nobody asks for"
print(type(REGISTRY.create("reranker.own", {})).__name__)
REGISTRY.load_entry_points()
"""
_STRATEGY = """
import rag_assets.code_versions
from rag_query.strategies.strategy import check_strategy, load_strategy
check_strategy(load_strategy())
"""


def refusal(provider_id: str) -> str:
    with pytest.raises(ExcerptaError) as caught:
        REGISTRY.get(provider_id)
    assert caught.value.code == ErrorCode.UNKNOWN_PROVIDER
    return caught.value.hint


def test_only_a_provider_of_the_same_family_is_offered() -> None:
    assert refusal("reranker.nop") == "Did you mean 'reranker.noop'?"
    assert refusal("reranker.xyzzy").startswith("Known: reranker.")
    assert "embedder." not in refusal("reranker.xyzzy")
    assert "Did you mean" not in refusal("nope")
    assert "families: " in refusal("nope")
    assert refusal("rerankr.noop") == "Did you mean 'reranker.noop'?"


def test_a_plug_in_that_cannot_be_loaded_is_named_whenever_it_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def loaded() -> Callable[[ProviderRegistry], None]:
        registry.load_entry_points()  # as what a plug-in imports may
        entry = Registration("reranker.own", "1", Params, lambda params: params)
        return lambda registry: registry.register(entry)

    def broken() -> Callable[[ProviderRegistry], None]:
        def add(registry: ProviderRegistry) -> None:
            registry.register(Registration("reranker.half", "1", Params, lambda params: params))
            raise ModuleNotFoundError("No module named 'gone'")

        return add

    points = [
        SimpleNamespace(name="own", load=loaded, dist=None),
        SimpleNamespace(name="broken", load=broken, dist=SimpleNamespace(name="some-package")),
    ]
    monkeypatch.setattr("rag_query.providers.registry.entry_points", lambda group: points)
    registry = ProviderRegistry()
    for _ in range(2):
        with pytest.raises(ExcerptaError, match=r"'broken' of the package 'some-package'.*gone"):
            registry.load_entry_points()
    assert registry.ids() == ["reranker.half", "reranker.own"]


def test_a_reader_finds_an_installed_provider(tmp_path: Path) -> None:
    info = tmp_path / "own_plugin-1.dist-info"
    info.mkdir()
    (tmp_path / "own_plugin.py").write_text(_PLUGIN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[excerpta.providers]\nown = own_plugin:add\n")
    done = subprocess.run(
        [sys.executable, "-c", _ASK],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(Path.cwd()), str(tmp_path)])},
    )
    assert (done.stdout.strip(), done.stderr) == ("NoopReranker", "")


def test_a_process_that_imported_no_stage_knows_all_that_the_default_strategy_names() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STRATEGY], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
