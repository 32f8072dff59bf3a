"""Runs in the test's own process, which saves starting one for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import dagster as dg

from rag_assets.definitions import defs
from rag_assets.launch import RANGE_END_TAG, RANGE_START_TAG, RunHandle, _config
from rag_assets.resources import LibraryResource
from rag_assets.run_process import _end
from rag_assets.run_status import RunFiles, RunStatus
from rag_query.contracts.ingestion import VersionPolicy
from rag_query.library.home import Home
from rag_query.library.settings import load_settings

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def execute(
    home: Home,
    instance: dg.DagsterInstance,
    *,
    job: str = "ingest",
    shards: tuple[str, str] | None = None,
    policy: VersionPolicy = "skip",
    paths: Sequence[Path] = (),
) -> tuple[dg.ExecuteInProcessResult, RunStatus]:
    """One run of a job, over all shards of the library or from the first to the last of two."""
    names = load_settings(home).shard_names
    first, last = shards or (names[0], names[-1])
    result = defs.resolve_job_def(job).execute_in_process(
        instance=instance,
        resources={"library": LibraryResource(home=str(home.root))},
        tags={RANGE_START_TAG: first, RANGE_END_TAG: last},
        run_config=QUIET | _config(policy, paths),
        raise_on_error=False,
    )
    return result, RunFiles(home).read(result.run_id)


def start_here(instance: dg.DagsterInstance) -> Callable[..., RunHandle]:
    """What takes the place of ``launch.start_ingest``: its run has ended when it returns."""

    def start(
        home: Home,
        *,
        retry_failed: bool = False,
        policy: VersionPolicy = "skip",
        paths: Sequence[Path] = (),
    ) -> RunHandle:
        assert not retry_failed
        result, status = execute(home, instance, policy=policy, paths=paths)
        _end(home, status.run_id, "success" if result.success else "failure")
        return RunHandle(status.run_id, None, "process")

    return start
