"""Dropping versions of a table of the vector index that nothing needs any more.

The clock may have been set between two versions, so their moments need not lie in their order.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from rag_assets.indexes.vector import NEVER
from rag_assets.publication.publish import TAG_PREFIX
from rag_query.library.home import Home
from rag_query.library.lance import version_file

#: LanceDB prunes by age alone, so versions made this shortly before a needed one stay with it.
_MARGIN_S = 60.0


def prune(table: Any, tags: Collection[str], keep: Collection[int], *, dry_run: bool) -> int:
    """Drop the tags of snapshots but ``tags``, then versions older than each that is needed. Tags
    of snapshots that went before, or never came to be, go too.

    LanceDB prunes what was made before a moment, and refuses where that holds a tagged version:
    what was made between needed versions goes when the older of them does, and nothing goes
    while a needed version's moment is still to come.

    Args:
        table: a ``lancedb.Table`` nobody else writes to.
        keep: numbers of versions that are needed besides tagged ones and the latest.

    Returns:
        How many versions went; with ``dry_run`` how many would.
    """
    held = table.tags.list()
    doomed = _doomed(held, tags)
    needed = {table.version, *keep, *(held[tag]["version"] for tag in held.keys() - doomed)}
    # LanceDB gives local times without a zone.
    made = {v["version"]: v["timestamp"].timestamp() for v in table.list_versions()}
    cut = min(moment for version, moment in made.items() if version in needed) - _MARGIN_S
    old = [version for version, moment in made.items() if moment < cut < time.time()]
    if dry_run:
        return len(old)
    for tag in doomed:
        table.tags.delete(tag)
    if not old:
        return 0
    # Compact first: the age below counts from the moment LanceDB comes to pruning.
    table.optimize(cleanup_older_than=NEVER)
    table.optimize(cleanup_older_than=timedelta(seconds=time.time() - cut))
    return len(made.keys() - _versions(table))


def keep_only(home: Home, table: Any, tags: Collection[str], keep: Collection[int]) -> int:
    """Drop every version but ``keep`` and the latest, whenever they were made, with every file
    that only they name.

    Args:
        table: a ``lancedb.Table`` nobody else writes to.
        tags: those of snapshots that stay.

    Returns:
        How many versions went.

    Raises:
        OSError: the disk refused, or LanceDB keeps versions elsewhere.
    """
    for tag in _doomed(table.tags.list(), tags):
        table.tags.delete(tag)
    before = _versions(table)
    # LanceDB's own way goes by age, and so not far enough where the clock ran ahead.
    for version in before - {table.version, *keep}:
        version_file(home, table.name, version).unlink()
    table.optimize(cleanup_older_than=NEVER, delete_unverified=True)
    return len(before - _versions(table))


def _doomed(held: Collection[str], tags: Collection[str]) -> set[str]:
    return {tag for tag in held if tag.startswith(TAG_PREFIX) and tag not in tags}


def _versions(table: Any) -> set[int]:
    return {version["version"] for version in table.list_versions()}
