"""The life of a library at the command line, on real parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_query.contracts.evidence import EvidencePack
from tests.e2e.conftest import HANDBOOK, Excerpta


@pytest.mark.parametrize(
    ("question", "title", "words"),
    [
        ("How often must the gauge be calibrated?", "Station Handbook", "every thirty days"),
        ("备份多久加密一次?", "观测手册", "加密备份"),
    ],
)
@pytest.mark.parametrize("mode", ["exact", "semantic", "hybrid"])
def test_a_question_finds_its_passage(
    excerpta: Excerpta, question: str, title: str, words: str, mode: str
) -> None:
    pack = EvidencePack.model_validate(excerpta.json("query", question, "--mode", mode))
    best = pack.evidences[0]
    assert best.title == title and words in best.snippet
    assert best.source_uri.startswith("file://station/")
    assert not pack.explain.dense_failed and not pack.explain.sparse_failed
    assert str(excerpta.home.parent) not in pack.model_dump_json()


def test_a_person_reads_the_passage(excerpta: Excerpta) -> None:
    done = excerpta.run("query", "How often must the gauge be calibrated?", "-k", "1")
    assert done.returncode == 0 and not done.stderr
    assert "Station Handbook › Calibration" in done.stdout
    assert "every thirty days" in done.stdout and "meaning #" in done.stdout


def test_a_question_in_another_language_finds_it_by_meaning(excerpta: Excerpta) -> None:
    pack = excerpta.json("query", "潮位计多久校准一次?", "--mode", "semantic", "-k", "2")
    assert any("every thirty days" in e["snippet"] for e in pack["evidences"])


def test_a_broken_document_is_named_with_its_code(excerpta: Excerpta, documents: Path) -> None:
    result = excerpta.json("ingest", str(documents))
    assert result["counts"]["failed"] == 1
    (failed,) = result["failed_documents"]
    assert failed["source_uri"] == "file://station/broken.pdf"
    assert failed["code"] == "PDF_CORRUPT"
    shown = excerpta.run("ingest", str(documents))
    assert shown.returncode == 0
    assert "PDF_CORRUPT" in shown.stdout and "broken.pdf" in shown.stdout


def test_a_run_with_nothing_to_do_does_nothing(excerpta: Excerpta, documents: Path) -> None:
    before = excerpta.json("status")["snapshot"]
    result = excerpta.json("ingest", str(documents))
    assert result["computed"] == 0 and result["counts"]["unchanged"] >= 2
    assert result["snapshot"] == before == excerpta.json("status")["snapshot"]


def test_runs_are_listed_in_the_status(excerpta: Excerpta) -> None:
    runs = excerpta.json("status")["runs"]
    assert runs and runs[0]["state"] == "success"


def test_update_delete_rollback_and_return(environment: dict[str, str], tmp_path: Path) -> None:
    """One document through everything that can happen to it."""
    folder = tmp_path / "papers"
    folder.mkdir()
    paper = folder / "handbook.md"
    paper.write_text(HANDBOOK, encoding="utf-8")
    library = Excerpta(tmp_path / "home", environment)

    def found(text: str) -> list[str]:
        pack = library.json("query", text, "--mode", "exact")
        return [e["snippet"] for e in pack["evidences"]]

    first = library.json("ingest", str(paper))
    assert first["counts"]["added"] == 1 and found("thirty")

    paper.write_text(HANDBOOK.replace("thirty", "twenty"), encoding="utf-8")
    second = library.json("ingest")
    assert second["counts"]["new_version"] == 1 and second["snapshot"] > first["snapshot"]
    assert found("twenty") and not any("thirty" in s for s in found("thirty"))
    versions = library.json("show", "handbook.md")["document"]["all_versions"]
    assert [v["version_no"] for v in versions] == [1, 2]

    library.json("rollback")
    assert any("thirty" in s for s in found("thirty days"))
    library.json("rollback", str(second["snapshot"]))
    assert any("twenty" in s for s in found("twenty days"))

    deleted = library.json("delete", "handbook.md", "--yes")
    assert deleted["counts"]["removed"] == 1 and not found("calibrated")
    assert paper.exists()
    assert not library.json("ingest")["counts"]["added"], "deleted documents stay out"
    assert library.json("ingest", str(paper))["snapshot"] > deleted["snapshot"]
    assert found("calibrated")
