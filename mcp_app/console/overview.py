"""Page one: what is in force, how much there is, how well it goes (DEV_SPEC 3.5.5.3)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mcp_app.console.library import ConsoleLibrary
from mcp_app.console.rendering import page
from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.snapshot import SnapshotManifest
from rag_query.library.manifests import load_manifest, snapshot_numbers
from rag_query.strategies.strategy import Stages, parse_strategy
from rag_query.tracing.store import TraceFilter, TraceStats

_SNAPSHOTS = 8
_DAY = timedelta(days=1)


def routes(library: ConsoleLibrary) -> list[Route]:
    """``/``"""

    def overview(request: Request) -> Response:
        snapshot = library.snapshot_or_none()
        since = datetime.now(UTC) - _DAY
        queries = TraceFilter(trace_type="query", since=since, evaluations="none", nested=False)
        runs = TraceFilter(trace_type="ingestion", since=since, without=library.under_way())
        hours = library.traces.stats(queries, bucket="hour")
        return page(
            request,
            "overview.html",
            snapshot=snapshot.manifest if snapshot else None,
            statuses=snapshot.catalog.status_counts() if snapshot else {},
            growth=_growth(library, snapshot.manifest, since) if snapshot else {},
            stages=_stages(snapshot.manifest) if snapshot else [],
            queries=library.traces.stats(queries)[0],
            runs=library.traces.stats(runs)[0],
            latency=_series(hours),
            snapshots=_snapshots(library),
        )

    return [Route("/", overview)]


def _stages(manifest: SnapshotManifest) -> list[dict[str, Any]]:
    """Every stage with its provider, whatever they are."""
    strategy = parse_strategy(manifest.strategy)
    return [
        {
            "stage": name,
            "provider": strategy.stage(name).provider,
            "params": strategy.stage(name).params,
            "profile_id": manifest.profile_ids.get(name),
        }
        for name in Stages.model_fields
    ]


def _growth(library: ConsoleLibrary, current: SnapshotManifest, since: datetime) -> dict[str, int]:
    """Counts of the current snapshot less those of the newest one that is older than a day."""
    older = [number for number in snapshot_numbers(library.home) if number < current.number]
    for before in _readable(library, reversed(older)):
        if before.created_at <= since:
            return {
                name: count - before.counts.get(name, 0) for name, count in current.counts.items()
            }
    return dict(current.counts) if current.created_at > since else {}


def _snapshots(library: ConsoleLibrary) -> list[SnapshotManifest]:
    numbers = snapshot_numbers(library.home)[-_SNAPSHOTS:]
    return list(_readable(library, reversed(numbers)))


def _readable(library: ConsoleLibrary, numbers: Iterable[int]) -> Iterator[SnapshotManifest]:
    """The manifests; one that is damaged, or was just collected, must not hide the page."""
    for number in numbers:
        with contextlib.suppress(ExcerptaError):
            yield load_manifest(library.home, number)


def _series(hours: Sequence[TraceStats]) -> dict[str, Any]:
    found = [hour for hour in hours if hour.start is not None]
    return {
        "labels": [int(hour.start.timestamp()) for hour in found if hour.start],
        "latency": [
            {"name": "median", "values": [hour.p50_ms for hour in found]},
            {"name": "95th percentile", "values": [hour.p95_ms for hour in found]},
        ],
        "counts": [
            {"name": "questions", "values": [hour.count for hour in found]},
            {"name": "failed", "values": [hour.errors for hour in found]},
        ],
    }
