"""The nightly ingest; off until it is switched on in the UI."""

from __future__ import annotations

import dagster as dg

from rag_assets.jobs import ingest

nightly = dg.ScheduleDefinition(
    name="nightly_ingest",
    job=ingest,
    cron_schedule="0 3 * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Ingests what changed in the source folders, at three in the morning (UTC).",
)

SCHEDULES = [nightly]
