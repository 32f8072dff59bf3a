"""Limits are exact, and what they drop is named."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rag_query.contracts.plan import Budget
from rag_query.retrieval.diversity import (
    MAX_SAMPLES,
    DropLog,
    Placed,
    quotas_of,
    select,
    source_of,
)
from rag_query.retrieval.repetition import Repetition, Span


def placed(number: int, document: str, source: str = "s", section: str | None = None) -> Placed:
    return Placed(f"c{number}", ("hybrid",), document, source, section or f"sec{number}")


def chosen(
    candidates: list[Placed],
    budget: Budget,
    log: DropLog,
    texts: list[str] | None = None,
    spans: list[tuple[int, int]] | None = None,
) -> list[Placed]:
    """What is kept of candidates that say different things at places apart, if not told else."""
    said = texts or [c.chunk_id for c in candidates]
    places = spans or [(10 * n, 10 * n + 10) for n in range(len(candidates))]
    stands = [Span(c.document, c.document, *p) for c, p in zip(candidates, places, strict=True)]
    repetition = Repetition(stands, said.__getitem__)
    kept = select(candidates, budget, log, repetition, quotas_of(budget))
    return [candidates[index] for index in kept]


def run(candidates: list[Placed], **budget: Any) -> tuple[list[str], dict[str, int]]:
    log = DropLog()
    kept = chosen(candidates, Budget.model_validate(budget), log)
    return [c.chunk_id for c in kept], dict(log.counts)


def test_top_k_cuts_and_says_so() -> None:
    kept, dropped = run([placed(i, f"d{i}") for i in range(5)], top_k=2)
    assert (kept, dropped) == (["c0", "c1"], {"top_k": 3})


def test_the_next_that_fits_takes_the_place_of_one_over_a_limit() -> None:
    candidates = [placed(0, "a"), placed(1, "a"), placed(2, "b"), placed(3, "c")]
    kept, dropped = run(candidates, top_k=3, diversity={"by_document": 1})
    assert (kept, dropped) == (["c0", "c2", "c3"], {"by_document": 1})


def test_sources_sections_and_modes_have_limits_too() -> None:
    candidates = [placed(0, "a", "x", "s1"), placed(1, "b", "x", "s1"), placed(2, "c", "x")]
    assert run(candidates, diversity={"by_source": 2})[0] == ["c0", "c1"]
    assert run(candidates, diversity={"by_section": 1})[0] == ["c0", "c2"]
    assert run(candidates, per_mode_k={"hybrid": 1}) == (["c0"], {"per_mode_k": 2})
    assert run(candidates, per_mode_k={"hybrid": 0})[0] == []
    assert len(run(candidates, per_mode_k={"exact": 0})[0]) == 3


def test_a_candidate_counts_for_any_mode_that_found_it() -> None:
    both = Placed("c1", ("exact", "hybrid"), "b", "s", "sec1")
    candidates = [Placed("c0", ("exact",), "a", "s", "sec0"), both]
    assert run(candidates, per_mode_k={"exact": 1}) == (["c0", "c1"], {})
    assert run(candidates, per_mode_k={"exact": 1, "hybrid": 0}) == (["c0"], {"per_mode_k": 1})


def test_what_repeats_a_kept_one_takes_no_place_and_no_quota() -> None:
    candidates = [placed(0, "a"), placed(1, "a"), placed(2, "b"), placed(3, "c"), placed(4, "d")]
    texts = ["the tide", "the tide is", "the tide", "the moon", "the moon"]
    log = DropLog()
    budget = Budget.model_validate({"per_mode_k": {"hybrid": 2}})
    kept = chosen(candidates, budget, log, texts, [(0, 10), (2, 10), (0, 8), (0, 8), (0, 8)])
    assert [c.chunk_id for c in kept] == ["c0", "c3"]
    assert dict(log.counts) == {"overlap": 1, "near_duplicate": 2}


def test_a_candidate_over_a_limit_is_named_once() -> None:
    log = DropLog()
    budget = Budget.model_validate({"diversity": {"by_document": 1}, "per_mode_k": {"hybrid": 1}})
    kept = chosen([placed(0, "a"), placed(1, "a"), placed(2, "b")], budget, log, ["tide"] * 3)
    assert [c.chunk_id for c in kept] == ["c0"]
    assert dict(log.counts) == {"by_document": 1, "near_duplicate": 1}


def test_samples_are_few_however_they_came() -> None:
    at_once, one_by_one, merged = DropLog(), DropLog(), DropLog()
    chunks = [f"c{i}" for i in range(100)]
    at_once.add("top_k", chunks)
    for chunk in chunks:
        one_by_one.add("top_k", [chunk])
    merged.add("top_k", chunks[:3])
    rest = DropLog()
    rest.add("top_k", chunks[3:])
    merged.merge(rest)
    for log in (at_once, one_by_one, merged):
        (report,) = log.report()
        assert (report.rule, report.count, report.samples) == ("top_k", 100, chunks[:MAX_SAMPLES])


def test_a_source_is_a_folder_or_the_file_of_records() -> None:
    assert source_of("file://docs/a/b.md") == source_of("file://docs/a/c.md") == "file://docs/a"
    assert source_of("file://docs/corpus.jsonl#1") == "file://docs/corpus.jsonl"


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from("123"))),
    st.integers(1, 5),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_limits_hold_and_nothing_that_fits_is_left_out(
    rows: list[tuple[str, str, str]], top_k: int, by_document: int, by_section: int
) -> None:
    candidates = [placed(i, d, s, c) for i, (d, s, c) in enumerate(rows)]
    log = DropLog()
    limits = {"by_document": by_document, "by_section": by_section}
    kept = chosen(candidates, Budget.model_validate({"top_k": top_k, "diversity": limits}), log)
    documents = [c.document for c in kept]
    sections = [c.section for c in kept]
    assert all(documents.count(d) <= by_document for d in documents)
    assert all(sections.count(s) <= by_section for s in sections)
    assert len(kept) + sum(log.counts.values()) == len(candidates)
    if len(kept) < top_k:
        for candidate in set(candidates) - set(kept):
            assert (
                documents.count(candidate.document) >= by_document
                or sections.count(candidate.section) >= by_section
            )
