"""Strategies against each other: a side generation rebuilds what differs and shares the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rag_assets.context import StageContext
from rag_assets.evaluation.side import SHARD_STAGES
from rag_assets.evaluation.subjects import load_strategies, prepare
from rag_assets.indexes import bm25
from rag_assets.indexes.heads import vector_head
from rag_assets.publication.publish import publish
from rag_assets.sources import documents
from rag_assets.sources.inventory import take_inventory
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.evaluation.comparison import compare
from rag_query.evaluation.datasets import load_dataset
from rag_query.evaluation.evaluate import evaluate
from rag_query.evaluation.evaluator import EvalSettings
from rag_query.library.create import create_library
from rag_query.library.home import Home
from rag_query.library.manifests import current_number
from rag_query.library.settings import load_settings
from rag_query.library.sides import prune_sides
from rag_query.library.snapshot import Library
from rag_query.strategies.strategy import StageConfig, Strategy
from tests.hashed_words import small_strategy

TEXT = "# {0}\n\n" + " ".join(
    f"The {{0}} sentence number {n} speaks of subject {n * 7} and nothing else." for n in range(30)
)


def strategy(**params: dict[str, Any]) -> Strategy:
    """The small strategy with other parameters of some stages."""
    made = small_strategy()
    stages = {
        name: StageConfig(provider=made.stage(name).provider, params=given)
        for name, given in params.items()
    }
    return made.model_copy(
        update={"name": "other", "stages": made.stages.model_copy(update=stages)}
    )


def ingest(home: Home) -> None:
    ctx = StageContext(home, load_settings(home), small_strategy(), "run")
    take_inventory(ctx)
    shards = ctx.settings.shard_names
    for stage in (documents.run, *SHARD_STAGES.values()):
        for shard in shards:
            stage(ctx, shard)
    bm25.run(ctx, shards)
    publish(ctx)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    made = Home(tmp_path_factory.mktemp("sides") / "lib")
    create_library(made, shards=2)
    for name in ("tea", "radar"):
        (made.inbox / f"{name}.md").write_text(TEXT.format(name))
    ingest(made)
    return made


SMALLER = {"chunk_size": 60, "chunk_overlap": 0, "length_function": "estimated_tokens"}


def test_only_what_differs_is_rebuilt(home: Home) -> None:
    before = {path: path.read_bytes() for path in home.tables.rglob("*.json")}
    prepared = prepare(home, strategy(chunker=SMALLER))
    side = prepared.side
    assert side is not None
    assert {name for name, n in side.computed.items() if n == 0} >= {
        "parsed", "media", "normalized", "sections"
    }  # fmt: skip
    assert side.computed["chunks"] == 2
    assert (
        prepared.subject.snapshot.manifest.counts["chunks"]
        > (prepared.subject.reference.manifest.counts["chunks"])
    )
    # The library itself is as it was.
    assert current_number(home) == 1
    assert {path: path.read_bytes() for path in home.tables.rglob("*.json")} == before


def test_strategies_that_ingest_alike_share_a_side(home: Home) -> None:
    first = prepare(home, strategy(chunker=SMALLER)).side
    again = prepare(home, strategy(chunker=SMALLER, fusion={"method": "rrf"})).side
    assert first is not None and again is not None
    assert again.name == first.name
    assert set(again.computed.values()) == {0}


def test_a_strategy_that_only_searches_otherwise_needs_no_side(home: Home) -> None:
    prepared = prepare(home, strategy(fusion={"method": "rrf"}))
    assert prepared.side is None
    assert prepared.subject.home == home


def test_cases_name_passages_that_other_chunks_cover(home: Home) -> None:
    dataset = load_dataset(home, "synthetic", Library.open(home).snapshot)
    settings = EvalSettings(top_k=20)
    base, base_cases = evaluate(home, dataset, prepare(home).subject, settings)
    prepared = prepare(home, strategy(chunker=SMALLER))
    other, other_cases = evaluate(home, dataset, prepared.subject, settings)
    assert (base.metrics["HitRate@10"], other.metrics["HitRate@10"]) == (1.0, 1.0)
    assert other.side and other.side == (prepared.side and prepared.side.name)
    made = compare(base, base_cases, other, other_cases, by="nDCG@10")
    assert {row.name for row in made.differences} >= {"nDCG@10", "MRR@10", "HitRate@10"}


def test_a_side_follows_the_published_documents(home: Home) -> None:
    prepare(home, strategy(chunker=SMALLER))
    (home.inbox / "new.md").write_text(TEXT.format("novelty"))
    ingest(home)
    side = prepare(home, strategy(chunker=SMALLER)).side
    assert side is not None
    assert (side.computed["parsed"], side.computed["chunks"]) == (1, 1)
    assert Library.open(side.home).snapshot().manifest.counts["documents"] == 3


def test_a_side_with_another_embedder_of_a_library_with_an_emptied_shard(tmp_path: Path) -> None:
    made = Home(tmp_path / "lib")
    create_library(made, shards=8)
    for name in ("tea", "radar"):
        (made.inbox / f"{name}.md").write_text(TEXT.format(name))
    ingest(made)
    assert len(vector_head(made).holder) == 2
    (made.inbox / "tea.md").unlink()
    ingest(made)
    side = prepare(made, strategy(embedder={"version": "2"})).side
    assert side is not None
    assert Library.open(side.home).snapshot().manifest.counts["documents"] == 1


def test_sides_nobody_asks_for_go(home: Home) -> None:
    side = prepare(home, strategy(chunker=SMALLER)).side
    assert side is not None
    assert prune_sides(home, before=0) == []
    assert prune_sides(home, before=2**40) == [side.name]
    assert (home.root / "raw").is_dir() and list(home.raw.rglob("*"))


def test_a_typo_in_a_strategy_names_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "typo.yaml"
    full = strategy().model_dump(mode="json")
    full["stages"]["chunker"] = {"provider": "chunker.rcts_within_sectoin"}
    path.write_text(yaml.safe_dump(full))
    with pytest.raises(ExcerptaError) as caught:
        load_strategies([str(path)])
    assert caught.value.code == ErrorCode.UNKNOWN_PROVIDER
    assert "Did you mean 'chunker.rcts_within_section'?" in str(caught.value)
    typo = {"provider": "chunker.rcts_within_section", "params": {"chunk_sise": 3}}
    full["stages"]["chunker"] = typo
    path.write_text(yaml.safe_dump(full))
    with pytest.raises(ExcerptaError) as caught:
        load_strategies([str(path)])
    assert "Did you mean 'chunk_size'?" in str(caught.value)
