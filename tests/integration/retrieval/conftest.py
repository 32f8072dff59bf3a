"""One small published library for every test here that does not change it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_query.library.home import Home
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.pipeline import Retriever
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

TEA = SmallDoc(
    "guides/tea.md",
    "# Tea\n\n## Green\n\nGreen tea is steamed right after picking. It is not oxidised.\n\n"
    "## Black\n\nBlack tea is fully oxidised before it is dried.\n\n"
    "## Brewing\n\nWater for green tea should not boil.",
    tags=("drink", "leaf"),
    topics=("kitchen",),
)
COFFEE = SmallDoc(
    "guides/coffee.md",
    "# Coffee\n\nCoffee beans are roasted.\n\n## Errors\n\n"
    "The code E1234 means that the water tank is empty.\n\n```\nraise_tank_error(E1234)\n```",
    tags=("drink",),
    paged=True,
    days=10,
    asset_ids=("a" * 64,),
)
CHINESE = SmallDoc(
    "zh/绿茶.md",
    "# 绿茶\n\n绿茶是不发酵的茶，采摘后立即蒸青。\n\n## 冲泡\n\n泡绿茶的水不要煮沸。",
    collection="中文",
    language="zh",
    days=20,
    source_type="manual",
)
RECORDS = tuple(
    SmallDoc(
        "corpus.jsonl",
        f"# Record {number}\n\nRecord {number} speaks of bicycles and gear number {number}.",
        collection="records",
        external_id=str(number),
        days=30 + number,
    )
    for number in range(12)
)
DOCUMENTS = (TEA, COFFEE, CHINESE, *RECORDS)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return build_library(tmp_path_factory.mktemp("library"), DOCUMENTS)


@pytest.fixture(scope="session")
def retriever(home: Home) -> Iterator[Retriever]:
    with open_retriever(home) as opened:
        yield opened


@pytest.fixture
def own_home(home: Home, tmp_path: Path) -> Home:
    """A copy of the test's own, to be changed or broken; no query left a trace in it yet."""
    copy = tmp_path / "library"
    shutil.copytree(home.root, copy, ignore=shutil.ignore_patterns("traces"))
    return Home.resolve(copy)
