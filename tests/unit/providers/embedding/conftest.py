"""The shipped models, ready to embed."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_query.providers.embedding.models import ensure_model
from rag_query.providers.embedding.openvino import OpenVinoEmbedder, OpenVinoParams


@pytest.fixture(scope="session")
def e5(models_dir: Path) -> OpenVinoEmbedder:
    folder = ensure_model("multilingual-e5-small", models_dir)
    return OpenVinoEmbedder(folder, OpenVinoParams(model="multilingual-e5-small"))


@pytest.fixture(scope="session")
def minilm(models_dir: Path) -> OpenVinoEmbedder:
    folder = ensure_model("all-MiniLM-L6-v2", models_dir)
    return OpenVinoEmbedder(folder, OpenVinoParams(model="all-MiniLM-L6-v2"))
