"""Datasets: read as they are meant, refused with the line and the field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import Dataset
from rag_query.evaluation import dataset_synthetic
from rag_query.evaluation.dataset_synthetic import _sentences
from rag_query.evaluation.datasets import dataset_names, load_dataset
from rag_query.library.home import Home
from rag_query.library.snapshot import Library
from rag_query.text.marks import marked
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

DOCUMENTS = [
    SmallDoc(
        "tea.md",
        "# Tea\n\n## Green\n\nGreen tea leaves are steamed right after they were picked.\n\n"
        "## White\n\nWhite tea leaves are only withered and dried in the morning sun.\n\n"
        "## Dark\n\nDark tea leaves are piled up wet and ferment for several weeks.\n\n"
        "## Black\n\nBlack tea leaves are fully oxidised before they are dried in hot air.",
    ),
    SmallDoc(
        "茶.md",
        "# 茶\n\n## 绿茶\n\n绿茶是不发酵的茶叶，采摘以后立即蒸青并且干燥保存。",
        language="zh",
    ),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return build_library(tmp_path_factory.mktemp("datasets") / "lib", DOCUMENTS)


def load(home: Home, name: str | Path) -> Dataset:
    return load_dataset(home, str(name), Library.open(home).snapshot)


def write(path: Path, *lines: dict[str, Any] | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def refused(home: Home, name: str | Path, code: ErrorCode, *parts: str) -> None:
    with pytest.raises(ExcerptaError) as caught:
        load(home, name)
    assert caught.value.code == code
    for part in parts:
        assert part in str(caught.value)


def test_a_file_of_cases(home: Home, tmp_path: Path) -> None:
    path = write(
        tmp_path / "golden.jsonl",
        {"case_id": "a", "query": "steamed?", "relevant": {"tea.md": 1}},
        "",
        {"case_id": "b", "query": "绿茶？", "tags": ["zh"], "answerable": False},
    )
    dataset = load(home, path)
    assert (dataset.dataset_id, [case.case_id for case in dataset.cases]) == ("golden", ["a", "b"])
    edited = write(path, {"case_id": "a", "query": "steamed!"})
    assert load(home, edited).version != dataset.version


@pytest.mark.parametrize(
    ("lines", "parts"),
    [
        (['{"case_id": "a"}'], ("line 1", "'query'")),
        (['{"query": "q"}'], ("line 1", "'case_id'")),
        (
            [
                '{"case_id": "a", "query": "q"}',
                '{"case_id": "b", "query": "q", "expected_chunks": []}',
            ],
            ("line 2", "'expected_chunks'", "Did you mean 'expected_chunk_ids'?"),
        ),
        (
            ['{"case_id": "a", "query": "q"}', '{"case_id": "a", "query": "r"}'],
            ("line 2", "'a'", "line 1"),
        ),
        (['{"case_id": "a", "query": "  "}'], ("line 1", "'query'", "blank")),
        (['{"case_id": "a", "query": "q"'], ("line 1", "not JSON")),
        (['["a"]'], ("line 1", "not a JSON object")),
        ([""], ("no cases",)),
    ],
)
def test_a_bad_line_is_named(
    home: Home, tmp_path: Path, lines: list[str], parts: tuple[str, ...]
) -> None:
    refused(home, write(tmp_path / "bad.jsonl", *lines), ErrorCode.INVALID_DATASET, *parts)


def test_a_folder_in_the_layout_of_beir(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    write(
        folder / "queries.jsonl",
        {"_id": "1", "text": "steamed?"},
        {"_id": "2", "text": ""},
        {"_id": "3", "text": "nobody judged this"},
    )
    write(folder / "answers.jsonl", {"_id": "1", "answers": ["yes", "at once"]})
    write(
        folder / "qrels.tsv",
        "query-id\tcorpus-id\tscore",
        "1\td1\t2",
        "1\td2\t0",
        "2\td1\t1",
        "9\td1\t1",
    )
    dataset = load(home, folder)
    (case,) = dataset.cases
    assert (dataset.dataset_id, case.relevant) == ("small", {"d1": 2})
    assert case.expected_answer == "yes; at once"
    assert len(dataset.warnings) == 2
    assert load(home, folder / "queries.jsonl").cases == dataset.cases
    write(folder / "qrels.tsv", "query-id\tcorpus-id\tscore", "1\td1\tmuch")
    refused(home, folder, ErrorCode.INVALID_DATASET, "line 2", "'much'")
    write(folder / "qrels.tsv", "query\tdoc\tscore")
    refused(home, folder, ErrorCode.INVALID_DATASET, "'query-id'")
    (folder / "qrels.tsv").unlink()
    refused(home, folder, ErrorCode.DATASET_NOT_FOUND, "qrels.tsv")


def test_datasets_of_the_library_are_known_by_name(home: Home) -> None:
    write(home.datasets / "golden.jsonl", {"case_id": "a", "query": "q"})
    write(home.datasets / "few.yaml", "provider: dataset.synthetic", "params: {cases: 2, seed: 3}")
    assert dataset_names(home) == ["few", "golden"]
    assert load(home, "golden").cases[0].case_id == "a"
    assert len(load(home, "few").cases) == 2
    refused(home, "goldn", ErrorCode.DATASET_NOT_FOUND, "Did you mean 'golden'?")
    refused(home, "../tea", ErrorCode.DATASET_NOT_FOUND)
    write(home.datasets / "typo.yaml", "provider: dataset.sinthetic")
    refused(home, "typo", ErrorCode.UNKNOWN_PROVIDER, "dataset.synthetic")
    write(home.datasets / "typo.yaml", "provider: dataset.synthetic", "params: {case: 2}")
    refused(home, "typo", ErrorCode.INVALID_STRATEGY, "Did you mean 'cases'?")


def test_a_library_makes_questions_of_itself(home: Home) -> None:
    dataset = load(home, "synthetic")
    assert load(home, "synthetic") == dataset
    by_kind = {case.tags[1]: case for case in dataset.cases if case.tags[2] == "en"}
    assert by_kind["heading"].query.split()[0] == "Tea"
    assert 3 <= len(by_kind["sentence"].query.split()) < 13
    assert any("绿茶" in case.query for case in dataset.cases if case.tags[2] == "zh")
    known = Library.open(home).snapshot().served
    for case in dataset.cases:
        assert len(known.get(case.expected_chunk_ids)) == 1


def test_a_library_asks_with_the_words_a_reader_sees(tmp_path: Path) -> None:
    text = (
        "# Gauge\n\nThe [tide *gauge*](https://gauge.example/a_b) of the pier is read each hour,"
        " says <https://pier.example/log>.\n\n"
        "```sh\ngauge read the log of the pier and print all of it again\n```\n"
    )
    home = build_library(tmp_path / "lib", [SmallDoc("gauge.md", text)])
    write(home.datasets / "said.yaml", "provider: dataset.synthetic", "params: {kinds: [sentence]}")
    assert [case.query for case in load(home, "said").cases] == ["The tide of the is read hour ,"]


def test_code_without_a_fence_asks_nothing() -> None:
    text = "Read it:\n\n    gauge print the log of the pier and read all of it\n\nThen go home.\n"
    row = {"chunk_text": text, "format": "markdown", "block_type": "paragraph"}
    assert list(_sentences(row)) == []
    assert list(_sentences(row | {"chunk_text": text.replace("    ", "")})) != []


def test_a_sentence_that_is_written_twice_asks_nothing(tmp_path: Path) -> None:
    twice = "The gauge of the pier is read each hour by hand."
    once = "The gauge of the harbour is read by nobody at all."
    told = "Boats that pass the pier at night must sound a horn."
    documents = [
        SmallDoc("a.md", f"# A\n\n{twice}"),
        SmallDoc("b.md", f"# B\n\n{twice.replace(' by', chr(10) + 'by')}\n\n{once}"),
        SmallDoc("c.md", f"# C\n\n- {told}\n\n> **{told[:5]}**{told[5:]}"),
    ]
    home = build_library(tmp_path / "lib", documents)
    write(home.datasets / "said.yaml", "provider: dataset.synthetic", "params: {kinds: [sentence]}")
    assert [case.query for case in load(home, "said").cases] == [
        "The gauge the harbour read by at all"
    ]


def test_a_few_questions_of_a_large_library_are_made_quickly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(
        f"# Part {n}\n\nThe gauge {n} of the pier {n} is read by hand.\n\n" for n in range(60)
    )
    home = build_library(tmp_path / "lib", [SmallDoc("a.md", text)])
    read: list[str] = []

    def counted(text: str, *arguments: object, **options: object) -> object:
        read.append(text)
        return marked(text, *arguments, **options)

    monkeypatch.setattr(dataset_synthetic, "marked", counted)
    write(home.datasets / "few.yaml", "provider: dataset.synthetic", "params: {cases: 4}")
    assert len(load(home, "few").cases) == 4
    assert len(read) <= 4


def test_a_library_asks_some_kind_of_question(home: Home) -> None:
    write(home.datasets / "none.yaml", "provider: dataset.synthetic", "params: {kinds: []}")
    refused(home, "none", ErrorCode.INVALID_STRATEGY, "kinds")


def test_without_traces_there_is_no_log_to_sample(home: Home) -> None:
    refused(home, "query_log", ErrorCode.INVALID_DATASET, "No question was logged")
