"""Old runs go, so that Dagster's records and the status files do not grow without end.

A run that made the latest materialisation of any partition stays whatever its age: without it the
UI would show the partition as missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag_query.library.home import Home

if TYPE_CHECKING:
    from dagster import DagsterInstance

KEEP_RUNS = 200


def prune_runs(home: Home, instance: DagsterInstance, *, keep: int = KEEP_RUNS) -> list[str]:
    """Delete ended runs beyond the newest ``keep``, with their status and log files; their ids."""
    import dagster as dg

    ended = [
        dg.DagsterRunStatus.SUCCESS,
        dg.DagsterRunStatus.FAILURE,
        dg.DagsterRunStatus.CANCELED,
    ]
    if instance.get_runs_count() <= keep:
        return []
    old = instance.get_runs(filters=dg.RunsFilter(statuses=ended))[keep:]
    needed = _latest_materializations(instance) if old else set()
    pruned = [run.run_id for run in old if run.run_id not in needed]
    for run_id in pruned:
        instance.delete_run(run_id)
        (home.jobs / f"{run_id}.json").unlink(missing_ok=True)
        (home.logs / f"run-{run_id}.log").unlink(missing_ok=True)
    return pruned


def _latest_materializations(instance: DagsterInstance) -> set[str]:
    """Runs that made the newest materialisation of a partition or an asset."""
    import dagster as dg

    made = dg.DagsterEventType.ASSET_MATERIALIZATION
    needed: set[str] = set()
    for key in instance.all_asset_keys():
        latest = instance.get_latest_materialization_event(key)
        if latest is not None:
            needed.add(latest.run_id)
        by_partition = instance.event_log_storage.get_latest_storage_id_by_partition(key, made)
        if by_partition:
            ids = list(by_partition.values())
            filters = dg.EventRecordsFilter(made, asset_key=key, storage_ids=ids)
            records = instance.event_log_storage.get_event_records(filters)
            needed |= {record.event_log_entry.run_id for record in records}
    return needed
