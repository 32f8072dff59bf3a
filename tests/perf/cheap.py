"""Runs whose embedder costs next to nothing, for figures that are about everything else.

The embedder hashes words (``tests/hashed_words.py``); it reaches the run's own process through
the entry point a package would use.
"""

from __future__ import annotations

import os
from pathlib import Path

import yaml

from rag_query.strategies.strategy import load_strategy
from tests.perf.library import Work

_ROOT = Path(__file__).parents[2]


class CheapWork(Work):
    """A :class:`Work` whose commands know the provider ``embedder.patient``."""

    def environment(self) -> dict[str, str]:
        """See :meth:`Work.environment`."""
        info = self.root / "plugin" / "excerpta_bench_plugin-1.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: excerpta-bench-plugin\nVersion: 1\n"
        )
        (info / "entry_points.txt").write_text(
            "[excerpta.providers]\nbench = tests.integration.graph.plugin:add\n"
        )
        paths = [str(_ROOT), str(info.parent), os.environ.get("PYTHONPATH", "")]
        return super().environment() | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def strategy(self) -> str:
        """The default strategy with that embedder, as a file."""
        document = load_strategy().model_dump(mode="json")
        document["stages"]["embedder"] = {"provider": "embedder.patient", "params": {}}
        path = self.root / "cheap.yaml"
        path.write_text(yaml.safe_dump(document))
        return str(path)
