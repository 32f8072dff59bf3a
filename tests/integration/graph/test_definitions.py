"""The code location loads, and says of every asset what a person needs to know."""

from __future__ import annotations

import dagster as dg
import pytest

from rag_assets.definitions import ASSETS, defs
from rag_assets.evaluation.asset import PARTITIONS
from rag_assets.evaluation.side import BM25, SHARD_STAGES
from rag_assets.jobs import ALL_SHARDS, JOBS, SOURCES
from rag_assets.partitions import SHARDED, SHARDED_JOBS, SHARDS, STAGES

GRAPH = {
    "inventory": set(),
    "documents": {"inventory"},
    "parsed": {"documents"},
    "media": {"parsed"},
    "normalized": {"parsed", "media"},
    "sections": {"normalized"},
    "chunks": {"sections"},
    "links": {"normalized", "chunks"},
    "enriched": {"chunks", "media"},
    "embeddings": {"enriched"},
    "vector_index": {"embeddings", "documents", "parsed", "chunks"},
    "bm25_index": {"enriched", "embeddings", "documents", "parsed", "chunks"},
    "published": {"vector_index", "bm25_index", "links", "media", "normalized", "sections"},
    "retrieval_quality": {"published"},
    "compacted_traces": set(),
}


def test_it_is_valid() -> None:
    dg.Definitions.validate_loadable(defs)


def test_the_graph_is_that_of_the_design() -> None:
    specs = [spec for asset in ASSETS for spec in asset.specs]
    found = {
        spec.key.to_user_string(): {dep.asset_key.to_user_string() for dep in spec.deps}
        for spec in specs
    }
    assert found == GRAPH
    assert [*SOURCES, *STAGES, "published"] == list(GRAPH)[: len(SOURCES) + len(STAGES) + 1]
    assert [*SHARD_STAGES, BM25] == STAGES  # a side generation forgets none


@pytest.mark.parametrize("asset", ASSETS, ids=lambda asset: asset.key.to_user_string())
def test_every_asset_is_described(asset: dg.AssetsDefinition) -> None:
    (spec,) = asset.specs
    assert spec.description
    assert spec.kinds
    assert spec.owners
    assert spec.code_version
    assert spec.group_name != "default"
    partitioned = spec.key.to_user_string() not in ("inventory", "published", "compacted_traces")
    assert (asset.partitions_def is not None) == partitioned
    if partitioned and asset.partitions_def != PARTITIONS:
        assert asset.backfill_policy == dg.BackfillPolicy.single_run()


def test_a_run_without_shards_is_refused_of_every_job_and_asset_that_takes_them() -> None:
    taking = {job.name for job in JOBS if ALL_SHARDS.items() <= (job.run_tags or {}).items()}
    assert taking == SHARDED_JOBS
    by_shards = {a.key.to_user_string() for a in ASSETS if a.partitions_def == SHARDS}
    assert by_shards == SHARDED


def test_one_writer_of_the_bm25_index() -> None:
    bm25 = next(asset for asset in ASSETS if asset.key.to_user_string() == "bm25_index")
    assert bm25.op.pool == "index_writes"


def test_jobs_take_all_shards_in_one_run() -> None:
    for name in ("ingest", "reindex"):
        tags = defs.resolve_job_def(name).run_tags
        assert tags["dagster/asset_partition_range_start"] == "s00"
    assert defs.resolve_job_def("publish").partitions_def is None


def test_the_nightly_schedule_asks_for_a_run() -> None:
    schedule = defs.resolve_schedule_def("nightly_ingest")
    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_schedule_context(instance, repository_def=defs.get_repository_def())
        data = schedule.evaluate_tick(context)
    assert len(data.run_requests or []) == 1
