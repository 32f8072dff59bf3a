"""The command line on a small library: what it prints, where, and how it fails."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mcp_app import cli
from mcp_app.commands.app import app
from rag_assets.launch import RunHandle
from rag_assets.publication.publish import publication_lock
from rag_assets.run_status import DuplicateFile, RunError, RunFiles, RunStatus
from rag_assets.webserver import Webserver
from rag_query.contracts.pack import EvidencePack
from rag_query.library import files
from rag_query.library.home import Home
from rag_query.library.manifests import check_shards, load_manifest, pin
from rag_query.library.settings import load_settings
from rag_query.strategies.strategy import FOLDER
from tests.library_builder import build_library
from tests.small_documents import UNEMBEDDABLE, SmallDoc


def run(library: Home | Path, *arguments: str, text: str | None = None) -> Result:
    root = library.root if isinstance(library, Home) else library
    return CliRunner().invoke(app, ["--home", str(root), *arguments], input=text)


def document(library: Home | Path, *arguments: str, text: str | None = None) -> Any:
    """The one JSON document a command prints, and nothing else."""
    result = run(library, *arguments, "--json", text=text)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_home_stands_before_or_after_the_command(library: Home) -> None:
    after = CliRunner().invoke(app, ["list", "--home", str(library.root)])
    assert after.exit_code == 0
    assert after.stdout == run(library, "list").stdout


def test_home_comes_from_the_environment(library: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXCERPTA_HOME", str(library.root))
    assert CliRunner().invoke(app, ["status"]).exit_code == 0


def test_a_query_shows_where_each_passage_stands(library: Home) -> None:
    shown = run(library, "query", "brewing temperature", "--mode", "exact").stdout
    assert " 1. Tea › Brewing" in shown
    for part in ("p. 2", "file://inbox/tea.md", "words #1 (BM25", "Brew at 80 degrees"):
        assert part in shown


def test_a_query_as_json_is_the_pack_and_nothing_else(library: Home) -> None:
    pack = document(library, "query", "steamed", "--mode", "exact", "--tag", "hot", "-k", "3")
    parsed = EvidencePack.model_validate(pack)
    assert [e.title for e in parsed.evidences] == ["Tea"]
    assert parsed.explain.filters_applied["tag_ids"] == ["hot"]


def test_a_plan_comes_from_a_file_or_from_stdin(library: Home, tmp_path: Path) -> None:
    plan = json.dumps({"version": "0.1", "queries": [{"text": "备份", "mode": "exact"}]})
    (tmp_path / "plan.json").write_text(plan, encoding="utf-8")
    from_file = document(library, "query", "--plan", str(tmp_path / "plan.json"))
    from_stdin = document(library, "query", "--plan", "-", text=plan)
    assert from_file["evidences"][0]["title"] == from_stdin["evidences"][0]["title"] == "备份"


def test_one_document_can_be_asked(library: Home) -> None:
    pack = document(library, "query", "steamed", "--mode", "exact", "--document", "coffee.md")
    assert {e["title"] for e in pack["evidences"]} == {"Coffee"}


def test_list_marks_what_failed(library: Home) -> None:
    assert "failed PDF_CORRUPT" in run(library, "list").stdout
    failed = document(library, "list", "--status", "failed")
    assert [item["name"] for item in failed["items"]] == ["bad.md"]


def test_show_names_every_place_a_document_stands_at(tmp_path: Path) -> None:
    copy = "file://inbox/again.md"
    home = build_library(tmp_path, [SmallDoc("tea.md", "# Tea\n\nGreen.", aliases=(copy,))])
    shown = run(home, "show", "again.md").stdout
    assert "file://inbox/tea.md · doc_" in shown and f"\nalso stands at {copy}\n" in shown


def test_a_chunk_that_could_not_be_embedded_is_marked(tmp_path: Path) -> None:
    text = f"# Tea\n\nGreen tea.\n\nThis is {UNEMBEDDABLE}.\n"
    home = build_library(tmp_path, [SmallDoc("tea.md", text), SmallDoc("b.md", "# B\n\nFine.")])
    assert re.search(r"Tea .* 2 \(1 failed\) ", run(home, "list").stdout)
    counts = {item["title"]: item["failed_chunks"] for item in document(home, "list")["items"]}
    assert counts == {"B": 0, "Tea": 1}
    shown = run(home, "show", "tea.md").stdout
    assert "(EMBED_FAILED) This is" in shown and "(EMBED_FAILED) Green" not in shown
    assert "1 of its chunks could not be embedded" in shown
    assert "could not be embedded" not in run(home, "show", "b.md").stdout
    good, bad = document(home, "show", "tea.md")["chunks"]
    assert (good["code"], bad["code"]) == (None, "EMBED_FAILED")
    assert "Green tea." in run(home, "show", "tea.md", "--chunk", good["chunk_id"]).stdout
    refused = run(home, "show", "tea.md", "--chunk", bad["chunk_id"])
    assert refused.exit_code == 1 and "could not be embedded (EMBED_FAILED)" in refused.stderr


@pytest.mark.parametrize("columns", ["", "wide", "0", "-3", "9" * 30])
def test_whatever_columns_says_a_pipe_is_written(
    library: Home, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert "Coffee" in run(library, "list").stdout


def test_a_pipe_gets_whole_lines_without_blanks_at_their_ends(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    for arguments in (["list"], ["show", "long.md"], ["query", "steamed", "--mode", "exact"]):
        lines = run(library, *arguments).stdout.splitlines()
        assert lines == [line.rstrip() for line in lines]
    shown = run(library, "query", "green tea steamed", "--mode", "exact").stdout
    assert " · file://inbox/tea.md · chk_" in shown
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, run(library, "list").stdout.splitlines())) <= 60


def test_a_part_of_a_name_names_a_document(library: Home) -> None:
    assert document(library, "show", "offe")["document"]["title"] == "Coffee"
    unclear = run(library, "show", "inbox")
    assert "INVALID_ARGUMENT" in unclear.stderr and "Coffee" in unclear.stderr
    refused = run(library, "delete", "offe", "--hard", "--yes")
    assert refused.exit_code == 1 and "DOCUMENT_NOT_FOUND" in refused.stderr


def test_a_document_that_failed_says_so_when_its_text_is_wanted(library: Home) -> None:
    refused = run(library, "show", "bad.md", "--md").stderr
    assert "'bad.md' has no text" in refused and "PDF_CORRUPT" in refused


def test_a_wrong_number_names_the_option(library: Home) -> None:
    refused = run(library, "query", "tea", "-k", "0").stderr
    assert "--top-k (`budget.top_k`)" in refused


def test_a_section_is_taken_as_it_is_shown(library: Home) -> None:
    for path in ("Tea / Brewing", "Tea › Brewing", "Brewing"):
        pack = document(library, "query", "brew", "--mode", "exact", "--section", path)
        assert [e["title"] for e in pack["evidences"]] == ["Tea"], path


def test_show_gives_sections_chunks_and_text(library: Home) -> None:
    shown = run(library, "show", "tea.md").stdout
    assert "Tea / Brewing" in shown and "Green tea is steamed." in shown
    assert run(library, "show", "tea.md", "--md").stdout.startswith("# Tea\n")
    found = document(library, "show", "Tea")
    chunk = document(library, "show", "Tea", "--chunk", found["chunks"][1]["chunk_id"])["chunk"]
    assert chunk["chunk_text"] == "Brew at 80 degrees for two minutes."
    assert chunk["anchors"][0]["page"] == 2


def test_an_older_version_is_shown_as_superseded(tmp_path: Path) -> None:
    build_library(tmp_path, [SmallDoc("tea.md", "# Tea\n\nGreen.")])
    home = build_library(tmp_path, [SmallDoc("tea.md", "# Tea\n\nBlack.")])
    for arguments, standing in (((), "active"), (("--version", "1"), "superseded by version 2")):
        shown = run(home, "show", "tea.md", *arguments).stdout
        assert shown.splitlines()[2].startswith(f"{standing} · version ")
        states = re.findall(r"^ *(\d) +ver_\w+ +(\w+) ", shown, re.MULTILINE)
        assert sorted(states) == [("1", "superseded"), ("2", "active")]
    build_library(tmp_path, [SmallDoc("tea.md", "# Tea\n\nRed.", fails="MD_PARSE_FAILED")])
    shown = run(home, "show", "tea.md", "--version", "3").stdout
    assert shown.splitlines()[2].startswith("failed · version 3 of 3")
    states = re.findall(r"^ *(\d) +ver_\w+ +(\w+) ", shown, re.MULTILINE)
    assert sorted(states) == [("1", "superseded"), ("2", "active"), ("3", "failed")]


def test_only_pages_can_be_drawn(library: Home, tmp_path: Path) -> None:
    chunk = document(library, "show", "Tea")["chunks"][1]["chunk_id"]
    target = tmp_path / "page.png"
    done = run(library, "show", "Tea", "--chunk", chunk, "--png", str(target))
    assert done.exit_code == 1 and "INVALID_ARGUMENT" in done.stderr and "markdown" in done.stderr
    assert "--chunk" in run(library, "show", "Tea", "--png", str(target)).stderr
    assert not target.exists()


def test_status_and_snapshots(library: Home) -> None:
    status = document(library, "status")
    assert status["snapshot"] == 1
    assert status["counts"]["documents"] == 4 and status["counts"]["failed"] == 1
    assert status["counts"]["duplicates"] == 0
    assert status["collections"] == {"inbox": 3, "stories": 1}
    (snapshot,) = document(library, "snapshots")["snapshots"]
    assert snapshot["current"] and not snapshot["missing"]
    assert "chunks of all versions" in run(library, "status").stdout
    assert "chunks of all versions" in run(library, "snapshots").stdout


def test_snapshots_count_the_conversations_that_keep_them(tmp_path: Path) -> None:
    home = build_library(tmp_path / "lib", [SmallDoc("a.md", "# Tea\n\nGreen.")])
    names = [f"ses_{letter}-{number}" for letter in "ab" for number in (1, 2)]
    for name in names:
        pin(home, name, 1)
    shown = run(home, "snapshots").stdout
    assert "current pinned by 2 conversations" in shown
    assert "ses_" not in shown
    assert document(home, "snapshots")["snapshots"][0]["pins"] == names


def test_a_second_ui_says_where_the_first_one_is(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = Webserver("http://127.0.0.1:3000", "http://127.0.0.1:4000")
    monkeypatch.setattr(Webserver, "find", lambda _: running)
    shown = run(library, "ui").stdout
    assert running.url in shown and running.console in shown


@pytest.mark.parametrize("published", ["before", "by this run", "before, now unreadable"])
def test_a_failed_ingest_says_what_it_found_and_what_is_published(
    library: Home, monkeypatch: pytest.MonkeyPatch, published: str
) -> None:
    now = datetime.now(UTC)
    status = RunStatus(
        run_id="00000000-0000-4000-8000-000000000001",
        job="ingest",
        state="failure",
        submitted_at=now,
        ended_at=now,
        counts={"added": 26, "duplicates": 3, "ignored": 1},
        duplicate_files=[DuplicateFile(source_uri="file://in/b.md", same_as="file://in/a.md")],
        error=RunError(code="DISK_FULL", message="The disk is full."),
    )
    RunFiles(library).write(status)
    handle = RunHandle(status.run_id, None, "process")
    monkeypatch.setattr("mcp_app.ingestion.register_and_start", lambda *_, **__: handle)
    if published == "by this run":
        manifest = load_manifest(library, 1).model_copy(update={"run_id": status.run_id})
        monkeypatch.setattr("rag_query.library.manifests.load_manifest", lambda *_: manifest)
    elif published == "before, now unreadable":
        monkeypatch.setattr(Home, "current", library.snapshots)
    try:
        told = run(library, "ingest")
    finally:
        (library.jobs / f"{status.run_id}.json").unlink()
    assert told.exit_code == 1 and "DISK_FULL" in told.stderr
    assert re.search(r"found in the sources +number\n.*\n new +26\n", told.stdout)
    assert "added" not in told.stdout
    copies = r" duplicate +same content as\n.*\n file://in/b.md +file://in/a.md\n+… and 2 more\n"
    assert re.search(copies, told.stdout)
    stands = {
        "before": "Nothing was published: snapshot 1 still answers.",
        "by this run": "Snapshot 1 is published; what was to follow is not done.",
        "before, now unreadable": "Nothing was published, and what was published before cannot be "
        "read.",
    }
    assert told.stdout.endswith(f"{stands[published]}\n")


def test_gc_without_anything_old_removes_nothing(library: Home) -> None:
    assert document(library, "gc", "--dry-run")["snapshots"] == []


def test_init_makes_a_library_once(tmp_path: Path) -> None:
    made = document(tmp_path / "new", "init", "--shards", "3")
    assert made["shards"] == 3 and made["library_id"].startswith("lib_")
    again = run(tmp_path / "new", "init")
    assert again.exit_code == 1 and "LIBRARY_EXISTS" in again.stderr


def test_init_keeps_a_strategy_file_by_a_path_that_holds_in_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my.yaml").write_bytes((FOLDER / "default.yaml").read_bytes())
    monkeypatch.chdir(tmp_path)
    made = document(tmp_path / "new", "init", "--strategy", "my.yaml")
    assert made["strategy"] == str(tmp_path / "my.yaml")
    assert document(tmp_path / "named", "init", "--strategy", "minilm")["strategy"] == "minilm"


@pytest.mark.parametrize("command", ["init", "ingest"])
def test_a_wrong_parameter_is_told_before_there_is_a_library(tmp_path: Path, command: str) -> None:
    strategy = tmp_path / "typo.yaml"
    written = (FOLDER / "minilm.yaml").read_text(encoding="utf-8")
    strategy.write_text(written.replace("precision: quickest", "precison: auto"), encoding="utf-8")
    paths = [str(tmp_path)] if command == "ingest" else []
    result = run(tmp_path / "new", command, *paths, "--strategy", str(strategy))
    assert result.exit_code == 1
    assert result.stderr.startswith("error INVALID_STRATEGY: embedder.openvino: ")
    assert "Did you mean 'precision'?" in result.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["show", "nothing.md"], "DOCUMENT_NOT_FOUND"),
        (["show", "tea.md", "--chunk", "chk_0"], "CHUNK_NOT_FOUND"),
        (["query"], "INVALID_ARGUMENT"),
        (["query", "x", "--plan", "-"], "INVALID_ARGUMENT"),
        (["query", "--plan", "nowhere.json"], "PATH_NOT_FOUND"),
        (["query", " "], "INVALID_PLAN"),
        (["query", "x", "--top-k", "-1"], "INVALID_PLAN"),
        (["query", "x", "--language", "klingon"], "INVALID_FILTER"),
        (["rollback", "99"], "SNAPSHOT_NOT_FOUND"),
        (["ingest", "nowhere"], "PATH_NOT_FOUND"),
        (["ingest", "/dev/null"], "INVALID_ARGUMENT"),
        (["ingest", "--strategy", "defautl"], "INVALID_STRATEGY"),
        (["list", "--cursor", "x"], "INVALID_ARGUMENT"),
    ],
)
def test_a_failure_is_a_line_with_a_code(library: Home, arguments: list[str], code: str) -> None:
    plain = run(library, *arguments)
    assert plain.exit_code == 1 and not plain.stdout
    assert plain.stderr.startswith(f"error {code}: ")
    assert "Traceback" not in plain.stderr
    as_json = run(library, *arguments, "--json")
    assert as_json.exit_code == 1
    assert json.loads(as_json.stdout)["error"]["code"] == code


@pytest.mark.parametrize("name", ["list", "status", "snapshots", "gc", "rollback", "ingest"])
def test_without_a_library_every_command_says_so(tmp_path: Path, name: str) -> None:
    result = run(tmp_path / "nothing", name)
    assert result.exit_code == 1
    assert "LIBRARY_NOT_FOUND" in result.stderr and "excerpta init" in result.stderr
    assert "'nothing'" in result.stderr and "excerpta ingest PATH" in result.stderr
    assert not (tmp_path / "nothing").exists()


def test_a_delete_is_only_done_when_confirmed(library: Home) -> None:
    result = run(library, "delete", "tea.md", text="n\n")
    assert result.exit_code == 1
    assert "tea.md" in result.stderr
    assert document(library, "list", "tea.md")["items"][0]["status"] == "active"


def test_a_delete_that_nobody_can_confirm_says_how(library: Home) -> None:
    result = run(library, "delete", "tea.md", text="")
    assert result.exit_code == 1
    assert "Add --yes" in result.stderr and "Aborted" not in result.stderr
    assert document(library, "list", "tea.md")["items"][0]["status"] == "active"


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from mcp_app.commands.app import app\n"
        "assert 'rollback' in CliRunner().invoke(app, ['--help']).stdout\n"
        "print([m for m in ('pyarrow', 'pydantic', 'rich.table', 'dagster', 'mcp', 'torch')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "home"),
    [
        (["mcp"], None),
        (["--home", "a", "mcp"], "a"),
        (["mcp", "--home", "a"], "a"),
        (["mcp", "--home=a"], "a"),
        (["mcp", "--help"], "not plain"),
        (["mcp", "--home"], "not plain"),
        (["query", "mcp"], "not plain"),
        ([], "not plain"),
    ],
)
def test_the_server_is_started_without_the_command_line(
    arguments: list[str], home: str | None
) -> None:
    plain = cli._is_plain_mcp(arguments)
    assert (cli._home(arguments) if plain else "not plain") == home


def test_a_server_with_a_wrong_setting_ends_with_a_line_that_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mcp_app.cli", "mcp", "--home", str(tmp_path)]
    environment = os.environ | {"EXCERPTA_ANSWER_TOKENS": "-1"}
    out, err = tmp_path / "out", tmp_path / "err"
    with (
        out.open("w") as said,
        err.open("w") as told,
        subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=said, stderr=told
        ) as server,
    ):
        assert server.wait(60) == 1
    assert not out.read_text()
    assert "error INVALID_ARGUMENT: EXCERPTA_ANSWER_TOKENS must be" in err.read_text()
    assert "Correct it" in err.read_text() and "Traceback" not in err.read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "caf\udce9.md"],
        ["delete", "caf\udce9.md"],
        ["ingest", "--tag", "caf\udce9"],
        ["list", "--cursor", "o99999999999999999999999"],
    ],
)
def test_an_argument_that_no_table_can_hold_is_a_wrong_argument(
    library: Home, arguments: list[str]
) -> None:
    done = run(library, *arguments, "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["error"]["code"] == "INVALID_ARGUMENT"


def test_another_number_of_shards_than_the_librarys_is_refused_before_a_run(
    tmp_path: Path,
) -> None:
    home = build_library(tmp_path / "lib", [SmallDoc("a.md", "# Tea\n\nGreen.")], shards=2)
    written = json.loads(home.settings.read_text())
    home.settings.write_text(json.dumps(written | {"shards": 3}))
    refused = run(home, "ingest")
    assert refused.exit_code == 1 and "error LIBRARY_INCOMPATIBLE" in refused.stderr
    assert "`shards`: 3" in refused.stderr and "Put 2 back" in refused.stderr
    home.settings.write_text(json.dumps(written))
    check_shards(home, load_settings(home))


def test_a_rollback_that_waits_says_for_what(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = build_library(tmp_path / "lib", [SmallDoc("a.md", "# Tea\n\nGreen.")], shards=1)
    monkeypatch.setattr(files, "TOLD_AFTER_S", 0.0)
    with ExitStack() as publishing:
        publishing.enter_context(publication_lock(home))

        def comes_free(record: logging.LogRecord) -> bool:
            files.waits.callHandlers(record)
            publishing.close()
            return False

        monkeypatch.setattr(files.waits, "filters", [comes_free])
        waited = run(home, "rollback", "1")
    assert waited.exit_code == 0 and "writing to the published snapshots" in waited.stderr


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        ("CURRENT holds no number", "CURRENT does not say"),
        ("CURRENT is lost", "CURRENT, which says what is published, is not there"),
        ("CURRENT names another", "snapshot 99"),
        ("the manifest is damaged", "Snapshot 1 is current: "),
    ],
)
def test_snapshots_says_why_none_is_current(tmp_path: Path, harm: str, told: str) -> None:
    home = build_library(tmp_path / "lib", [SmallDoc("a.md", "# Tea\n\nGreen.")], shards=1)
    if harm == "CURRENT is lost":
        home.current.unlink()
        assert "are: 1." in run(home, "status").stdout
    elif harm == "the manifest is damaged":
        home.snapshot_file(1).write_text("{")
    else:
        home.current.write_text("99" if "another" in harm else "")
        assert "SNAPSHOT_DAMAGED" in run(home, "status").stderr
    found = document(home, "snapshots")
    assert [item["current"] for item in found["snapshots"]] == [False] * ("manifest" not in harm)
    (warning,) = found["warnings"]
    assert told in warning and "excerpta rollback" in warning
    shown = run(home, "snapshots")
    assert shown.exit_code == 0 and told in shown.stderr
    assert "Nothing has been published" not in shown.stdout
