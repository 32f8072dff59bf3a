"""The library as a Dagster resource: opened once a run, held against other runs."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Mapping

import dagster as dg
from pydantic import PrivateAttr

from rag_assets.context import StageContext
from rag_assets.dead_runs import settle_dead_runs
from rag_assets.event_log import quick_event_log
from rag_assets.launch import RANGE_END_TAG, RANGE_START_TAG, RETRY_TAG
from rag_assets.partitions import SHARDED, SHARDED_JOBS
from rag_assets.progress import RunProgress
from rag_assets.run_lock import hold_shards
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home
from rag_query.library.manifests import check_shards
from rag_query.library.settings import load_settings
from rag_query.strategies.strategy import load_strategy

_PARTITION_TAG = "dagster/partition"


class RunRefused(dg.DagsterError):
    """A run whose library cannot be opened for it; the message says why and what to do.

    Dagster shows its own errors as they are. Any other that a resource raises stands below
    "Error executing resource_fn on ResourceDefinition library", as the cause of that.
    """


class LibraryResource(dg.ConfigurableResource["LibraryResource"]):
    """The library the assets work on.

    One :class:`StageContext` serves all steps of a run in this process, so the embedding model is
    loaded once.
    """

    home: str
    strategy: str | None = None

    _context: StageContext | None = PrivateAttr(default=None)
    _progress: RunProgress | None = PrivateAttr(default=None)

    @property
    def context(self) -> StageContext:
        """What stage functions take. Only within a run."""
        if self._context is None:
            raise dg.DagsterInvariantViolationError("the library is opened by a run")
        return self._context

    @property
    def progress(self) -> RunProgress:
        """The run's status file. Only within a run."""
        if self._progress is None:
            raise dg.DagsterInvariantViolationError("the library is opened by a run")
        return self._progress

    @contextlib.contextmanager
    def yield_for_execution(
        self, context: dg.InitResourceContext
    ) -> Generator[LibraryResource, None, None]:
        """Open the library and hold the run's shards until the run ends.

        Raises :class:`RunRefused` with what settings and strategy say, or for a run of sharded
        assets without shards, or with some that the library has not.
        """
        run, instance = context.run, context.instance
        if run is None or instance is None:
            yield self  # to a sensor, which only needs to know where the library is
            return
        try:
            opened = self._opened(run)
            names = opened.settings.shard_names
            shards = _shards(run.tags, names)
        except ExcerptaError as exc:
            raise RunRefused(str(exc)) from exc
        home = opened.home
        progress = RunProgress.of_run(home, run.run_id, run.job_name, shards or names)
        if shards is None and _takes_shards(run):
            error = _no_shards(names)
            progress.failed(error)
            raise RunRefused(str(error)) from error
        whole = shards is None or shards == names

        def on_wait() -> None:
            # The run waited for may itself be waiting for what a dead one holds.
            settle_dead_runs(home, instance)
            progress.waiting()

        with (
            quick_event_log(),
            hold_shards(home, shards or names, whole=whole, on_wait=on_wait),
        ):
            settle_dead_runs(home, instance)
            self._context, self._progress = opened, progress
            progress.running()
            try:
                with progress.telling_waits():
                    yield self
            finally:
                self._context = self._progress = None

    def _opened(self, run: dg.DagsterRun) -> StageContext:
        home = Home.resolve(self.home)
        settings = load_settings(home)
        check_shards(home, settings)
        return StageContext(
            home,
            settings,
            load_strategy(self.strategy or settings.strategy),
            run.run_id,
            retry_failed=run.tags.get(RETRY_TAG) == "true",
        )


def _takes_shards(run: dg.DagsterRun) -> bool:
    if not run.asset_selection:
        return run.job_name in SHARDED_JOBS
    return any(key.path[-1] in SHARDED for key in run.asset_selection)


def _no_shards(names: list[str]) -> ExcerptaError:
    """The error of a run that names no shards; Dagster's own, at the first step, does not say how
    to name them."""
    return ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        "This run was launched without saying which shards it takes.",
        hint=f"Choose partitions where it is launched, or give it the tags {RANGE_START_TAG} and "
        f"{RANGE_END_TAG}: {names[0]} and {names[-1]} are all of them.",
    )


def _shards(tags: Mapping[str, str], names: list[str]) -> list[str] | None:
    """The shards of a run; None when it has no partitions, and so works on the whole.

    Raises ExcerptaError ``INVALID_ARGUMENT`` for shards of a library that has more of them.
    """
    if _PARTITION_TAG in tags:
        first = last = tags[_PARTITION_TAG]
    elif RANGE_START_TAG in tags:
        first, last = tags[RANGE_START_TAG], tags[RANGE_END_TAG]
    else:
        return None
    if unknown := [name for name in (first, last) if name not in names]:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"The library in `home` has no shard {unknown[0]}.",
            hint=f"It has {names[0]} to {names[-1]}. The Dagster UI shows the shards of "
            "one library, which `excerpta ui --home FOLDER` names.",
        )
    return names[names.index(first) : names.index(last) + 1]
