"""Whether a stored table's file can be read, and what is said of one that cannot."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from rag_query.contracts.errors import ErrorCode, ExcerptaError, shortage_of

#: Tables that hold what no run can compute again: which versions there were, and when.
HISTORY = frozenset({"inventory", "documents"})


def whole(path: Path) -> bool:
    """Whether a Parquet or Arrow file is there and what it says of itself can be read.

    Raises OSError where the system would not read it, which says nothing of the file.
    """
    try:
        if path.suffix == ".arrow":
            with pa.memory_map(str(path)) as source:
                pa.ipc.open_file(source)
        else:
            pq.read_metadata(path)
    except (pa.ArrowException, OSError) as exc:
        if not _is_damage(exc):
            raise
        return False
    return True


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Within, a file that is missing or damaged is ExcerptaError ``SNAPSHOT_DAMAGED``, one that
    may not be read ``FILE_UNREADABLE``.

    Args:
        name: of the file, relative to the library: ``tables/<table>/<shard>/...``.
    """
    try:
        yield
    except (pa.ArrowException, OSError) as exc:
        if isinstance(exc, PermissionError):
            raise unreadable_table(name) from exc
        if not _is_damage(exc):
            raise
        raise damaged_table(name) from exc


def _is_damage(error: pa.ArrowException | OSError) -> bool:
    """Whether an error is the file's own: Arrow's OSError of one that holds something else has no
    number, that of one which may not be read, or not now, has."""
    if shortage_of(error) is not None:
        return False
    return not isinstance(error, OSError) or error.errno in (None, errno.ENOENT)


def unreadable_table(name: str) -> ExcerptaError:
    """``FILE_UNREADABLE``, naming a table's file."""
    return ExcerptaError(
        ErrorCode.FILE_UNREADABLE,
        f"The table file {name} may not be read.",
        hint="Grant permission to read it, and its folder, and run the command again.",
        details={"file": name},
    )


def damaged_table(name: str) -> ExcerptaError:
    """``SNAPSHOT_DAMAGED``, naming a table's file."""
    table = name.split("/")[1]
    if table in HISTORY:
        hint = (
            "Put it back from a copy of the library: it holds the history of the documents, which "
            "no run can compute again."
        )
    else:
        hint = (
            "Remove it if it is there, and run `excerpta ingest`, which computes it again; or run "
            "`excerpta rollback`."
        )
    return ExcerptaError(
        ErrorCode.SNAPSHOT_DAMAGED,
        f"The table file {name} is missing or damaged.",
        hint=hint,
        details={"file": name},
    )
