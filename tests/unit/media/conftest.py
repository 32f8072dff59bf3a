"""No test of media loads a model."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import MODELS


@pytest.fixture(autouse=True)
def _loads_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One that is loaded in the background outlives the test, and the folders it is loaded from."""
    models = tmp_path / "no models"
    monkeypatch.setenv(MODELS, str(models))
    yield
    for thread in threading.enumerate():
        if thread.name == "model-load":
            thread.join()
    assert not models.exists()
