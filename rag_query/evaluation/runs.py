"""Evaluations on disk: ``evaluations/<eval_run_id>/report.json`` and ``cases.jsonl``.

The cases are written first, so a report is never without its evidence.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from pydantic import ValidationError

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import CaseResult, EvalReport
from rag_query.library.files import write_atomic, write_json
from rag_query.library.home import Home
from rag_query.text.ids import DOC_PREFIX, ID_DIGITS, TRACE_ID

_DOC_ID = re.compile(rf"{DOC_PREFIX}[0-9a-f]{{{ID_DIGITS}}}")
_TRACE_ID = re.compile(rf"\b{TRACE_ID}\b")
_RUN_ID = re.compile(r"evr_\d{8}T\d{9}_[0-9a-f]{8}")


def new_run_id() -> str:
    """An id that sorts by time."""
    moment = datetime.now(UTC)
    return f"evr_{moment:%Y%m%dT%H%M%S}{moment.microsecond // 1000:03}_{uuid.uuid4().hex[:8]}"


def save(home: Home, report: EvalReport, cases: Sequence[CaseResult]) -> None:
    """Keep an evaluation. Raises OSError."""
    folder = home.evaluations / report.eval_run_id
    lines = "".join(case.model_dump_json() + "\n" for case in cases)
    write_atomic(folder / "cases.jsonl", lines.encode())
    write_json(folder / "report.json", report.model_dump(mode="json"))


def load_report(home: Home, eval_run_id: str) -> EvalReport:
    """Raises ExcerptaError ``EVAL_RUN_NOT_FOUND``."""
    if not _RUN_ID.fullmatch(eval_run_id):
        raise _not_found(eval_run_id)
    try:
        data = (home.evaluations / eval_run_id / "report.json").read_bytes()
        return EvalReport.model_validate_json(data)
    except (FileNotFoundError, ValidationError):
        raise _not_found(eval_run_id) from None


def load_cases(home: Home, eval_run_id: str) -> list[CaseResult]:
    """Every case of an evaluation, in the dataset's order.

    Raises ExcerptaError ``EVAL_RUN_NOT_FOUND``.
    """
    load_report(home, eval_run_id)
    lines = (home.evaluations / eval_run_id / "cases.jsonl").read_bytes().splitlines()
    return [CaseResult.model_validate_json(line) for line in lines]


def reports(home: Home, *, dataset_id: str | None = None) -> list[EvalReport]:
    """Every evaluation kept, newest first; one that another version wrote is left out."""
    found: list[EvalReport] = []
    for path in sorted(home.evaluations.glob("evr_*/report.json"), reverse=True):
        try:
            report = EvalReport.model_validate_json(path.read_bytes())
        except (ValidationError, FileNotFoundError):
            continue
        if dataset_id in (None, report.profile.dataset_id):
            found.append(report)
    return found


def prune(home: Home, *, before: datetime, keep: int = 50) -> list[str]:
    """Remove evaluations that ended before a moment, the newest ``keep`` aside, and what killed
    processes left of others; their ids."""
    old = [report.eval_run_id for report in reports(home)[keep:] if report.ended_at < before]
    for folder in home.evaluations.glob("evr_*/"):
        with contextlib.suppress(FileNotFoundError):  # Another process may prune as well.
            is_old = folder.stat().st_mtime < before.timestamp()
            if is_old and not (folder / "report.json").exists():
                old.append(folder.name)
    for eval_run_id in old:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(home.evaluations / eval_run_id)
    return old


def traces_of_cases(home: Home, is_held: Callable[[str], bool]) -> set[str]:
    """Ids of the traces that :func:`forget_cases` would leave without a case."""
    return {
        trace_id
        for path in sorted(home.evaluations.glob("evr_*/cases.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if not _names_only(line, is_held)
        for trace_id in _TRACE_ID.findall(line)
    }


def forget_cases(home: Home, is_held: Callable[[str], bool]) -> int:
    """Drop the cases that name a document the library no longer holds, from every evaluation:
    their questions and answers may quote it. The numbers of the report stay.

    Args:
        is_held: of a doc_id.

    Returns:
        How many cases went. Raises OSError.
    """
    dropped = 0
    for path in sorted(home.evaluations.glob("evr_*/cases.jsonl")):
        lines = path.read_bytes().splitlines(keepends=True)
        kept = [line for line in lines if _names_only(line.decode(), is_held)]
        if len(kept) < len(lines):
            write_atomic(path, b"".join(kept))
            dropped += len(lines) - len(kept)
    return dropped


def _names_only(case: str, is_held: Callable[[str], bool]) -> bool:
    return all(map(is_held, _DOC_ID.findall(case)))


def _not_found(eval_run_id: str) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.EVAL_RUN_NOT_FOUND,
        f"There is no evaluation {eval_run_id!r}.",
        hint="`excerpta eval --list` shows those that are kept.",
    )
