"""What a hard deletion takes from evaluations."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from rag_query.evaluation.runs import forget_cases, prune, traces_of_cases
from rag_query.library.home import Home
from rag_query.text.ids import doc_id

TRACE = "trc_" + "0" * 32


def test_cases_that_name_a_document_no_longer_held_go(tmp_path: Path) -> None:
    home = Home(tmp_path)
    held, gone = doc_id("file://inbox/a.md"), doc_id("file://inbox/b.md")
    file = home.evaluations / "evr_20261128T101010000_00000000" / "cases.jsonl"
    file.parent.mkdir(parents=True)
    cases = [
        {"case_id": "1", "query": "q", "expected": [held], "trace_id": "trc_" + "1" * 32},
        {"case_id": "2", "query": "secret heading", "expected": [gone], "trace_id": TRACE},
        {"case_id": "3", "query": "q", "artifacts": {"retrieved": [{"doc_id": gone}]}},
        {"case_id": "4", "query": "nothing expected"},
    ]
    file.write_text("".join(json.dumps(case) + "\n" for case in cases))
    assert traces_of_cases(home, {held}.__contains__) == {TRACE}
    assert forget_cases(home, {held}.__contains__) == 2
    kept = [json.loads(line)["case_id"] for line in file.read_text().splitlines()]
    assert kept == ["1", "4"]
    assert forget_cases(home, {held}.__contains__) == 0


def test_cases_whose_report_a_killed_process_did_not_come_to_write_go_in_time(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path)
    left, new = (home.evaluations / f"evr_2026112{day}T101010000_00000000" for day in (7, 8))
    for folder in (left, new):
        folder.mkdir(parents=True)
        (folder / "cases.jsonl").write_text("{}\n")
    os.utime(left, (0, 0))
    assert prune(home, before=datetime(2026, 1, 1, tzinfo=UTC)) == [left.name]
    assert [path.name for path in home.evaluations.iterdir()] == [new.name]
