"""Watches the inbox; off until it is switched on in the UI."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import NamedTuple

import dagster as dg

from rag_assets.jobs import ingest
from rag_assets.resources import LibraryResource
from rag_assets.sources.walk import walk_roots
from rag_query.library.home import Home
from rag_query.library.settings import load_settings
from rag_query.library.sources import INBOX_ROOT, allowed_roots, load_sources
from rag_query.text.ids import profile_id

#: Of the runs that the sensor asked for: when it did.
ASKED_TAG = "excerpta/inbox_asked"
#: Between a first run that did not succeed and the next; doubled each time, up to the longest.
FIRST_WAIT_S = 120
LONGEST_WAIT_S = 6 * 3600


class Cursor(NamedTuple):
    """What the sensor knows from tick to tick; earlier releases kept the first two.

    Attributes:
        seen: the inbox at the last tick.
        ingested: the inbox as it was taken in; empty from when a run is asked for until one
            succeeds, since nobody knows how far the others came.
        asked: the value of :data:`ASKED_TAG` on the last run asked for ``seen``.
        runs: how many were asked for ``seen``.
    """

    seen: str
    ingested: str
    asked: str = ""
    runs: int = 0

    @classmethod
    def of(cls, text: str | None) -> Cursor:
        """What :meth:`text` made."""
        seen, ingested, asked, runs, *_ = [*(text or "").split(" "), "", "", "", ""]
        return cls(seen, ingested, asked, int(runs or 0))

    def text(self) -> str:
        """As Dagster keeps it."""
        return " ".join(map(str, self))


@dg.sensor(
    job=ingest,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description=(
        "Starts an ingest when the inbox has changed and then stayed as it is for a tick; again, "
        "ever more rarely, where the ingest did not succeed."
    ),
)
def inbox_changed(
    context: dg.SensorEvaluationContext, library: LibraryResource
) -> dg.RunRequest | dg.SkipReason:
    now = inbox_fingerprint(Home.resolve(library.home))
    cursor = Cursor.of(context.cursor)
    if now == cursor.ingested:
        return dg.SkipReason("The inbox is as it was ingested.")
    if now != cursor.seen:
        # A copy under way changes from tick to tick; it is ingested once it is at rest.
        context.update_cursor(Cursor(now, cursor.ingested).text())
        return dg.SkipReason("The inbox is changing.")
    if cursor.asked:
        run = _run_asked(context.instance, cursor.asked)
        if run is not None and run.dagster_run.is_success:
            context.update_cursor(Cursor(now, now).text())
            return dg.SkipReason("The inbox is as it was ingested.")
        if (reason := _why_not_again(cursor, run)) is not None:
            return dg.SkipReason(reason)
    asked = f"{time.time():.3f}"
    context.update_cursor(Cursor(now, "", asked, cursor.runs + 1).text())
    # Without a key: an inbox that is as it was some time ago has changed all the same.
    return dg.RunRequest(tags={ASKED_TAG: asked})


def _run_asked(instance: dg.DagsterInstance, asked: str) -> dg.RunRecord | None:
    found = instance.get_run_records(dg.RunsFilter(tags={ASKED_TAG: asked}), limit=1)
    return found[0] if found else None


def _why_not_again(cursor: Cursor, run: dg.RunRecord | None) -> str | None:
    """Why no other run is asked for the inbox now, after one that has not succeeded (None: it was
    never made, or its record is gone); None when it is time."""
    if run is not None and not run.dagster_run.is_finished:
        return "The ingest of the inbox has not ended."
    ended = (run.end_time if run is not None else None) or float(cursor.asked)
    # What fails always must not run without end.
    due = ended + min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (cursor.runs - 1))
    if time.time() >= due:
        return None
    when = f"{datetime.fromtimestamp(due, UTC):%Y-%m-%d %H:%M:%S} UTC"
    return (
        f"The ingest of the inbox has not succeeded ({cursor.runs} tried); it is tried again "
        f"after {when}, or once the inbox changes."
    )


def inbox_fingerprint(home: Home) -> str:
    """sha256 over names, sizes and times of the inbox's files. Reads no content."""
    sources = load_sources(home)
    inbox = [root for root in sources.roots if root.name == INBOX_ROOT]
    walk = walk_roots(inbox, allowed_roots(load_settings(home), sources), home.root)
    files = [[repr(file.rel_path), file.size, file.mtime_ns] for file in walk.files]
    return profile_id(files)


SENSORS = [inbox_changed]
