"""Ingesting from outside: paths are registered, a run is started, its result is told.

The run is a process of its own; nothing is materialised here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.ingestion import VersionPolicy
from rag_query.library.home import Home

if TYPE_CHECKING:
    from rag_assets.launch import RunHandle, RunStatus

#: Counts of the inventory that tell what a run did with the sources, in the order shown.
DECISIONS = (
    "added",
    "new_version",
    "renamed",
    "unchanged",
    "duplicates",
    "removed",
    "failed",
    "ignored",
)


def register_and_start(
    home: Home,
    paths: Sequence[Path],
    *,
    collection: str | None = None,
    tags: Sequence[str] = (),
    retry_failed: bool = False,
    policy: VersionPolicy = "skip",
) -> RunHandle:
    """Register paths (none: only look again at what is registered) and start a run.

    Args:
        retry_failed: documents and images that failed before are tried again.
        policy: what becomes of files at these paths (none: of all) whose bytes the library holds.

    Raises:
        ExcerptaError: what :func:`check_paths` raises, before anything is registered; what
            :func:`register_path` and :func:`start_ingest` raise.
    """
    from rag_assets.launch import start_ingest
    from rag_query.library.sources import register_path

    check_paths(home, paths)
    for path in paths:
        register_path(home, path, collection=collection, tags=list(tags))
    return start_ingest(home, retry_failed=retry_failed, policy=policy, paths=paths)


def kept_out(home: Home, paths: Sequence[Path]) -> list[str]:
    """A sentence on what was deleted and lies in the folders among ``paths``; none of nothing."""
    from rag_query.library.sources import deleted_below

    names = deleted_below(home, paths)
    if not names:
        return []
    what = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    return [f"{what}: deleted before, and kept out; a file comes back when it is ingested by name"]


def absolute_path(text: str) -> Path:
    """A path that a client of a server gave; ``~`` is the home of whoever runs the server.

    Raises ExcerptaError ``INVALID_ARGUMENT``.
    """
    # RuntimeError: there is no such user.
    with contextlib.suppress(RuntimeError):
        path = Path(text).expanduser()
        if "\0" not in text and path.is_absolute():
            return path
    raise ExcerptaError(
        ErrorCode.INVALID_ARGUMENT,
        f"{text[:200]!r} is not an absolute path.",
        hint="A server does not know your current folder; give the whole path of a file or "
        "folder on the machine that runs the library.",
    )


def check_paths(home: Home, paths: Sequence[Path]) -> None:
    """Raises ExcerptaError ``PATH_NOT_FOUND`` for the first that is not there,
    ``INVALID_ARGUMENT`` for a device or pipe, or ``PATH_NOT_ALLOWED`` for what a library keeps for
    itself; ``home`` need not exist yet."""
    from rag_query.library.own_places import refuse_own

    for path in paths:
        if not path.exists():
            raise ExcerptaError(
                ErrorCode.PATH_NOT_FOUND,
                _missing(path),
                hint="Check the spelling."
                if path.is_absolute()
                else "Check the spelling; relative paths start at the current folder.",
            )
        if not (path.is_file() or path.is_dir()):
            raise ExcerptaError(
                ErrorCode.INVALID_ARGUMENT, f"{path.name!r} is neither a file nor a folder."
            )
        refuse_own(home, path)


def _missing(path: Path) -> str:
    """What of a path is not there, by its name alone: a client may not see where folders lie."""
    gone = [part for part in (path, *path.parents) if not part.exists()]
    if len(gone) == 1:
        return f"There is no file or folder {path.name!r}."
    return f"There is no folder {gone[-1].name!r}, in which {path.name!r} should be."


def strategy_to_keep(name_or_path: str) -> str:
    """The strategy as a library keeps it (see ``lasting_name``), once every provider and parameter
    is known to be right: a run would find a mistake only after the library was changed.

    Raises:
        ExcerptaError: ``INVALID_STRATEGY`` or ``UNKNOWN_PROVIDER`` with the nearest name.
    """
    from rag_query.strategies.strategy import available, check_strategy, lasting_name, load_strategy

    kept = lasting_name(name_or_path)
    if kept not in available():
        import rag_assets.providers  # noqa: F401  (registers what a strategy may name)

        check_strategy(load_strategy(kept))
    return kept


def seconds_of(status: RunStatus) -> float | None:
    """Wall seconds from submission to the end; None while it goes on."""
    if status.ended_at is None:
        return None
    return round((status.ended_at - status.submitted_at).total_seconds(), 2)


def run_result(status: RunStatus) -> dict[str, Any]:
    """A run as JSON for a caller: no process numbers, no paths."""
    return {
        "job_id": status.run_id,
        "state": status.state,
        "message": status.message,
        "step": status.step,
        "steps_done": status.steps_done,
        "steps_total": status.steps_total,
        "counts": {name: status.counts.get(name, 0) for name in DECISIONS},
        "computed": status.counts.get("computed", 0),
        "rows": {k: v for k, v in status.counts.items() if k not in (*DECISIONS, "computed")},
        "failed_documents": [document.model_dump() for document in status.failed_documents],
        "renamed_documents": [document.model_dump() for document in status.renamed_documents],
        "duplicate_files": [file.model_dump() for file in status.duplicate_files],
        "ignored_files": [file.model_dump() for file in status.ignored_files],
        "warnings": status.warnings,
        "snapshot": status.snapshot,
        "seconds": seconds_of(status),
        "waits_for": status.waits_for,
        "error": status.error.model_dump() if status.error else None,
    }


#: What is said of a run among others; ``library_job_status`` has all of one.
_AMONG_OTHERS = (
    "job", "job_id", "submitted_at", "state", "message", "step", "steps_done", "steps_total",
    "counts", "failed_documents", "warnings", "snapshot", "seconds", "waits_for", "error",
)  # fmt: skip
_MOST_FAILED = 5


def among_others(run: dict[str, Any]) -> dict[str, Any]:
    """What a list of runs says of one, from its :func:`run_result`."""
    failed = run["failed_documents"][:_MOST_FAILED]
    return {name: run[name] for name in _AMONG_OTHERS if name in run} | {"failed_documents": failed}


def counts_told(status: RunStatus) -> dict[str, int]:
    """label -> number of documents, for a reader. Only a run that succeeded added any to what is
    published; any other tells what it found in the sources."""
    labels = {name: name.replace("_", " ") for name in DECISIONS}
    if status.state != "success":
        labels["added"] = "new"
    return {label: status.counts.get(name, 0) for name, label in labels.items()}


def wait_for_success(home: Home, handle: RunHandle) -> RunStatus:
    """Wait until a run has ended. Raises as :func:`raise_if_failed`."""
    from rag_assets.launch import follow, run_status

    for _ in follow(home, handle.run_id):
        pass
    status = run_status(home, handle.run_id)
    raise_if_failed(status)
    return status


def raise_if_failed(status: RunStatus) -> None:
    """Raises ExcerptaError when the run did not succeed."""
    if status.state == "success":
        return
    if status.error is not None:
        known = status.error.code in ErrorCode.__members__
        raise ExcerptaError(
            ErrorCode(status.error.code) if known else ErrorCode.RUN_FAILED,
            status.error.message,
            hint=status.error.hint,
            details={"job_id": status.run_id, "step": status.error.step},
        )
    raise ExcerptaError(
        ErrorCode.RUN_FAILED,
        status.message or f"The run ended as {status.state}.",
        hint="What was published before still answers; ingest again to finish.",
        details={"job_id": status.run_id},
    )


def run_markdown(status: RunStatus) -> str:
    """A run for a reader."""
    headline = _HEADLINES[status.state]
    said = "" if status.message == headline else status.message
    lines = [f"**{headline}** {said}".rstrip()]
    if not status.ended and status.steps_total:
        at = f", now at `{status.step}`" if status.step else ""
        lines.append(f"{status.steps_done} of {status.steps_total} steps done{at}.")
    if shown := _decided(status):
        where = "Documents" if status.state == "success" else "Found in the sources"
        lines.append(f"{where}: {shown}.")
    if status.snapshot is not None:
        lines.append(f"Published: snapshot {status.snapshot}.")
    if status.failed_documents:
        lines.append("\nNot in the library:")
        lines += [
            f"- `{doc.source_uri}`: **{doc.code}** {doc.message or ''}".rstrip()
            for doc in status.failed_documents
        ]
    if status.error is not None:
        lines.append(
            f"\n**{status.error.code}**: {status.error.message} {status.error.hint}".rstrip()
        )
    lines.append(f"\nJob: `{status.run_id}`")
    return "\n".join(lines)


def documents_told(status: RunStatus) -> str:
    """What a run did to documents, or found of them, on one line, and what else it says."""
    said = "" if status.message == _HEADLINES[status.state] else status.message
    return " · ".join(filter(None, (_decided(status), said))) or status.message


def _decided(status: RunStatus) -> str:
    return ", ".join(_counted(n, label) for label, n in counts_told(status).items() if n)


def _counted(number: int, label: str) -> str:
    return f"{number} {label.removesuffix('s') if number == 1 else label}"


_HEADLINES = {
    "queued": "Waiting.",
    "running": "Running.",
    "success": "Done.",
    "failure": "Failed.",
    "canceled": "Canceled.",
}
