"""Providers of other packages, found by whoever asks for one first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_PLUGIN = """
from rag_query.providers.registry import Params, Registration
from rag_query.providers.reranking.noop import NoopReranker

def add(registry):
    entry = Registration("reranker.own", "1", Params, lambda params, **_: NoopReranker())
    registry.register(entry)
"""
_ASK = """
from rag_query.providers import builtin
from rag_query.providers.registry import REGISTRY
assert "reranker.own" not in REGISTRY.ids(), "nothing is loaded that nobody asks for"
print(type(REGISTRY.create("reranker.own", {})).__name__)
REGISTRY.load_entry_points()
"""


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
