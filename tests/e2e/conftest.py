"""A library ingested through the command line, as a user would, shared by all tests here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
HANDBOOK = """\
# Station Handbook

The station measures the height of the tide.

## Calibration

The float gauge must be calibrated every thirty days, at slack water.

## Backup

Copies of the records are encrypted with AES-256 every night.
"""
MANUAL_ZH = "# 观测手册\n\n## 备份\n\n数据每天晚上加密备份一次，密钥保存在保险柜里。\n"
#: Starts like a PDF, is none.
BROKEN_PDF = b"%PDF-1.7\nnothing that a reader understands\n"


@dataclass(frozen=True)
class Excerpta:
    """The command line with a library, run as a process of its own."""

    home: Path
    environment: Mapping[str, str]

    def copied(self, folder: Path) -> Excerpta:
        """A copy of the library."""
        return Excerpta(shutil.copytree(self.home, folder / "home"), self.environment)

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "mcp_app", "--home", str(self.home)]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.command, *arguments],
            capture_output=True,
            text=True,
            env=dict(self.environment),
            timeout=240,
            check=False,
        )

    @contextmanager
    def serving(self, *options: str, **environment: str) -> Iterator[str]:
        """An HTTP server on a free port of loopback; the URL of its MCP endpoint."""
        process = subprocess.Popen(
            [*self.command, "mcp", "--http", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=dict(self.environment) | environment,
        )
        with process:
            try:
                assert process.stdout is not None
                url = process.stdout.readline().strip()
                assert url.startswith("http://127.0.0.1:"), url
                yield url
            finally:
                process.terminate()
                try:
                    process.wait(10)
                finally:
                    process.kill()

    def json(self, *arguments: str) -> Any:
        """The document a command prints on stdout, which must be all it prints there."""
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def environment(models_dir: Path) -> dict[str, str]:
    """What the developer's shell says of libraries does not count."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("EXCERPTA_")}
    return kept | {"EXCERPTA_MODELS": str(models_dir), "EXCERPTA_EMBEDDER_WAIT_S": "120"}


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two documents that can be read and one that cannot."""
    folder = tmp_path_factory.mktemp("sources") / "station"
    folder.mkdir()
    (folder / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    (folder / "观测手册.md").write_text(MANUAL_ZH, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(BROKEN_PDF)
    return folder


@pytest.fixture(scope="session")
def excerpta(
    tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str], documents: Path
) -> Excerpta:
    """The command line with the documents ingested."""
    made = Excerpta(tmp_path_factory.mktemp("library") / "home", environment)
    # A run takes the longer the more shards there are; the samples have as many as by default.
    made.json("init", "--shards", "2")
    result = made.json("ingest", str(documents), "--tag", "station")
    assert result["counts"]["failed"] == 1, result
    return made


@pytest.fixture(scope="session")
def sample_library(
    tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]
) -> Excerpta:
    """A library of the samples, made by its first ingest; only to be copied."""
    made = Excerpta(tmp_path_factory.mktemp("samples") / "home", environment)
    result = made.json("ingest", str(SAMPLES))
    assert result["counts"]["failed"] == 0
    return made


@pytest.fixture(scope="session")
def http_url(excerpta: Excerpta) -> Iterator[str]:
    """A server that listens on loopback without a token."""
    with excerpta.serving() as url:
        yield url
