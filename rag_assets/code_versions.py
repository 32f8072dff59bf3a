"""The ``code_version`` of each asset: the profile id of its stage in the library's strategy.

After a change of strategy the Dagster UI so shows which partitions are out of date.
"""

from __future__ import annotations

from functools import cache

from rag_assets.partitions import library_settings
from rag_query.providers.registry import REGISTRY
from rag_query.strategies.strategy import Strategy, load_strategy
from rag_query.text.ids import profile_id

#: Version of the stages that no provider implements; raised when their rules change.
SOURCES_VERSION = "1"

# Every asset has a version: wherever there are assets, what a strategy may name can be found.
REGISTRY.built_in.append("rag_assets.providers")

LOADERS = ("loader_markdown", "loader_pdf", "loader_html", "loader_text", "loader_record")


@cache
def _strategy() -> Strategy:
    return load_strategy(library_settings().strategy)


def code_version(*stages: str) -> str:
    """Profile id of one stage, or one over several."""
    ids = [_strategy().profile_id(stage) for stage in stages]
    return ids[0] if len(ids) == 1 else profile_id(ids)
