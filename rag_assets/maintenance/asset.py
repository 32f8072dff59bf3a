"""The Dagster asset ``compacted_traces``."""

import dagster as dg

from rag_assets.evaluation.resource import EvaluatedLibrary
from rag_assets.partitions import OWNERS
from rag_query.tracing.compaction import compact_traces


@dg.asset(
    group_name="maintenance",
    kinds={"python", "parquet"},
    owners=OWNERS,
    code_version="1",
    description=(
        "Traces as Parquet, a row for lists beside each line as it was written. Lines go when "
        "their day is over and all of them are compacted."
    ),
)
def compacted_traces(evaluated: EvaluatedLibrary) -> dg.MaterializeResult[None]:
    done = compact_traces(evaluated.place)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": done.rows,
            "files": done.files,
            "removed line files": done.removed,
            "bytes of lines": done.bytes_in,
            "bytes of Parquet": done.bytes_out,
            "cut lines": done.counts.cut,
            "foreign lines": done.counts.foreign,
            "lines of older versions": done.counts.older,
            "lines of newer versions": done.counts.newer,
        }
    )
