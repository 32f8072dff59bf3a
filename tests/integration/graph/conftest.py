"""Libraries whose runs load no model."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import dagster as dg
import pytest
import yaml

import rag_assets.providers  # noqa: F401
from rag_assets import launch
from rag_assets.launch import list_runs
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.providers.registry import REGISTRY
from rag_query.strategies.strategy import load_strategy
from tests.integration.graph import plugin
from tests.integration.graph.runs import start_here

ROOT = Path(__file__).parents[3]
plugin.add(REGISTRY)


def strategy_file(folder: Path, seconds: float = 0.0) -> Path:
    """The default strategy with an embedder that takes ``seconds`` a call."""
    strategy = load_strategy().model_dump(mode="json")
    strategy["stages"]["embedder"] = {
        "provider": "embedder.patient",
        "params": {"seconds": seconds},
    }
    path = folder / f"patient-{seconds}.yaml"
    path.write_text(yaml.safe_dump(strategy))
    return path


def write(home: Home, name: str, text: str | bytes) -> Path:
    """A file of the inbox, old enough not to be read twice."""
    path = home.inbox / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    moved = path.stat().st_mtime_ns - 10_000_000_000
    os.utime(path, ns=(moved, moved))
    return path


def write_some(home: Home) -> None:
    """Documents in two languages, two formats, and one that cannot be parsed."""
    write(home, "tea.md", "# Tea\n\nGreen tea is steamed.\n\n## Water\n\nBoil it first.\n")
    write(home, "茶.md", "# 茶\n\n绿茶要蒸。\n\n[水](tea.md#water)\n")
    write(home, "notes.txt", "Plain notes about coffee.\n")
    write(home, "corpus.jsonl", '{"_id": "7", "title": "Cup", "text": "A cup is small."}\n')
    write(home, "binary.md", b"\x00\x01\x02\xff\xfe" * 100)
    write(home, "picture.png", b"\x89PNG")


def make_library(folder: Path, shards: int = 2) -> Home:
    """An empty library. A run takes the longer the more shards there are."""
    home = Home(folder / "library")
    create_library(home, shards=shards, strategy=str(strategy_file(folder)))
    return home


def copy_library(home: Home, folder: Path) -> Home:
    """The same library elsewhere."""
    copy = Home(folder / "library")
    shutil.copytree(home.root, copy.root)
    return copy


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty library."""
    return make_library(tmp_path)


@pytest.fixture
def here(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """An empty library whose runs take place in this process, whoever starts them."""
    with dg.DagsterInstance.ephemeral() as instance:
        monkeypatch.setattr(launch, "start_ingest", start_here(instance))
        yield home


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A library whose runs are processes of their own and find the test's provider."""
    home = make_library(tmp_path)
    info = tmp_path / "plugins" / "excerpta_test_plugin-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: excerpta-test-plugin\nVersion: 1\n"
    )
    (info / "entry_points.txt").write_text(
        "[excerpta.providers]\ntests = tests.integration.graph.plugin:add\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{info.parent}")
    yield home
    for run in list_runs(home):
        if run.pid and not run.ended:
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
    for child in launch._CHILDREN.values():
        child.wait()
