"""A worse library never goes live: the gate stops the publication and says where to look."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from rag_assets.publication.publish import publish
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.evaluation.gates import Finding, Verdict, WorstCase, load_gates
from rag_query.evaluation.runs import load_report, reports
from rag_query.library.deletions import mark_deleted, mark_restored
from rag_query.library.home import Home
from rag_query.library.lance import connect
from rag_query.library.manifests import current_number, load_manifest, snapshot_numbers
from rag_query.library.snapshot import Library
from rag_query.tracing.reader import find_trace
from tests.library_builder import build_library, open_context, run_indexes, write_tables
from tests.small_documents import SmallDoc

SUBJECTS = {
    "tea": "Green tea is steamed right after picking.",
    "coffee": "Coffee beans are roasted in a drum.",
    "radar": "The radar shutter is closed in a storm.",
    "clock": "The clock of the logger loses a second a day.",
}
GOOD = [SmallDoc(f"{name}.md", f"# {name.title()}\n\n{text}") for name, text in SUBJECTS.items()]
#: The same documents, but three of them have lost what they said.
WORSE = [GOOD[0], *(SmallDoc(doc.name, "# Notes\n\nSee the other page.") for doc in GOOD[1:])]
CASES = [
    {"case_id": name, "query": text, "relevant": {f"{name}.md": 1}}
    for name, text in SUBJECTS.items()
]


def gated(home: Home, **gate: object) -> None:
    home.datasets.mkdir(exist_ok=True)
    (home.datasets / "golden.jsonl").write_text("\n".join(map(json.dumps, CASES)))
    described = {"gates": [{"dataset": "golden", "top_k": 3, "blocks_publication": True} | gate]}
    home.gates.write_text(yaml.safe_dump(described))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that is only copied."""
    made = build_library(tmp_path_factory.mktemp("gated") / "lib", GOOD)
    gated(made, minimum={"HitRate": 0.9, "nDCG": 0.85})
    return made.root


@pytest.fixture
def home(built: Path, tmp_path: Path) -> Home:
    return Home(shutil.copytree(built, tmp_path / "lib"))


def make_worse(home: Home) -> None:
    ctx = open_context(home.root)
    write_tables(ctx, WORSE)
    run_indexes(ctx)


def blocked(home: Home) -> ExcerptaError:
    with pytest.raises(ExcerptaError) as caught:
        publish(open_context(home.root))
    assert caught.value.code == ErrorCode.PUBLISH_BLOCKED
    return caught.value


def test_a_worse_index_is_not_published(home: Home) -> None:
    make_worse(home)
    error = blocked(home)
    assert (current_number(home), snapshot_numbers(home)) == (1, [1])
    assert "HitRate" in error.message and "0.9000 is asked" in error.message
    (verdict,) = error.details["checks"]["quality_gate"]["gates"]
    named = {case["case_id"]: case["trace_id"] for case in verdict["worst"]}
    assert {"radar", "clock"} <= named.keys() <= {"coffee", "radar", "clock"}
    for case_id, trace_id in named.items():
        assert case_id in error.message and trace_id in error.message
        trace = find_trace(home, trace_id)
        assert trace is not None and trace.eval is not None
        assert (trace.snapshot, trace.eval.case_id) == (2, case_id)
    # One line a case, with its question.
    (first,) = [line for line in error.message.splitlines() if "radar" in line]
    assert SUBJECTS["radar"] in first and max(map(len, error.message.splitlines())) < 160
    report = load_report(home, verdict["eval_run_id"])
    assert report.candidate and report.snapshot == 2
    # Readers go on with what they had, and nothing of the candidate holds on to disk.
    snapshot = Library.open(home).snapshot()
    assert snapshot.number == 1
    part = snapshot.manifest.vector
    assert part is not None
    assert set(connect(home.lance).open_table(part.table).tags.list()) == {"snap-1"}


def test_what_was_mended_is_published(home: Home) -> None:
    make_worse(home)
    blocked(home)
    build_library(home.root, [SmallDoc(doc.name, f"{doc.text}\n\nMended.") for doc in GOOD])
    assert current_number(home) == 2
    check = load_manifest(home, 2).checks["quality_gate"]
    assert check["passed"] and check["gates"][0]["dataset"] == "golden"


@pytest.mark.parametrize("deleted", [["tea"], list(SUBJECTS)])
def test_what_a_person_deletes_goes_though_cases_ask_for_it(home: Home, deleted: list[str]) -> None:
    gated(home, minimum={"HitRate": 0.9}, max_drop={"nDCG": 0.02})
    left = [doc for doc in GOOD if doc.name.removesuffix(".md") not in deleted]
    other = SmallDoc("other.md", "# Other\n\nNothing asked for.")
    uris = [f"file://inbox/{name}.md" for name in deleted]
    mark_deleted(home, uris, hard=True)
    build_library(home.root, [*left, other])
    assert current_number(home) == 2
    gates = load_manifest(home, 2).checks["quality_gate"]["gates"]
    if len(deleted) < len(SUBJECTS):
        report = load_report(home, gates[0]["eval_run_id"])
        assert report.cases == 3 and any("deleted" in told for told in report.warnings)
    else:
        assert gates == []
    # Nor does the next publication ask for it, when nothing says any more what it was.
    build_library(home.root, [*left, other, SmallDoc("more.md", "# More\n\nMore of it.")])
    assert current_number(home) == 3


def test_what_was_deleted_is_not_asked_for_by_a_gate_that_was_off_meanwhile(home: Home) -> None:
    gated(home, minimum={"HitRate": 0.9})
    gates = home.gates.read_text()
    mark_deleted(home, ["file://inbox/tea.md"], hard=True)
    build_library(home.root, GOOD[1:])
    home.gates.unlink()
    more = [*GOOD[1:], SmallDoc("more.md", "# More\n\nMore of it.")]
    build_library(home.root, more)
    home.gates.write_text(gates)
    build_library(home.root, [*more, SmallDoc("other.md", "# Other\n\nNothing asked for.")])
    assert current_number(home) == 4


def test_what_was_deleted_and_came_back_is_asked_for(home: Home) -> None:
    gated(home, minimum={"HitRate": 0.9})
    mark_deleted(home, ["file://inbox/tea.md"])
    build_library(home.root, GOOD[1:])
    left_out = [load_manifest(home, 2).checks["quality_gate"]["left_out"]]
    mark_restored(home, ["file://inbox/tea.md"])
    build_library(home.root, GOOD)
    build_library(home.root, [*GOOD, SmallDoc("more.md", "# More\n\nMore of it.")])
    left_out.append(load_manifest(home, 4).checks["quality_gate"]["left_out"])
    assert left_out == [{"golden": ["tea"]}, {}]


def test_what_merely_vanished_is_missed(home: Home) -> None:
    ctx = open_context(home.root)
    write_tables(ctx, GOOD[1:])
    run_indexes(ctx)
    assert "HitRate" in blocked(home).message


def test_a_gate_may_ask_that_nothing_gets_worse(home: Home) -> None:
    gated(home, minimum={}, max_drop={"MRR@10": 0.1})
    make_worse(home)
    assert "MRR@10" in blocked(home).message
    assert [r.candidate for r in reports(home)] == [False, True]
    gated(home, minimum={}, max_drop={"MRR@10": 0.9})
    assert publish(open_context(home.root)).number == 2


def test_a_gate_on_latency_asks_for_no_more_than_it_names(home: Home) -> None:
    make_worse(home)
    gated(home, minimum={"latency_ms": 0.001})
    assert "at most 0.0010 is asked" in blocked(home).message
    gated(home, minimum={"latency_ms": 60_000}, max_drop={"latency_ms": 60_000})
    assert publish(open_context(home.root)).number == 2


def test_a_gate_that_does_not_block_is_not_asked(home: Home) -> None:
    gated(home, blocks_publication=False)
    make_worse(home)
    assert publish(open_context(home.root)).number == 2
    assert reports(home) == []


def test_a_gate_that_cannot_be_asked_blocks(home: Home) -> None:
    make_worse(home)
    (home.datasets / "golden.jsonl").write_text('{"case_id": "a"}')
    with pytest.raises(ExcerptaError) as caught:
        publish(open_context(home.root))
    assert caught.value.code == ErrorCode.INVALID_DATASET
    assert current_number(home) == 1


def test_of_many_bad_cases_the_first_are_told_and_where_the_others_stand() -> None:
    worst = [
        WorstCase(case_id=f"c{n}", query="雷达" * 60, value=0.0, trace_id=f"trc_{n}")
        for n in range(5)
    ]
    finding = Finding(metric="nDCG", bound=0.9, value=0.1, passed=False, why="nDCG is too low")
    verdict = Verdict(
        dataset="golden",
        passed=False,
        eval_run_id="evr_1",
        findings=[finding],
        worst=worst,
        imperfect=40,
    )
    head, *cases, rest = verdict.told.splitlines()
    assert (head, len(cases)) == ("golden: nDCG is too low.", 3)
    assert cases[0].startswith("  c0 · 雷达") and cases[0].endswith("… · trc_0")
    assert "37 more" in rest and "evr_1" in rest


def test_the_shipped_thresholds_are_those_of_the_specification(tmp_path: Path) -> None:
    gates = load_gates(Home(tmp_path))
    assert gates.retrieval == {"HitRate": 0.90, "MRR": 0.80, "nDCG": 0.85}
    assert gates.generation == {"Faithfulness": 0.90, "AnswerRelevancy": 0.85}
    assert gates.gates == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("gates: [{datset: a}]", "Did you mean 'dataset'?"),
        ("gates: [{dataset: a, top_k: 0}]", "'gates.0.top_k'"),
        ("gates:\n  - a: [", "not valid YAML: line 2, column 9: "),
        ("- a", "mapping"),
        ("gates: [{dataset: a}]\ngates: []", "'gates' stands here twice"),
    ],
)
def test_a_bad_gates_file_is_explained(tmp_path: Path, text: str, part: str) -> None:
    home = Home(tmp_path)
    home.gates.write_text(text)
    with pytest.raises(ExcerptaError) as caught:
        load_gates(home)
    assert caught.value.code == ErrorCode.INVALID_GATES
    assert part in str(caught.value)
