"""What the pages show of a trace, whoever wrote it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mcp_app.console.ranking import ranking
from mcp_app.console.rendering import (
    change,
    duration,
    measure,
    moment,
    number,
    short,
    span,
    with_query,
)
from mcp_app.console.waterfall import AXIS, waterfall
from rag_query.contracts.trace import (
    Aggregates,
    Build,
    Event,
    EventKind,
    ProviderRef,
    Runtime,
    Span,
    SpanName,
    TraceEnvelope,
)

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def _trace(spans: list[Span] | None = None, events: list[Event] | None = None) -> TraceEnvelope:
    return TraceEnvelope(
        trace_id="trc_1",
        trace_type="query",
        started_at=NOW,
        ended_at=NOW + timedelta(milliseconds=100),
        strategy_config_id="s",
        build=Build(app_version="0"),
        runtime=Runtime(env="test", host="h", pid=1),
        spans=spans or [],
        events=events or [],
        aggregates=Aggregates(latency_ms=100),
    )


def _span(name: SpanName, start: float, end: float, parent: str | None = None) -> Span:
    return Span(
        span_id=f"spn_{name}",
        parent_span_id=parent,
        name=name,
        start_ms=start,
        end_ms=end,
        provider=ProviderRef(provider_type="x", provider_id="x.of_tomorrow"),
    )


def _event(kind: EventKind, span: str | None = None, **payload: Any) -> Event:
    return Event(event_id=f"evt_{kind}", ts_ms=1, span_id=span, kind=kind, payload=payload)


def test_bars_lie_on_the_axis_and_children_under_their_parents() -> None:
    parent = _span(SpanName.CONTEXT_BUILD, 50, 100)
    bars = waterfall(
        _trace(
            [
                _span(SpanName.FORMAT_RESPONSE, 60, 60, parent.span_id),
                parent,
                _span(SpanName.QUERY_NORM, 0, 10),
            ],
            [_event(EventKind.WARNING, parent.span_id, message="m")],
        )
    )
    assert [(bar.span.name, bar.depth) for bar in bars] == [
        (SpanName.QUERY_NORM, 0),
        (SpanName.CONTEXT_BUILD, 0),
        (SpanName.FORMAT_RESPONSE, 1),
    ]
    assert [bar.x for bar in bars] == [0, AXIS / 2, AXIS * 0.6]
    assert all(bar.width >= 1 and bar.x + bar.width <= AXIS for bar in bars)
    assert len(bars[1].events) == 1 and bars[1].ms == 50


def test_a_span_whose_parent_is_missing_is_still_shown() -> None:
    assert len(waterfall(_trace([_span(SpanName.FUSION, 0, 1, "spn_gone")]))) == 1


def test_a_candidate_is_followed_through_every_step() -> None:
    def listed(*ids: str) -> list[dict[str, Any]]:
        return [{"chunk_id": c, "score": 1 / n} for n, c in enumerate(ids, 1)]

    ranked = ranking(
        _trace(
            events=[
                _event(
                    EventKind.RETRIEVAL_CANDIDATES, source="sparse", candidates=listed("a", "b")
                ),
                _event(
                    EventKind.RETRIEVAL_CANDIDATES,
                    source="of_tomorrow",
                    candidates=listed("c", "a"),
                ),
                _event(EventKind.FUSION_RANKED, ranked=listed("a", "c", "b")),
                _event(EventKind.RERANK_RANKED, before=["a", "c", "b"], after=["c", "a", "b"]),
                _event(EventKind.CONTEXT_FINAL, chunk_ids=["c", "a"]),
            ]
        )
    )
    assert ranked.steps == ["sparse", "of_tomorrow", "fusion", "rerank"]
    assert [(c.chunk_id, c.final) for c in ranked.candidates] == [("c", 1), ("a", 2), ("b", None)]
    best = ranked.candidates[0]
    assert best.places["of_tomorrow"].score == 1.0 and "sparse" not in best.places
    assert best.move("fusion", "rerank") == 1 and best.move("sparse", "fusion") is None


def test_the_questions_of_a_plan_are_kept_apart() -> None:
    ranked = ranking(
        _trace(
            events=[
                _event(
                    EventKind.RETRIEVAL_CANDIDATES,
                    source="sparse",
                    query_index=index,
                    candidates=[{"chunk_id": "a"}],
                )
                for index in (0, 1)
            ]
        )
    )
    assert ranked.steps == ["sparse · question 1", "sparse · question 2"]


@pytest.mark.parametrize(
    ("ms", "text"),
    [(None, "–"), (0.44, "0.4 ms"), (87.2, "87 ms"), (2310, "2.31 s"), (192_000, "3 min 12 s")],
)
def test_durations(ms: float | None, text: str) -> None:
    assert duration(ms) == text


def test_pages_are_a_number_or_a_span() -> None:
    assert (span(2, 2), span(1, 3), span(4, None), span(None, None)) == ("2", "1–3", "4", "–")


def test_numbers_ids_and_times() -> None:
    assert [number(n) for n in (None, 12345, 0.5, 1.23456)] == ["–", "12,345", "0.5", "1.2346"]
    assert short("trc_0123456789abcdef") == "trc_0123456789ab…" and short("trc_01") == "trc_01"
    assert moment(None) == "–" and 'datetime="2026-05-01T12:00:00.000+00:00"' in moment(NOW)
    assert with_query("/x", {"a": "1", "cursor": "c"}, cursor=None, b="2 3") == "/x?a=1&b=2+3"


def test_a_metric_is_shown_in_its_unit() -> None:
    assert measure(29.6013, "latency_ms") == "30 ms"
    assert measure(0.85, "nDCG@10") == "0.85"
    assert change(81.834, "latency_ms") == "+81.8 ms"
    assert change(-0.0125, "nDCG@10") == "-0.0125"
