"""The shard set: the partitions of every sharded asset (DESIGN 2)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import dagster as dg

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.library.settings import LibrarySettings, load_settings


@cache
def library_settings() -> LibrarySettings:
    """Settings of the library in ``EXCERPTA_HOME``; defaults when there is none yet."""
    try:
        return load_settings(Home.resolve())
    except ExcerptaError as exc:
        if exc.code is not ErrorCode.LIBRARY_NOT_FOUND:
            raise
        return LibrarySettings(library_id="", created_at="1970-01-01T00:00:00Z")


#: Fixed when the library is created; a library that does not exist yet shows the default number.
SHARDS = dg.StaticPartitionsDefinition(library_settings().shard_names)

#: Assets after the sources, in the order data takes.
STAGES = [
    "parsed",
    "media",
    "normalized",
    "sections",
    "chunks",
    "links",
    "enriched",
    "embeddings",
    "vector_index",
    "bm25_index",
]
#: Assets of which a run takes some shards or all.
SHARDED = frozenset({"documents", *STAGES})
#: Jobs of such assets, by name.
SHARDED_JOBS = frozenset({"ingest", "reindex"})

OWNERS = ["team:library"]


_OF_ONE_SHARD = (
    "The counts of a materialisation are those of its one shard (partition); the whole library is "
    "counted at `published` and in the checks."
)


def sharded_asset(
    *, description: str, **spec: Any
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """``@dg.asset`` partitioned by shards; one run takes as many of them as it is given."""
    with warnings.catch_warnings():
        # backfill_policy is documented and in use since 1.5, and still marked beta.
        warnings.simplefilter("ignore", dg.BetaWarning)
        decorator: Callable[[Callable[..., Any]], dg.AssetsDefinition] = dg.asset(
            partitions_def=SHARDS,
            backfill_policy=dg.BackfillPolicy.single_run(),
            owners=OWNERS,
            description=f"{description} {_OF_ONE_SHARD}",
            **spec,
        )
    return decorator
