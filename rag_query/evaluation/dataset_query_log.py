"""``dataset.query_log``: a sample of the questions that were really asked.

The traces hold the plans. What a person then marks as right goes into a JSON-lines dataset;
``label: returned`` takes what was returned at the time for right, which finds changes, not faults.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

from pydantic import Field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import Dataset, EvalCase
from rag_query.contracts.trace import EventKind, TraceEnvelope
from rag_query.evaluation.dataset import dataset_of
from rag_query.library.home import Home
from rag_query.providers.registry import Params, register
from rag_query.text.ids import sha256_text
from rag_query.tracing.reader import read_traces

PROVIDER_ID = "dataset.query_log"
#: Newest questions looked at.
_LOOKED_AT = 20_000


class QueryLogParams(Params):
    """``seed`` chooses the sample; ``best`` counts the passages taken for right."""

    sample: int = Field(100, ge=1, le=10_000)
    label: Literal["none", "returned"] = "none"
    best: int = Field(3, ge=1, le=100)
    seed: int = 0


class QueryLogDataset:
    """Distinct logged questions, chosen by the hash of their text."""

    def __init__(self, params: QueryLogParams, home: Home) -> None:
        self._params = params
        self._home = home

    def load(self, dataset_id: str) -> Dataset:
        """Raises ExcerptaError ``INVALID_DATASET`` when nothing was asked yet."""
        newest: dict[str, TraceEnvelope] = {}
        for text, trace in islice(_asked(self._home), _LOOKED_AT):
            newest.setdefault(text, trace)
        chosen = sorted(newest, key=lambda text: sha256_text(f"{self._params.seed}\x1f{text}"))
        if not chosen:
            raise ExcerptaError(
                ErrorCode.INVALID_DATASET,
                "No question was logged yet.",
                hint="Ask some with `excerpta query` or over MCP first.",
            )
        cases = [self._case(text, newest[text]) for text in chosen[: self._params.sample]]
        return dataset_of(dataset_id, PROVIDER_ID, cases)

    def _case(self, text: str, trace: TraceEnvelope) -> EvalCase:
        returned: list[str] = []
        for event in trace.events:
            if self._params.label == "returned" and event.kind is EventKind.CONTEXT_FINAL:
                returned = [str(item) for item in event.payload.get("chunk_ids", [])]
        return EvalCase(
            case_id=f"log_{sha256_text(text)[:16]}",
            query=text,
            tags=["logged"],
            expected_chunk_ids=[item.partition("@")[0] for item in returned[: self._params.best]],
            filters=trace.replay["plan"].get("global_filters") or {},
            notes=f"asked {trace.started_at:%Y-%m-%d}, {trace.trace_id}",
        )


def _asked(home: Home) -> Iterator[tuple[str, TraceEnvelope]]:
    """Questions with their traces, newest first, without those of evaluations."""
    for trace in read_traces(home, "query"):
        if trace.eval is None and (text := _question(trace)):
            yield text, trace


def _question(trace: TraceEnvelope) -> str | None:
    """The text of a plan with one query; several queries are no question of a person."""
    queries = (trace.replay.get("plan") or {}).get("queries") or []
    return str(queries[0].get("text") or "").strip() if len(queries) == 1 else None


def _build(params: QueryLogParams, *, home: Home, **_: Any) -> QueryLogDataset:
    return QueryLogDataset(params, home)


register(PROVIDER_ID, version="1", params=QueryLogParams, build=_build)
