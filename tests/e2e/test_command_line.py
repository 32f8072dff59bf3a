"""The life of a library at the command line, on real parts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mcp_app.commands.app import app
from rag_query.contracts.pack import EvidencePack
from tests.e2e.conftest import HANDBOOK, Excerpta


@pytest.mark.parametrize(
    ("question", "mode", "words"),
    [
        ("How often must the gauge be calibrated?", "hybrid", "every thirty days"),
        ("备份多久加密一次?", "exact", "加密备份"),
        ("潮位计多久校准一次?", "semantic", "every thirty days"),
    ],
    ids=["English", "Chinese", "Chinese on English"],
)
def test_a_question_finds_its_passage(
    excerpta: Excerpta, question: str, mode: str, words: str
) -> None:
    pack = EvidencePack.model_validate(excerpta.json("query", question, "--mode", mode, "-k", "2"))
    assert any(words in evidence.snippet for evidence in pack.evidences)
    assert all(e.source_uri.startswith("file://station/") for e in pack.evidences)
    assert not pack.explain.dense_failed and not pack.explain.sparse_failed
    assert str(excerpta.home.parent) not in pack.model_dump_json()


def test_a_person_reads_the_passage(excerpta: Excerpta) -> None:
    done = excerpta.run("query", "How often must the gauge be calibrated?", "-k", "1")
    assert done.returncode == 0 and not done.stderr
    assert "Station Handbook › Calibration" in done.stdout
    assert "every thirty days" in done.stdout and "meaning #" in done.stdout


def test_a_run_with_nothing_to_do_does_nothing_and_names_what_is_broken(
    excerpta: Excerpta, documents: Path
) -> None:
    before = excerpta.json("status")["snapshot"]
    result = excerpta.json("ingest", str(documents))
    assert result["computed"] == 0 and result["counts"]["unchanged"] >= 2
    (failed,) = result["failed_documents"]
    assert failed["source_uri"] == "file://station/broken.pdf"
    assert failed["code"] == "PDF_CORRUPT" and str(excerpta.home) not in failed["message"]
    status = excerpta.json("status")
    assert result["snapshot"] == before == status["snapshot"]
    assert status["runs"][0]["job_id"] == result["job_id"]


def test_update_delete_rollback_and_return(environment: dict[str, str], tmp_path: Path) -> None:
    """One document through everything that can happen to it."""
    folder = tmp_path / "papers"
    folder.mkdir()
    paper = folder / "handbook.md"
    paper.write_text(HANDBOOK, encoding="utf-8")
    library = Excerpta(tmp_path / "home", environment)
    library.json("init", "--shards", "2")

    def found(text: str) -> list[str]:
        """Asked in this process, which saves starting one for each question."""
        arguments = ["--home", str(library.home), "query", text, "--mode", "exact", "--json"]
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.stderr
        return [e["snippet"] for e in json.loads(done.stdout)["evidences"]]

    first = library.json("ingest", str(paper))
    assert first["counts"]["added"] == 1 and found("thirty")

    paper.write_text(HANDBOOK.replace("thirty", "twenty"), encoding="utf-8")
    second = library.json("ingest")
    assert second["counts"]["new_version"] == 1 and second["snapshot"] > first["snapshot"]
    assert found("twenty") and not any("thirty" in s for s in found("thirty"))
    versions = library.json("show", "handbook.md")["document"]["all_versions"]
    assert [v["version_no"] for v in versions] == [1, 2]

    shown = library.run("rollback")
    assert shown.returncode == 0 and f"Snapshot {first['snapshot']}" in shown.stdout
    assert any("thirty" in s for s in found("thirty days"))
    library.json("rollback", str(second["snapshot"]))
    assert any("twenty" in s for s in found("twenty days"))

    deleted = library.json("delete", "handbook.md", "--yes")
    assert deleted["counts"]["removed"] == 1 and not found("calibrated")
    assert paper.exists()
    again = library.run("ingest", str(paper))
    assert again.returncode == 0 and "is published" in again.stdout
    assert found("calibrated")
