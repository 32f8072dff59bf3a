"""``excerpta ask``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    local_time,
    print_json,
    report_error,
    resolve_home,
    table,
    warn,
)

if TYPE_CHECKING:
    from rag_query.contracts.answer import Answer
    from rag_query.generation.conversation.asker import Asker

_RELEASE = "/release"
_QUIT = ("/quit", "/exit")


@command
def ask(
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="Without one, a conversation.")
    ] = None,
    *,
    session: Annotated[
        str | None, typer.Option(metavar="SESSION", help="Continue this conversation.")
    ] = None,
    lock: Annotated[
        str | None,
        typer.Option(metavar="DOC", help="Answer from this document: id, title or file name."),
    ] = None,
    release: Annotated[
        bool, typer.Option("--release", help="Release the document of --session.")
    ] = False,
    replay: Annotated[
        str | None, typer.Option(metavar="SESSION", help="Replay a conversation and compare.")
    ] = None,
    sessions: Annotated[
        bool, typer.Option("--sessions", help="List the conversations, the last used first.")
    ] = False,
    forget: Annotated[
        str | None, typer.Option(metavar="SESSION", help="Remove a conversation.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer from one document, every sentence mapped to its passages."""
    from rag_query.contracts.errors import ErrorCode, ExcerptaError
    from rag_query.generation.conversation.asker import Asker
    from rag_query.retrieval.open import open_retriever

    with open_retriever(resolve_home(home)) as retriever:
        asker = Asker(retriever)
        if replay is not None:
            _replay(asker, replay, as_json)
        elif sessions:
            if question is not None:
                raise ExcerptaError(
                    ErrorCode.INVALID_ARGUMENT,
                    "--sessions lists the conversations and asks nothing.",
                    hint="Leave --sessions out to ask; --session SESSION continues one.",
                )
            _sessions(asker, as_json)
        elif forget is not None:
            asker.log.forget(forget)
            if as_json:
                print_json({"ok": True, "forgotten": forget})
            else:
                console().print(f"Conversation {forget} is forgotten.")
        elif release:
            if session is None:
                raise ExcerptaError(
                    ErrorCode.INVALID_ARGUMENT,
                    "--release needs --session SESSION.",
                    hint="`excerpta ask --sessions` lists the conversations.",
                )
            _show(asker.release(session), as_json)
        elif question is not None:
            _show(asker.ask(question, session, lock), as_json)
        else:
            _converse(asker, session, lock, as_json)


def _converse(asker: Asker, session: str | None, lock: str | None, as_json: bool) -> None:
    """One question a line until the end of input; a question that fails ends nothing."""
    from rag_query.contracts.errors import ExcerptaError

    terminal = sys.stdin.isatty()
    if terminal:
        console(stderr=True).print(f"{_RELEASE} releases the document, {_QUIT[0]} ends.")
    while True:
        if terminal:
            sys.stderr.write("? ")
            sys.stderr.flush()
        line = sys.stdin.readline()
        said = line.strip()
        if not line or said in _QUIT:
            return
        if not said:
            continue
        try:
            if said != _RELEASE:
                answer = asker.ask(said, session, lock)
            elif session is not None:
                answer = asker.release(session)
            else:
                warn("Nothing was asked yet, so no document is to be released.")
                continue
        except ExcerptaError as error:
            report_error(error)
            continue
        session, lock = answer.session_id, None
        _show(answer, as_json)


def _show(answer: Answer, as_json: bool) -> None:
    if as_json:
        print_json(answer.model_dump(mode="json"))
        return
    out = console()
    out.print(answer.text)
    out.print(f"\n[{answer.status}] session {answer.session_id}")
    for warning in answer.warnings:
        warn(warning)


def _sessions(asker: Asker, as_json: bool) -> None:
    found = list(_listed(asker))
    if as_json:
        print_json(found)
        return
    rows = table("session", "turns", "last", "last question", right=("turns",))
    for each in found:
        if "error" in each:
            rows.add_row(each["session_id"], "", "", each["error"]["message"])
        else:
            asked_at = local_time(each["last_at"])
            rows.add_row(each["session_id"], str(each["turns"]), asked_at, each["last_asked"])
    console().print(rows)


def _listed(asker: Asker) -> Iterator[dict[str, Any]]:
    """A row for each conversation, and for each whose log cannot be read; none for one whose first
    turn was cut off, so that nothing was answered in it."""
    from rag_query.contracts.errors import ExcerptaError

    for session in asker.log.sessions():
        try:
            turns = asker.log.read(session).turns
        except ExcerptaError as error:
            yield {"session_id": session, "error": error.to_dict()}
            continue
        if turns:
            yield {
                "session_id": session,
                "turns": len(turns),
                "last_asked": turns[-1].asked,
                "last_at": turns[-1].answered_at,
            }


def _replay(asker: Asker, session: str, as_json: bool) -> None:
    from mcp_app.replay_text import replay_markdown
    from rag_query.generation.conversation.replay import replay

    found = replay(asker, session)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        console().print(replay_markdown(found))
    if not found.equal:
        raise typer.Exit(1)
