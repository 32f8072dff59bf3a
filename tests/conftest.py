"""Models are unpacked and converted once for all tests of a session, in whatever process."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine draws slowly; that says nothing about the code under test.
settings.register_profile("excerpta", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("excerpta")

MODELS = "EXCERPTA_MODELS"


@pytest.fixture(scope="session", autouse=True)
def unsynced() -> Iterator[None]:
    """No file of a test has to outlive a power cut, and small libraries are mostly waiting for
    the disk. What is killed leaves the same files either way; other processes do wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _file: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The models of every library made here; a folder named beforehand is used and kept."""
    named = os.environ.get(MODELS)
    folder = Path(named) if named else tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MODELS, str(folder))
        # What commands print is as wide as in a pipe, whoever runs the tests.
        patch.delenv("COLUMNS", raising=False)
        yield folder
        # A folder of the session's own goes with it, and the environment's name is undone.
        for thread in threading.enumerate():
            if thread.name == "model-load":
                thread.join()
