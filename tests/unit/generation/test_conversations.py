"""A conversation's log, its lock and its snapshots, whatever else happens at the same moment."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rag_query.contracts.answer import Answer, AnswerStatus, Lock, LockStatus, Parent
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.generation.conversation import conversations
from rag_query.generation.conversation.conversations import (
    ConversationLog,
    forget_about,
    release_idle,
)
from rag_query.library import manifests
from rag_query.library.create import create_library
from rag_query.library.files import write_json
from rag_query.library.home import Home
from rag_query.library.manifests import pins
from rag_query.library.settings import load_settings

MONTH = timedelta(days=30)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    found = Home(tmp_path / "home")
    create_library(found, shards=1)
    monkeypatch.setattr(manifests, "load_manifest", lambda home, number: None)
    return found


@pytest.fixture
def log(home: Home) -> ConversationLog:
    return ConversationLog(home, load_settings(home).library_id)


def say(log: ConversationLog, session_id: str | None = None, lock: Lock | None = None) -> str:
    """One whole turn; its conversation's id."""
    with log.turn(session_id) as held:
        log.hold(held.session_id, 1)
        log.append(held, answer(held.session_id, len(held.turns) + 1, lock))
    return held.session_id


def answer(session_id: str, turn: int, lock: Lock | None = None) -> Answer:
    return Answer(
        session_id=session_id, turn=turn, question="q", status=AnswerStatus.RELEASED,
        language="en", text="t", lock=lock or Lock(), snapshot=1, strategy_config_id="x",
        answered_at=datetime.now(UTC),
    )  # fmt: skip


def age(*paths: Path) -> None:
    then = (datetime.now(UTC) - 2 * MONTH).timestamp()
    for path in paths:
        os.utime(path, (then, then))


def pin_files(home: Home) -> list[Path]:
    return list((home.snapshots / "pins").iterdir())


def released(home: Home) -> list[str]:
    return release_idle(home, MONTH, datetime.now(UTC))


def test_a_first_turn_being_answered_keeps_its_snapshot(home: Home, log: ConversationLog) -> None:
    with log.turn(None) as begun:
        log.hold(begun.session_id, 1)
        assert released(home) == []
        assert list(pins(home).values()) == [1]
    # It came to nothing: the next clean-up lets go.
    age(*pin_files(home))
    assert released(home) == [begun.session_id] and not pins(home)


def test_an_old_conversation_that_is_asked_again_keeps_its_snapshot(
    home: Home, log: ConversationLog
) -> None:
    session_id = say(log)
    age(home.conversations / f"{session_id}.jsonl", *pin_files(home))
    with log.turn(session_id):
        log.hold(session_id, 1)
        assert released(home) == [] and len(pins(home)) == 1
    age(*pin_files(home))
    assert released(home) == [session_id] and not pins(home)
    assert log.sessions() == [session_id]


def test_a_clean_up_reads_no_pin_more_than_once(
    home: Home, log: ConversationLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        name = f"ses_{number:024x}-1"
        write_json(home.snapshots / "pins" / f"{name}.json", {"snapshot": 1})
    age(*pin_files(home))
    listed: list[str] = []
    find = conversations.pin_files

    def counted(home: Home, prefix: str = "") -> list[Path]:
        listed.append(prefix)
        return find(home, prefix)

    monkeypatch.setattr(conversations, "pin_files", counted)
    assert len(released(home)) == 50
    assert listed == ["ses_"] and not pins(home)


def test_an_unknown_conversation_leaves_nothing(home: Home, log: ConversationLog) -> None:
    before = list(home.locks.glob("*"))
    for ask in (lambda: log.turn(f"ses_{7:024x}").__enter__(), lambda: log.forget(f"ses_{7:024x}")):
        with pytest.raises(ExcerptaError) as caught:
            ask()
        assert caught.value.code is ErrorCode.SESSION_NOT_FOUND
    assert list(home.locks.glob("*")) == before


def test_a_conversation_is_forgotten_when_its_turn_has_been_answered(
    home: Home, log: ConversationLog
) -> None:
    session_id = say(log)
    with log.turn(session_id) as held:
        forgetting = threading.Thread(target=log.forget, args=(session_id,))
        forgetting.start()
        forgetting.join(0.2)
        assert forgetting.is_alive(), "waits for the turn"
        log.append(held, answer(session_id, 2))
    forgetting.join(10)
    assert log.sessions() == [] and not pins(home)
    assert not list(home.locks.glob("conversation-*"))


def test_a_turn_that_waited_while_its_conversation_was_forgotten_is_told(
    home: Home, log: ConversationLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = say(log)
    locked = conversations._locked

    def forgotten_meanwhile(home: Home, session_id: str) -> object:
        with locked(home, session_id):
            conversations._forget(home, home.conversations / f"{session_id}.jsonl")
        return locked(home, session_id)

    monkeypatch.setattr(conversations, "_locked", forgotten_meanwhile)
    with pytest.raises(ExcerptaError) as caught:
        say(log, session_id)
    assert caught.value.code is ErrorCode.SESSION_NOT_FOUND
    assert log.sessions() == []


def test_a_hard_delete_meets_what_a_turn_in_progress_is_about_to_quote(
    home: Home, log: ConversationLog
) -> None:
    other, session_id = say(log), say(log)
    quoted = Parent(
        parent_id="ver_1", doc_id="doc_gone", title="Gone", version_no=1, is_latest=True,
        source_uri="file://a/b",
    )  # fmt: skip
    lock = Lock(status=LockStatus.LOCKED, parent=quoted)
    found: list[str] = []
    with log.turn(session_id) as held:
        deleting = threading.Thread(
            target=lambda: found.extend(forget_about(home, lambda p: p.doc_id == "doc_gone"))
        )
        deleting.start()
        deleting.join(0.2)
        log.append(held, answer(session_id, 2, lock))
    deleting.join(10)
    assert found == [session_id] and log.sessions() == [other]
