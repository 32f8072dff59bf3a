"""The shard set: the partitions of every sharded asset (DESIGN 2)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import dagster as dg

from rag_assets.code_versions import library_settings

#: Fixed when the library is created; a library that does not exist yet shows the default number.
SHARDS = dg.StaticPartitionsDefinition(library_settings().shard_names)

OWNERS = ["team:library"]


def sharded_asset(**spec: Any) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """``@dg.asset`` partitioned by shards; one run takes as many of them as it is given."""
    with warnings.catch_warnings():
        # backfill_policy is documented and in use since 1.5, and still marked beta.
        warnings.simplefilter("ignore", dg.BetaWarning)
        decorator: Callable[[Callable[..., Any]], dg.AssetsDefinition] = dg.asset(
            partitions_def=SHARDS,
            backfill_policy=dg.BackfillPolicy.single_run(),
            owners=OWNERS,
            **spec,
        )
    return decorator
