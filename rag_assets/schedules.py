"""What is done at night; each is off until it is switched on in the UI."""

from collections.abc import Iterator

import dagster as dg

from rag_assets.evaluation.asset import register_partitions
from rag_assets.evaluation.resource import EvaluatedLibrary
from rag_assets.jobs import compact, evaluate, ingest
from rag_assets.maintenance.clean_up import clean_up

nightly = dg.ScheduleDefinition(
    name="nightly_ingest",
    job=ingest,
    cron_schedule="0 3 * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Ingests what changed in the source folders, at three in the morning (UTC).",
)


@dg.schedule(
    job=evaluate,
    cron_schedule="0 5 * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description=(
        "Evaluates every dataset of the library under the published strategy, and under those "
        "added as partitions, at five in the morning (UTC)."
    ),
)
def nightly_evaluation(
    context: dg.ScheduleEvaluationContext, evaluated: EvaluatedLibrary
) -> Iterator[dg.RunRequest]:
    day = f"{context.scheduled_execution_time:%Y-%m-%d}"
    for key in register_partitions(context.instance, evaluated.place):
        yield dg.RunRequest(run_key=f"{day} {key}", partition_key=key)


trace_compaction = dg.ScheduleDefinition(
    name="trace_compaction",
    job=compact,
    cron_schedule="15 * * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Compacts what was traced since, every hour.",
)

nightly_clean_up = dg.ScheduleDefinition(
    name="nightly_clean_up",
    job=clean_up,
    cron_schedule="0 6 * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Removes what nothing needs any more, at six in the morning (UTC).",
)

SCHEDULES = [nightly, nightly_evaluation, trace_compaction, nightly_clean_up]
