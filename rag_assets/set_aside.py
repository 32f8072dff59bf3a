"""Documents that a stage behind ``parsed`` cannot work on, for a reason that no rule foresees.

One document must not stop the others (DESIGN 6), nor look as if it had been read. So its version
becomes a failed one, as if it could not have been parsed, and the version before it stays. The
next run parses it anew and tries again.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_assets.incremental import input_fingerprint
from rag_assets.run_status import FailedDocument
from rag_query.contracts.errors import classify
from rag_query.contracts.trace import EventKind
from rag_query.tracing.context import count, event

log = logging.getLogger(__name__)


def set_aside(
    ctx: StageContext, shard: str, stage: str, faults: Mapping[str, Exception]
) -> list[FailedDocument]:
    """Record in ``parsed`` that versions failed; returns their documents.

    Args:
        stage: what could not be done, for the message.
        faults: version_id -> what was raised.
    """
    if not faults:
        return []
    errors = {version: classify(fault) for version, fault in faults.items()}
    messages = {version: f"{stage}: {error.message}" for version, error in errors.items()}
    _mark(ctx, shard, {v: (str(errors[v].code), messages[v]) for v in faults})
    columns = ["version_id", "doc_id", "source_uri", "name"]
    documents = ctx.store.read("documents", shard, columns)
    chosen = documents.filter(pc.is_in(documents["version_id"], value_set=pa.array(list(faults))))
    failed: list[FailedDocument] = []
    for row in chosen.to_pylist():
        version = row["version_id"]
        code, message = str(errors[version].code), messages[version]
        log.error("%s of %s failed", stage, row["source_uri"], exc_info=faults[version])
        event(
            EventKind.DOCUMENT_FAILED,
            doc_id=row["doc_id"],
            version_id=version,
            name=row["name"],
            code=code,
            message=message,
        )
        failed.append(FailedDocument(source_uri=row["source_uri"], code=code, message=message))
    count(documents_failed=len(failed))
    return failed


def _mark(ctx: StageContext, shard: str, marks: Mapping[str, tuple[str, str]]) -> None:
    """Give rows of ``parsed`` the status ``failed``, a code and a message."""
    head = ctx.store.head("parsed", shard)
    if head is None:
        return
    rows = ctx.store.read("parsed", shard)
    versions = rows["version_id"].to_pylist()
    cells = {
        "status": ["failed" if v in marks else None for v in versions],
        "code": [marks[v][0] if v in marks else None for v in versions],
        "message": [marks[v][1] if v in marks else None for v in versions],
    }
    for name, values in cells.items():
        at = rows.schema.get_field_index(name)
        field = rows.schema.field(at)
        marked = pc.coalesce(pa.chunked_array([pa.array(values, field.type)]), rows[name])
        rows = rows.set_column(at, field, marked)
    inputs = {
        version: input_fingerprint("set aside", made_from) if version in marks else made_from
        for version, made_from in head.inputs.items()
    }
    ctx.store.write("parsed", shard, rows, inputs)
