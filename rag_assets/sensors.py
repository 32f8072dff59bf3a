"""Watches the inbox; off until it is switched on in the UI."""

from __future__ import annotations

import dagster as dg

from rag_assets.jobs import ingest
from rag_assets.resources import LibraryResource
from rag_assets.sources.walk import walk_roots
from rag_query.library.home import Home
from rag_query.library.settings import INBOX_ROOT, allowed_roots, load_settings, load_sources
from rag_query.text.ids import profile_id


@dg.sensor(
    job=ingest,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Starts an ingest when the inbox has changed and then stayed as it is for a tick.",
)
def inbox_changed(
    context: dg.SensorEvaluationContext, library: LibraryResource
) -> dg.RunRequest | dg.SkipReason:
    now = inbox_fingerprint(Home.resolve(library.home))
    seen, _, ingested = (context.cursor or "").partition(" ")
    if now == ingested:
        return dg.SkipReason("The inbox is as it was ingested.")
    if now != seen:
        # A copy under way changes from tick to tick; it is ingested once it is at rest.
        context.update_cursor(f"{now} {ingested}")
        return dg.SkipReason("The inbox is changing.")
    context.update_cursor(f"{now} {now}")
    # Without a key: an inbox that is as it was some time ago has changed all the same.
    return dg.RunRequest()


def inbox_fingerprint(home: Home) -> str:
    """sha256 over names, sizes and times of the inbox's files. Reads no content."""
    sources = load_sources(home)
    inbox = [root for root in sources.roots if root.name == INBOX_ROOT]
    walk = walk_roots(inbox, allowed_roots(load_settings(home), sources), home.root)
    files = [[repr(file.rel_path), file.size, file.mtime_ns] for file in walk.files]
    return profile_id(files)


SENSORS = [inbox_changed]
