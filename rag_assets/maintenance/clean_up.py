"""The job ``clean_up``: what no snapshot, head, comparison or person needs any more goes."""

from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import dagster as dg

from rag_assets.evaluation.resource import EvaluatedLibrary
from rag_assets.publication.gc import collect
from rag_assets.retention import prune_runs
from rag_query.evaluation.runs import prune
from rag_query.library.settings import load_settings
from rag_query.library.sides import prune_sides
from rag_query.tracing.compaction import prune_traces

#: A side generation nobody asked for goes after so long; it can be made again.
SIDES_KEPT = timedelta(days=14)
#: Evaluations are small and make the trend; the newest ones stay whatever their age.
EVALUATIONS_KEPT = timedelta(days=365)


@dg.op(description="Snapshots, files, traces, side generations, evaluations and old runs.")
def remove_what_is_not_needed(context: dg.OpExecutionContext, evaluated: EvaluatedLibrary) -> None:
    home = evaluated.place
    settings = load_settings(home)
    now = datetime.now(UTC)
    removed: dict[str, dg.MetadataValue] = {
        "trace files": dg.MetadataValue.int(prune_traces(home, keep_days=settings.trace_days)),
        "side generations": dg.MetadataValue.json(
            prune_sides(home, before=(now - SIDES_KEPT).timestamp())
        ),
        "evaluations": dg.MetadataValue.json(prune(home, before=now - EVALUATIONS_KEPT)),
        "runs": dg.MetadataValue.int(len(prune_runs(home, context.instance))),
        # Last, for it refuses while something is damaged, and the others need not wait for that.
        "collected": dg.MetadataValue.json(asdict(collect(home, settings))),
    }
    context.add_output_metadata(removed)


@dg.job(description="Removes what nothing needs any more.")
def clean_up() -> None:
    remove_what_is_not_needed()
