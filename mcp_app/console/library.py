"""What every page reads: one library, opened once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_app.console.evaluation_runs import EvaluationRuns
from mcp_app.service import NOTHING_THERE, LibraryService
from rag_query.contracts.errors import ExcerptaError
from rag_query.library.home import Home
from rag_query.text.ids import run_trace_id
from rag_query.tracing.store import TraceStore

if TYPE_CHECKING:
    from rag_query.library.snapshot import Snapshot


@dataclass(frozen=True)
class ConsoleLibrary:
    """A library as the console reads it. Safe to use from several threads."""

    home: Home
    service: LibraryService
    traces: TraceStore
    evaluations: EvaluationRuns

    def snapshot(self) -> Snapshot:
        """The published snapshot. Raises what :meth:`LibraryService.snapshot` raises."""
        return self.service.snapshot()

    def under_way(self) -> frozenset[str]:
        """The traces of ingestion runs that have not ended: the last step of one is no end."""
        from rag_assets.launch import list_runs

        return frozenset(run_trace_id(run.run_id) for run in list_runs(self.home) if not run.ended)

    def snapshot_or_none(self) -> Snapshot | None:
        """None while there is no library, or nothing is published in it."""
        try:
            return self.snapshot()
        except ExcerptaError as exc:
            if exc.code in NOTHING_THERE:
                return None
            raise
