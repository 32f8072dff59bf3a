"""``excerpta ask``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

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
    from rag_query.generation.asker import Asker

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
    from rag_query.generation.asker import Asker
    from rag_query.retrieval.open import open_retriever

    with open_retriever(resolve_home(home)) as retriever:
        asker = Asker(retriever)
        if replay is not None:
            _replay(asker, replay, as_json)
        elif sessions:
            _sessions(asker, as_json)
        elif forget is not None:
            asker.log.forget(forget)
            if as_json:
                print_json({"ok": True, "forgotten": forget})
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
            if said == _RELEASE and session is not None:
                answer = asker.release(session)
            else:
                answer = asker.ask(said, session, lock)
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
    found = [asker.log.read(session) for session in asker.log.sessions()]
    if as_json:
        print_json(
            [
                {
                    "session_id": each.session_id,
                    "turns": len(each.turns),
                    "last_asked": each.turns[-1].asked,
                    "last_at": each.turns[-1].answered_at,
                }
                for each in found
            ]
        )
        return
    rows = table("session", "turns", "last", "last question", right=("turns",))
    for each in found:
        last = each.turns[-1]
        rows.add_row(
            each.session_id, str(len(each.turns)), local_time(last.answered_at), last.asked
        )
    console().print(rows)


def _replay(asker: Asker, session: str, as_json: bool) -> None:
    from mcp_app.replay_text import replay_markdown
    from rag_query.generation.replay import replay

    found = replay(asker, session)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        console().print(replay_markdown(found))
    if not found.equal:
        raise typer.Exit(1)
