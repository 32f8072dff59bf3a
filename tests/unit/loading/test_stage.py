"""The stage in its child processes, with loaders that behave and one that does not."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pyarrow as pa
import pytest

from rag_assets.child_processes.jobs import MODULES_VARIABLE
from rag_assets.child_processes.pool import close_pools
from rag_assets.context import StageContext
from rag_assets.loading import parse, stage
from rag_assets.loading.parse import RawBytes, open_raw
from rag_assets.part_failures import warnings_of
from rag_query.contracts.tables import DOCUMENTS, PARSED
from rag_query.library.settings import Limits
from rag_query.strategies.strategy import StageConfig, Strategy
from rag_query.text.ids import sha256_text
from tests.fixtures.library import SHARD, make_library, row_of
from tests.fixtures.pdfs import write_pdf
from tests.hashed_words import small_strategy
from tests.unit.loading import hostile

MEBIBYTE = 1024 * 1024


@pytest.fixture(scope="module", autouse=True)
def _no_children_left() -> Iterator[None]:
    yield
    close_pools()


def parsed(context: StageContext, name: str) -> dict[str, object]:
    return row_of(context, "parsed", name)


def hostile_strategy() -> Strategy:
    strategy = small_strategy()
    stages = strategy.stages.model_copy(
        update={"loader_text": StageConfig(provider="loader.test_hostile")}
    )
    return strategy.model_copy(update={"stages": stages})


def test_a_run_tells_what_loaders_warn_of(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    text = "这是一个用国标编码保存的文件。里面有一些中文句子，用来检查编码。"
    for number in range(4):
        (folder / f"{number}.txt").write_bytes(f"{text}{number}".encode("gb18030"))
    (folder / "plain.txt").write_text(text, encoding="utf-8")
    context = make_library(tmp_path / "home", folder)

    first, again = stage.run(context, SHARD), stage.run(context, SHARD)

    (warning,) = warnings_of([first.details])
    assert warning.startswith("4 warnings about what was read (DECODED_AS): ")
    assert warning.endswith(", …")
    assert not warnings_of([again.details])


def test_documents_of_every_format_become_rows(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Tide\n\n![m](m.png)\n", encoding="utf-8")
    (folder / "b.txt").write_text("Log of the day\n", encoding="utf-8")
    (folder / "bad.md").write_bytes(b"\xff\xfe\xfa")
    (folder / "c.jsonl").write_text(
        '{"_id": "x", "title": "X", "text": "one"}\nnot json\n{"_id": "y", "text": "two"}\n',
        encoding="utf-8",
    )
    write_pdf(folder / "d.pdf", ["Page one", "Page two"])
    context = make_library(tmp_path / "home", folder, records=True)

    result = stage.run(context, SHARD)

    assert (result.rows, result.computed, result.details["ready"]) == (7, 7, 5)
    assert result.details["failed_codes"] == {"BAD_RECORD": 1, "NOT_UTF8": 1}
    table = context.store.read("parsed", SHARD)
    assert table.schema.equals(PARSED)
    markdown = parsed(context, "a.md")
    assert (markdown["status"], markdown["title"], markdown["language"]) == ("ready", "Tide", "en")
    assert markdown["md_sha256"] == sha256_text("# Tide\n\n![m](m.png)\n")
    assert json.loads(str(markdown["parse_summary"]))["images"] == 1
    assert parsed(context, "2")["md"] == "two"
    pdf = parsed(context, "d.pdf")
    assert pdf["pages"] == 2
    anchors = pdf["anchors"]
    assert isinstance(anchors, list)
    assert [str(pdf["md"])[a["char_start"] : a["char_end"]] for a in anchors] == [
        "Page one",
        "Page two",
    ]
    assert [a["page"] for a in anchors] == [1, 2]
    bad = parsed(context, "bad.md")
    assert (bad["status"], bad["code"], bad["md"]) == ("failed", "NOT_UTF8", None)


def test_a_run_with_nothing_to_do_still_counts_what_the_shard_holds(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n", encoding="utf-8")
    (folder / "bad.md").write_bytes(b"\xff\xfe\xfa")
    first = stage.run(make_library(tmp_path / "home", folder), SHARD).details
    again = stage.run(make_library(tmp_path / "home", folder), SHARD).details
    for details in (first, again):
        assert (details["ready"], details["failed"]) == (1, 1)
        assert details["failed_codes"] == {"NOT_UTF8": 1}
    assert (first["newly_ready"], first["newly_failed"]) == (1, 1)
    assert (again["newly_ready"], again["newly_failed"]) == (0, 0)


def test_only_what_changed_is_parsed_again(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("a.md", "b.md", "c.md"):
        (folder / name).write_text(f"# {name}\n", encoding="utf-8")
    first = stage.run(make_library(tmp_path / "home", folder), SHARD)
    again = stage.run(make_library(tmp_path / "home", folder), SHARD)
    assert (again.computed, again.unchanged, again.written) == (0, 3, False)
    assert again.data_version == first.data_version
    (folder / "b.md").write_text("# other\n", encoding="utf-8")
    (folder / "c.md").unlink()
    changed = stage.run(make_library(tmp_path / "home", folder), SHARD)
    assert (changed.computed, changed.unchanged, changed.dropped, changed.rows) == (1, 1, 2, 2)


def test_raised_limits_give_a_failed_document_another_try(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    write_pdf(folder / "d.pdf", ["one", "two", "three"])
    context = make_library(tmp_path / "home", folder, limits=Limits(max_pages=2))
    assert stage.run(context, SHARD).details["failed_codes"] == {"PDF_TOO_MANY_PAGES": 1}
    assert "3 pages" in str(parsed(context, "d.pdf")["message"])
    context = make_library(tmp_path / "home", folder, limits=Limits(max_pages=3))
    assert stage.run(context, SHARD).details["failed_codes"] == {}
    assert parsed(context, "d.pdf")["status"] == "ready"


def test_a_missing_raw_file_is_the_documents_failure(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A", encoding="utf-8")
    (folder / "b.md").write_text("# B", encoding="utf-8")
    context = make_library(tmp_path / "home", folder)
    row = context.store.read("documents", SHARD).to_pylist()[0]
    context.home.raw_file(row["raw_sha256"]).unlink()
    raw = context.home.raw_file(row["raw_sha256"])
    assert stage.run(context, SHARD).details["failed_codes"] == {"FILE_MISSING": 1}
    assert parsed(context, "b.md")["status"] == "ready"
    # Once they are there, the next run reads them.
    raw.write_text("# A", encoding="utf-8")
    assert stage.run(context, SHARD).computed == 1
    assert parsed(context, "a.md")["status"] == "ready"
    assert stage.run(context, SHARD).computed == 0


def test_what_failed_is_tried_again_on_request(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_bytes(b"\xff\xfe\xfa")
    (folder / "b.md").write_text("# B", encoding="utf-8")
    context = make_library(tmp_path / "home", folder)
    stage.run(context, SHARD)
    assert stage.run(context, SHARD).computed == 0
    again = stage.run(replace(context, retry_failed=True), SHARD)
    assert (again.computed, again.details["failed_codes"]) == (1, {"NOT_UTF8": 1})


def test_a_thousand_corpora_keep_no_thousand_files_open(tmp_path: Path) -> None:
    def held() -> list[str]:
        # Other threads of this process open files of their own.
        return [file.path for file in psutil.Process().open_files() if str(tmp_path) in file.path]

    for number in range(30):
        path = tmp_path / f"{number}.jsonl"
        path.write_text("ab", encoding="utf-8")
        assert open_raw(RawBytes(str(path), 1, 1)) == b"b"
    assert len(held()) == 1
    parse.close_opened()
    assert held() == []


def test_lone_surrogates_do_not_stop_a_shard(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "c.jsonl").write_text('{"_id": "x", "text": "a\\ud800b"}\n', encoding="utf-8")
    context = make_library(tmp_path / "home", folder, records=True)
    stage.run(context, SHARD)
    assert parsed(context, "0")["md"] == "a\ufffdb"


def test_bad_documents_fail_alone_and_their_neighbours_are_read(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv(MODULES_VARIABLE, hostile.MODULE)
    folder = tmp_path / "docs"
    folder.mkdir()
    orders = {"hang": "PARSER_TIMEOUT", "eat": "PARSER_MEMORY", "gulp": "PARSER_MEMORY"}
    orders |= {"crash": "PARSER_CRASHED", "exit": "PARSER_CRASHED", "raise": "PARSE_FAILED"}
    for order in orders:
        (folder / f"{order}.txt").write_text(f"{order} now", encoding="utf-8")
    for number in range(30):
        (folder / f"good-{number}.txt").write_text(f"good {number}", encoding="utf-8")
    (folder / "print.txt").write_text("print", encoding="utf-8")
    limits = Limits(parse_timeout_s=6, parse_memory_bytes=256 * MEBIBYTE)
    context = make_library(tmp_path / "home", folder, limits=limits, strategy=hostile_strategy())

    result = stage.run(context, SHARD)

    assert result.details["ready"] == 31
    rows = {name: parsed(context, f"{name}.txt") for name in orders}
    assert {name: row["code"] for name, row in rows.items()} == orders
    assert "KeyError" in str(rows["raise"]["message"])
    # Who has to mend it is told where.
    assert f'{hostile.__name__.rpartition(".")[2]}.py", line' in caplog.text
    assert "SIGSEGV" in str(rows["crash"]["message"])
    assert "exit status 3" in str(rows["exit"]["message"])
    assert "6 s" in str(rows["hang"]["message"])
    assert capfd.readouterr().out == ""
    assert stage.run(context, SHARD).computed == 0
    listed = result.details["failed_documents"]
    assert isinstance(listed, list)
    assert {item["name"] for item in listed} == {f"{name}.txt" for name in orders}


def test_parser_processes_die_with_their_parent(tmp_path: Path) -> None:
    """kill -9 of the run in the middle of a hanging document leaves no process behind."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "hang.txt").write_text("hang", encoding="utf-8")
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from tests.fixtures.library import make_library\n"
        "from tests.unit.loading.test_stage import hostile_strategy\n"
        "from rag_assets.loading import stage\n"
        f"ctx = make_library(Path({str(tmp_path / 'home')!r}), Path({str(folder)!r}),"
        " strategy=hostile_strategy())\n"
        "stage.run(ctx, 's00')\n"
    )
    environment = {**os.environ, MODULES_VARIABLE: hostile.MODULE}
    with subprocess.Popen([sys.executable, "-c", program], env=environment) as parent:
        children: list[psutil.Process] = []
        deadline = time.monotonic() + 60
        while not children and time.monotonic() < deadline:
            time.sleep(0.1)
            children = psutil.Process(parent.pid).children()
        assert children
        parent.kill()
    _, alive = psutil.wait_procs(children, timeout=10)
    assert not alive


def test_a_pool_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rag_query.contracts.errors import ErrorCode, ExcerptaError

    monkeypatch.setenv(MODULES_VARIABLE, "no.such.module")
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A", encoding="utf-8")
    context = make_library(tmp_path / "home", folder)
    with pytest.raises(ExcerptaError) as caught:
        stage.run(context, SHARD)
    assert caught.value.code == ErrorCode.INTERNAL
    assert "ModuleNotFoundError" in caught.value.message


def test_an_empty_shard_is_an_empty_table(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    context = make_library(tmp_path / "home", folder)
    result = stage.run(context, SHARD)
    assert (result.rows, result.computed) == (0, 0)
    assert isinstance(context.store.read("parsed", SHARD), pa.Table)


def test_a_renamed_document_is_parsed_again_only_where_its_ending_is_another(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("import x from 'y'\n\nText.\n", encoding="utf-8")
    context = make_library(tmp_path / "home", folder)
    stage.run(context, SHARD)
    assert parsed(context, "a.md")["title"] is None
    for name, computed in (("b.md", 0), ("b.mdx", 1)):
        (row,) = context.store.read("documents", SHARD).to_pylist()
        renamed = pa.Table.from_pylist([row | {"name": name}], schema=DOCUMENTS)
        context.store.write("documents", SHARD, renamed)
        assert stage.run(context, SHARD).computed == computed
