"""Jobs: the whole path, the path after the sources, publication alone, evaluation.

Those of ingestion take all shards in one run unless they are started for some of them.
"""

from __future__ import annotations

import dagster as dg

from rag_assets.launch import RANGE_END_TAG, RANGE_START_TAG
from rag_assets.partitions import SHARDS, STAGES

SOURCES = ["inventory", "documents"]
PUBLICATION = ["published"]

_KEYS = SHARDS.get_partition_keys()
ALL_SHARDS = {RANGE_START_TAG: _KEYS[0], RANGE_END_TAG: _KEYS[-1]}

ingest = dg.define_asset_job(
    "ingest",
    selection=dg.AssetSelection.assets(*SOURCES, *STAGES, *PUBLICATION),
    run_tags=ALL_SHARDS,
    description="From the source folders to a published snapshot; only what changed is done.",
)

reindex = dg.define_asset_job(
    "reindex",
    selection=dg.AssetSelection.assets(*STAGES, *PUBLICATION),
    run_tags=ALL_SHARDS,
    description="Everything after the sources, from the bytes the library holds.",
)

publish = dg.define_asset_job(
    "publish",
    selection=dg.AssetSelection.assets(*PUBLICATION),
    description="Check and publish what the last runs made.",
)

evaluate = dg.define_asset_job(
    "evaluate",
    selection=dg.AssetSelection.assets("retrieval_quality"),
    description="How well the published snapshot answers a dataset under a strategy.",
)

compact = dg.define_asset_job(
    "compact_traces",
    selection=dg.AssetSelection.assets("compacted_traces"),
    description="Lines of traces become Parquet.",
)

JOBS = [ingest, reindex, publish, evaluate, compact]
