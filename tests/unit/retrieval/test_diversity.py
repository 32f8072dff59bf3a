"""Limits are exact, and what they drop is named."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rag_query.contracts.plan import Budget
from rag_query.retrieval.diversity import MAX_SAMPLES, DropLog, Placed, select, source_of


def placed(number: int, document: str, source: str = "s", section: str | None = None) -> Placed:
    return Placed(f"c{number}", "hybrid", document, source, section or f"sec{number}")


def run(candidates: list[Placed], **budget: Any) -> tuple[list[str], dict[str, int]]:
    log = DropLog()
    kept = select(candidates, Budget.model_validate(budget), log)
    return [candidates[i].chunk_id for i in kept], dict(log.counts)


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


def test_samples_are_few() -> None:
    log = DropLog()
    log.add("top_k", (f"c{i}" for i in range(100)))
    report = log.report()[0]
    assert (report.rule, report.count, len(report.samples)) == ("top_k", 100, MAX_SAMPLES)


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
    kept = select(candidates, Budget.model_validate({"top_k": top_k, "diversity": limits}), log)
    chosen = [candidates[i] for i in kept]
    documents = [c.document for c in chosen]
    sections = [c.section for c in chosen]
    assert all(documents.count(d) <= by_document for d in documents)
    assert all(sections.count(s) <= by_section for s in sections)
    assert len(kept) + sum(log.counts.values()) == len(candidates)
    if len(kept) < top_k:
        for left in set(range(len(candidates))) - set(kept):
            candidate = candidates[left]
            assert (
                documents.count(candidate.document) >= by_document
                or sections.count(candidate.section) >= by_section
            )
