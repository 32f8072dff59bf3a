"""Commands whose output nobody can take, or whose locale is not UTF-8."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mcp_app.commands.app import app
from rag_query.library.home import Home

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
#: As Python sees a locale of which it takes the encoding: here ASCII.
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def shell(
    home: Home, arguments: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command line of ``excerpta``, with redirections, as a shell runs it."""
    command = f"exec {shlex.join([sys.executable, '-m', 'mcp_app.cli', '--home', str(home.root)])}"
    return subprocess.run(
        ["sh", "-c", f"{command} {arguments}"],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )


@needs_full
@pytest.mark.parametrize("form", ["", "--json"])
def test_output_that_cannot_be_written_is_not_the_librarys_fault(library: Home, form: str) -> None:
    done = shell(library, f"list {form} >{FULL}")
    assert done.returncode == 1
    assert done.stderr.startswith("error OUTPUT_LOST: The output could not be written: No space")
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


@needs_full
def test_a_command_goes_on_without_a_stderr_that_can_be_written(library: Home) -> None:
    code = (
        "from mcp_app.commands.invocation import console, warn; warn('a'); warn('b');"
        "console(stderr=True).print('c')"
    )
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -c "$1" 2>{FULL}', sys.executable, code], check=False
    )
    assert done.returncode == 0


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_works_without_its_standard_streams(library: Home, closed: str) -> None:
    done = shell(library, f"list {closed}")
    assert done.returncode == 0 and done.stderr == ""
    assert ("Coffee" in done.stdout) == (closed == "2>&-")


def test_a_failure_is_told_by_the_exit_code_at_least(library: Home) -> None:
    assert shell(library, "show nothing-of-that-name 2>&-").returncode == 1


def test_in_a_locale_that_is_not_utf8_names_are_what_they_are_elsewhere(library: Home) -> None:
    elsewhere = shell(library, "list --json")
    there = shell(library, "list --json", ASCII)
    assert there.returncode == 0, there.stderr
    assert there.stdout.isascii() and not elsewhere.stdout.isascii()
    assert json.loads(there.stdout) == json.loads(elsewhere.stdout)
    shown = shell(library, "show 备份", ASCII)
    assert shown.returncode == 0, shown.stderr
    assert r"\u5907\u4efd" in shown.stdout


def test_a_question_typed_in_the_locales_encoding_is_understood(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = "备份".encode("gbk").decode("utf-8", "surrogateescape")
    arguments = ["--home", str(library.root), "query", typed, "--mode", "exact", "--json"]
    assert CliRunner().invoke(app, arguments).exit_code == 1
    monkeypatch.setattr("locale.getencoding", lambda: "gbk")
    pack = json.loads(CliRunner().invoke(app, arguments).stdout)
    assert pack["evidences"][0]["title"] == "备份"


def test_an_interruption_while_the_command_is_imported_is_quiet() -> None:
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "sys.argv = ['excerpta', 'status']\n"
        "from mcp_app.cli import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
