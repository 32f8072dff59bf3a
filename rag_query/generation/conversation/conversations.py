"""The conversation log: what was asked, what was answered and why, kept for replay.

One append-only file of JSON lines for each conversation under the library's ``conversations``;
a line is on disk before its answer leaves. The first line names the library. A last line that a
power failure cut is dropped; the state of a conversation is that of its last whole turn. The
snapshots a conversation used stay pinned while it is kept.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rag_query.contracts.answer import Answer, Lock, Parent
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.files import exclusive, sync_folder
from rag_query.library.home import Home
from rag_query.library.manifests import pin, pin_files, renew_pin

_SESSION = re.compile(r"ses_[0-9a-f]{24}")
_WAIT_S = 60.0
#: A snapshot pinned this recently may be that of a turn being answered, whose log comes last.
_LONGEST_TURN = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as its log tells it."""

    session_id: str
    library_id: str
    turns: tuple[Answer, ...] = ()

    @property
    def lock(self) -> Lock:
        """The lock after the last turn."""
        return self.turns[-1].lock if self.turns else Lock()


class ConversationLog:
    """Reads and writes the conversations of one library. Safe across processes."""

    def __init__(self, home: Home, library_id: str) -> None:
        self._home = home
        self._library_id = library_id

    @contextmanager
    def turn(self, session_id: str | None) -> Iterator[Conversation]:
        """Hold a conversation for one turn; without an id, begin one.

        Raises:
            ExcerptaError: ``SESSION_NOT_FOUND``, ``SESSION_OF_OTHER_LIBRARY``,
                ``SESSION_DAMAGED``; ``BUSY`` when another turn of it takes too long.
        """
        if session_id is None:
            # Written with its first turn, so that a question that fails leaves nothing.
            yield Conversation(f"ses_{uuid.uuid4().hex[:24]}", self._library_id)
            return
        # A lock's file stays, so none is made for a conversation that there is not.
        if not self._path(session_id).exists():
            raise _unknown(session_id)
        with _locked(self._home, session_id):
            yield self.read(session_id)

    def read(self, session_id: str) -> Conversation:
        """A conversation with all its turns. Raises as :meth:`turn`."""
        path = self._path(session_id)
        try:
            lines = path.read_bytes().split(b"\n")
        except FileNotFoundError:
            raise _unknown(session_id) from None
        try:
            # What stands behind the last line's end is a turn that never was.
            found = [json.loads(line) for line in lines[:-1] if line]
            opened, turns = found[0], [Answer.model_validate(line["answer"]) for line in found[1:]]
            library_id: str = opened["library_id"]
        except (ValueError, KeyError, IndexError, ValidationError) as exc:
            raise ExcerptaError(
                ErrorCode.SESSION_DAMAGED,
                f"The log of conversation {session_id} cannot be read.",
                hint="Begin a new conversation.",
            ) from exc
        if library_id != self._library_id:
            raise ExcerptaError(
                ErrorCode.SESSION_OF_OTHER_LIBRARY,
                f"Conversation {session_id} belongs to another library.",
                hint="Begin a new conversation, or open the library it was held in.",
            )
        return Conversation(session_id, library_id, tuple(turns))

    def hold(self, session_id: str, snapshot: int) -> None:
        """Pin a snapshot for a turn of a conversation. Raises ``SNAPSHOT_NOT_FOUND``."""
        name = _pin_name(session_id, snapshot)
        if not renew_pin(self._home, name):
            pin(self._home, name, snapshot)

    def append(self, conversation: Conversation, answer: Answer) -> None:
        """Add a turn; it is on disk when this returns. Raises OSError, and the turn never was."""
        path = self._path(conversation.session_id)
        lines = b""
        fresh = not path.exists()
        if fresh:
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = _line(
                {
                    "type": "opened",
                    "session_id": conversation.session_id,
                    "library_id": self._library_id,
                    "opened_at": datetime.now(UTC).isoformat(),
                }
            )
        lines += _line({"type": "turn", "answer": answer.model_dump(mode="json")})
        try:
            with path.open("ab") as file:
                _drop_cut_line(path, file)
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            if fresh:
                path.unlink(missing_ok=True)  # No log is shorter than its first turn.
            raise
        if fresh:
            sync_folder(path.parent)

    def forget(self, session_id: str) -> None:
        """Remove a conversation and let go of its snapshots.

        Raises:
            ExcerptaError: ``SESSION_NOT_FOUND``; ``BUSY`` when a turn of it takes too long.
        """
        path = self._path(session_id)
        if not path.exists():
            raise _unknown(session_id)
        with _locked(self._home, session_id):
            _forget(self._home, path)

    def sessions(self) -> list[str]:
        """Ids of all conversations, the last used first."""
        found = sorted(
            self._home.conversations.glob("ses_*.jsonl"), key=lambda p: -p.stat().st_mtime
        )
        return [path.stem for path in found]

    def _path(self, session_id: str) -> Path:
        if not _SESSION.fullmatch(session_id):
            raise _unknown(session_id)
        return self._home.conversations / f"{session_id}.jsonl"


def release_idle(home: Home, unused_for: timedelta, now: datetime) -> list[str]:
    """Let go of the snapshots of conversations unused for so long, and of first turns that came
    to nothing; their ids.

    Their logs stay, and can be replayed while the snapshots happen to be there.
    """
    held: dict[str, list[Path]] = {}
    for file in pin_files(home, "ses_"):
        held.setdefault(file.stem.rpartition("-")[0], []).append(file)
    in_turn = now - _LONGEST_TURN
    before = min(now - unused_for, in_turn)
    idle = []
    for session_id, files in held.items():
        said = _changed_at(home.conversations / f"{session_id}.jsonl")
        used = [time for time in (said, *map(_changed_at, files)) if time]
        if used and max(used) < (before if said else in_turn):
            _unlink(files)
            idle.append(session_id)
    return idle


def forget_about(home: Home, gone: Callable[[Parent], bool]) -> list[str]:
    """Remove every conversation that quotes or names a parent that is to leave no trace; their ids.

    A log that cannot be read is removed too, because it may hold what is to go. A conversation
    is looked at when no turn of it is being answered.

    Raises:
        ExcerptaError: ``BUSY`` when a turn takes too long.
    """
    forgotten = []
    for path in sorted(home.conversations.glob("ses_*.jsonl")):
        with _locked(home, path.stem):
            if path.exists() and _is_about(path, gone):
                _forget(home, path)
                forgotten.append(path.stem)
    return forgotten


def _is_about(log: Path, gone: Callable[[Parent], bool]) -> bool:
    try:
        lines = [json.loads(line) for line in log.read_bytes().split(b"\n") if line]
        turns = [Answer.model_validate(line["answer"]) for line in lines[1:]]
        return any(gone(parent) for turn in turns for parent in _parents(turn))
    except (ValueError, KeyError, ValidationError):
        return True


def _parents(turn: Answer) -> Iterator[Parent]:
    if turn.lock.parent is not None:
        yield turn.lock.parent
    yield from (candidate.parent for candidate in turn.lock.candidates)
    if turn.insufficient is not None:
        yield from turn.insufficient.other_documents


def _forget(home: Home, log: Path) -> None:
    """Remove a conversation whose lock is held. Whoever waits for the lock finds no log then."""
    _unlink(pin_files(home, f"{log.stem}-"))
    _unlink([log, _lock_file(home, log.stem)])


def _unlink(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _changed_at(path: Path) -> datetime | None:
    """When a file was written; None when there is none."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:
        return None


def _locked(home: Home, session_id: str) -> AbstractContextManager[None]:
    """Hold a conversation. Raises ``BUSY`` when a turn of it takes too long."""
    return exclusive(_lock_file(home, session_id), timeout_s=_WAIT_S, what="this conversation")


def _lock_file(home: Home, session_id: str) -> Path:
    return home.locks / f"conversation-{session_id}"


def _pin_name(session_id: str, snapshot: int) -> str:
    return f"{session_id}-{snapshot}"


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _drop_cut_line(path: Path, file: Any) -> None:
    """A turn begins on a line of its own, whatever a power failure left behind."""
    size = path.stat().st_size
    if not size:
        return
    with path.open("rb") as reader:
        reader.seek(-1, os.SEEK_END)
        if reader.read(1) == b"\n":
            return
        reader.seek(0)
        whole = reader.read().rfind(b"\n") + 1
    file.truncate(whole)


def _unknown(session_id: str) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.SESSION_NOT_FOUND,
        f"There is no conversation {session_id!r} in this library.",
        hint="`excerpta ask --sessions` lists those there are; asking without one begins another.",
    )
