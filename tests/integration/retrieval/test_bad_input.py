"""Input nobody should send: a clear code, or an empty pack with a reason, within the time limit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.pack import EvidencePack
from rag_query.contracts.plan import MAX_QUERIES, MAX_QUERY_CHARS, MAX_TOP_K
from rag_query.library.create import create_library
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.pipeline import Retriever
from tests.integration.retrieval.conftest import CHINESE, RECORDS, TEA
from tests.library_builder import build_library

#: Of the processors' time, not the clock's: the machine may be busy with something else. What is
#: refused is refused at once.
LIMIT_S = 5.0
MODES = ["exact", "semantic", "hybrid", "relational", "associative"]


@contextmanager
def in_time() -> Iterator[None]:
    began = time.process_time()
    yield
    assert time.process_time() - began < LIMIT_S


def ask(retriever: Retriever, text: Any, mode: str = "hybrid", **rest: Any) -> EvidencePack:
    with in_time():
        plan = {"version": "0.1", "queries": [{"text": text, "mode": mode}], **rest}
        return retriever.run(plan)


def refused(retriever: Retriever, plan: dict[str, Any]) -> ExcerptaError:
    with in_time(), pytest.raises(ExcerptaError) as caught:
        retriever.run({"version": "0.1", **plan})
    return caught.value


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\x00\x07", "\u200b", "　"])
@pytest.mark.parametrize("mode", MODES)
def test_nothing_to_search_for_is_refused(retriever: Retriever, text: str, mode: str) -> None:
    error = refused(retriever, {"queries": [{"text": text, "mode": mode}]})
    assert error.code == ErrorCode.INVALID_PLAN
    assert "queries[0].text" in error.message


@pytest.mark.parametrize("text", ["tea " * 25_000, "茶" * 100_000])
def test_a_text_beyond_the_limit_is_refused_with_the_limit(retriever: Retriever, text: str) -> None:
    error = refused(retriever, {"queries": [{"text": text}]})
    assert error.code == ErrorCode.INVALID_PLAN
    assert str(MAX_QUERY_CHARS) in error.message
    assert len(error.message) < 500


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "text",
    [
        "tea " * (MAX_QUERY_CHARS // 4),
        "茶" * MAX_QUERY_CHARS,
        " ".join(f"word{n}" for n in range(2200)),
        '"' * 5000,
        "+" * 5000,
        "(" * 5000,
        "a* " * 3000,
        "tea~2 " * 3000,
        "*" * MAX_QUERY_CHARS,
    ],
    ids=["long", "long zh", "many words", "quotes", "plus", "brackets", "stars", "fuzzy", "star"],
)
def test_a_text_within_the_limit_is_answered_in_time(
    retriever: Retriever, mode: str, text: str
) -> None:
    ask(retriever, text, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "text",
    ["tea\x00\x1b[31m", "\u202etea", 'say "tea', "tea) AND (", "+", "-", '+"', "~1",
     "ᚠᚢᚦ", "𓀀𓀁", "ⴰⵣⵓⵍ", "🍵", "ﷺ", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢"],
)  # fmt: skip
def test_odd_characters_and_unknown_scripts_are_answered(
    retriever: Retriever, text: str, mode: str
) -> None:
    pack = ask(retriever, text, mode)
    assert pack.evidences or pack.warnings
    pack.model_dump_json()


def test_half_a_character_is_refused(retriever: Retriever) -> None:
    error = refused(retriever, {"queries": [{"text": "tea \ud800"}]})
    assert error.code == ErrorCode.INVALID_PLAN
    error.message.encode()


@pytest.mark.parametrize("top_k", [0, -1, 10_000, MAX_TOP_K + 1, 2.5, "many"])
def test_a_wrong_top_k_is_refused_by_name(retriever: Retriever, top_k: Any) -> None:
    error = refused(retriever, {"queries": [{"text": "tea"}], "budget": {"top_k": top_k}})
    assert error.code == ErrorCode.INVALID_PLAN
    assert "budget.top_k" in error.message


def test_the_largest_budget_is_met(retriever: Retriever) -> None:
    pack = ask(retriever, "tea", "semantic", budget={"top_k": MAX_TOP_K})
    assert len(pack.evidences) == 8 + len(RECORDS)


def test_a_plan_with_too_many_queries_is_refused_and_one_with_many_is_run(
    retriever: Retriever,
) -> None:
    error = refused(retriever, {"queries": [{"text": f"tea {n}"} for n in range(100)]})
    assert error.code == ErrorCode.INVALID_PLAN
    assert str(MAX_QUERIES) in error.message
    many = [{"text": f"tea {n}", "mode": MODES[n % 5]} for n in range(MAX_QUERIES)]
    with in_time():
        pack = retriever.run({"version": "0.1", "queries": many})
    assert len(pack.explain.queries) == MAX_QUERIES


@pytest.mark.parametrize(
    ("filters", "reason"),
    [
        (
            {"document_ids": ["doc_000000000000000000000000"]},
            "satisfies the filters (document_ids)",
        ),
        ({"tag_ids": ["nobody's"]}, "satisfies the filters (tag_ids)"),
        ({"version": ["ver_0"]}, "satisfies the filters (version)"),
        ({"document_ids": [TEA.doc_id], "language": "zh"}, "document_ids"),
        ({"document_ids": [CHINESE.doc_id], "collection": "records"}, "contradict each other"),
        ({"language": "zh", "has_image": True}, "1 satisfy has_image, but none both"),
        ({"time_range": {"from": "2099-01-01"}}, "satisfies the filters (time_range)"),
        ({"block_type": "code", "page_range": {"from": 1, "to": 1}}, "contradict each other"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_filters_that_leave_nothing_say_why(
    retriever: Retriever, mode: str, filters: dict[str, Any], reason: str
) -> None:
    pack = ask(retriever, "tea coffee 茶", mode, global_filters=filters)
    assert pack.evidences == []
    assert reason in pack.warnings[-1]


def test_filters_no_two_of_which_contradict_are_named_together(retriever: Retriever) -> None:
    filters = {"tag_ids": ["drink"], "has_image": False, "page_range": {"from": 2}}
    pack = ask(retriever, "tea coffee", global_filters={**filters, "block_type": "table"})
    assert pack.warnings[-1] == "No passage satisfies the filters (block_type)."
    pack = ask(retriever, "zzyzx", "exact", global_filters=filters)
    assert pack.warnings[-1].endswith("holds the words of the query.")


@pytest.mark.parametrize(
    "filters",
    [
        {"time_range": {"from": "2026-02-01", "to": "2026-01-01"}},
        {"page_range": {"from": 3, "to": 2}},
        {"page_range": {"from": 0}},
        {"langauge": "zh"},
        {"language": "klingon"},
        {"time_range": {"from": "yesterday"}},
        {"document_ids": [1]},
    ],
)
def test_a_filter_that_cannot_be_meant_is_refused(
    retriever: Retriever, filters: dict[str, Any]
) -> None:
    error = refused(retriever, {"queries": [{"text": "tea"}], "global_filters": filters})
    assert error.code == ErrorCode.INVALID_FILTER
    assert "global_filters" in error.message


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_library_gives_an_empty_pack_in_every_mode(tmp_path: Any, mode: str) -> None:
    with open_retriever(build_library(tmp_path / "library", ()), sinks=()) as opened:
        pack = ask(opened, "tea in the handbook since 2025", mode)
    assert pack.evidences == []
    assert pack.warnings[-1].startswith("The library is empty")


@pytest.mark.parametrize("mode", MODES)
def test_a_library_that_never_published_says_so_in_every_mode(tmp_path: Any, mode: str) -> None:
    from rag_query.library.home import Home

    home = Home(tmp_path)
    create_library(home)
    with open_retriever(home, sinks=()) as opened:
        error = refused(opened, {"queries": [{"text": "tea", "mode": mode}]})
    assert error.code == ErrorCode.NOT_PUBLISHED
    assert "ingest" in error.hint


def test_a_quota_of_nothing_leaves_an_empty_pack_with_the_rule(retriever: Retriever) -> None:
    pack = ask(retriever, "coffee", "exact", budget={"per_mode_k": {"exact": 0}})
    assert pack.evidences == []
    assert pack.explain.dropped[0].rule == "per_mode_k"
