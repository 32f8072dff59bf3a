"""Which logged questions a dataset is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_query.evaluation import dataset_query_log
from rag_query.evaluation.dataset_query_log import QueryLogDataset, QueryLogParams
from rag_query.library.home import Home
from tests.unit.tracing.test_store import trace, write


def test_a_long_evaluation_hides_no_question_that_was_asked_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path)
    plan_of_two = {"plan": {"queries": [{"text": "one"}, {"text": "two"}]}}
    asked = [trace(number) for number in (1, 2, 3)]
    later = [trace(4, eval={"case_id": "c1"}), trace(5, replay=plan_of_two), trace(6, replay={})]
    write(home, *asked, *later)
    monkeypatch.setattr(dataset_query_log, "_LOOKED_AT", 2)
    dataset = QueryLogDataset(QueryLogParams(), home).load("log")
    assert {case.query for case in dataset.cases} == {"question 2 茶", "question 3 茶"}
