"""``excerpta ask``: one question, a conversation, its replay."""

from __future__ import annotations

import re

from rag_query.library.home import Home
from tests.unit.mcp_app.test_command_line import document, run


def test_one_question_with_its_passages(library: Home) -> None:
    answer = document(library, "ask", "How is green tea steamed?", "--lock", "tea.md")
    assert answer["status"] == "answered"
    assert answer["lock"]["decided_by"] == "document_id"
    shown = run(library, "ask", "How is green tea steamed?", "--lock", "tea.md").stdout
    assert "Green tea is steamed." in shown and "Source: Tea" in shown
    assert re.search(
        r"^\[1\] § Tea · page 1 · `file://inbox/tea.md` · `chk_[0-9a-f]+`$", shown, re.M
    )


def test_a_conversation_on_standard_input_then_its_replay(library: Home) -> None:
    lines = "How is green tea steamed?\n\nBrew at how many degrees?\n/release\n/quit\nnever read\n"
    shown = run(library, "ask", "--lock", "tea.md", text=lines)
    assert shown.exit_code == 0, shown.stderr
    assert "Green tea is steamed." in shown.stdout and "80 degrees" in shown.stdout
    assert "[released]" in shown.stdout and "never read" not in shown.stdout
    session = shown.stdout.rpartition("session ")[2].strip()
    replayed = document(library, "ask", "--replay", session)
    assert replayed["equal"] is True
    assert [turn["recorded"]["turn"] for turn in replayed["turns"]] == [1, 2, 3]
    assert "equals its record" in run(library, "ask", "--replay", session).stdout

    listed = {each["session_id"]: each for each in document(library, "ask", "--sessions")}
    assert listed[session]["turns"] == 3
    assert session in run(library, "ask", "--sessions").stdout
    assert document(library, "ask", "--forget", session)["forgotten"] == session
    gone = run(library, "ask", "--replay", session)
    assert gone.exit_code == 1 and "SESSION_NOT_FOUND" in gone.stderr


def test_damaged_and_empty_logs_hide_no_other_conversation(library: Home) -> None:
    good = document(library, "ask", "How is green tea steamed?")["session_id"]
    log = (library.conversations / f"{good}.jsonl").read_text()
    cut, damaged = (f"ses_{digit * 24}" for digit in "ab")
    (library.conversations / f"{cut}.jsonl").write_text(log.split("\n")[0] + "\n" + log[-50:-1])
    (library.conversations / f"{damaged}.jsonl").write_text("{\n")
    listed = {each["session_id"]: each for each in document(library, "ask", "--sessions")}
    assert listed[good]["turns"] == 1
    assert listed[damaged]["error"]["code"] == "SESSION_DAMAGED"
    shown = run(library, "ask", "--sessions").stdout
    assert good in shown and f"conversation {damaged} cannot be read" in shown
    assert cut not in listed and cut not in shown
    assert damaged in run(library, "ask", "--forget", damaged).stdout
    assert damaged not in run(library, "ask", "--sessions").stdout
    both = run(library, "ask", "How is tea steamed?", "--sessions")
    assert both.exit_code == 1 and "INVALID_ARGUMENT" in both.stderr


def test_release_before_any_question_asks_nothing(library: Home) -> None:
    shown = run(library, "ask", text="/release\nHow is green tea steamed?\n")
    assert shown.exit_code == 0 and "released" in shown.stderr
    assert shown.stdout.count("session ses_") == 1


def test_a_question_that_fails_ends_no_conversation(library: Home) -> None:
    lines = f"{'x' * 5000}\nHow is green tea steamed?\n"
    shown = run(library, "ask", text=lines)
    assert shown.exit_code == 0 and "INVALID_ARGUMENT" in shown.stderr
    assert "[answered]" in shown.stdout


def test_release_needs_a_conversation(library: Home) -> None:
    failed = run(library, "ask", "--release")
    assert failed.exit_code == 1 and "INVALID_ARGUMENT" in failed.stderr
