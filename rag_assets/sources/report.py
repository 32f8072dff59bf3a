"""What an inventory found, as counts, as metadata and as trace events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from rag_assets.context import StageContext
from rag_assets.incremental import StageResult
from rag_assets.run_status import RenamedDocument
from rag_assets.sources.rows import PRESENT, InventoryRow
from rag_query.contracts.tables import ALL
from rag_query.contracts.trace import EventKind
from rag_query.tracing.context import count, event

#: Documents named one by one; the others are counted.
SAMPLE = 20
#: Failed documents named in a result.
NAMED = 100


def renamed_of(result: StageResult) -> list[RenamedDocument]:
    """The renamed documents an inventory names in its details."""
    rows = result.details.get("renamed_documents")
    return [RenamedDocument.model_validate(row) for row in rows] if isinstance(rows, list) else []


def decided(ctx: StageContext, source_uris: Collection[str]) -> dict[str, int]:
    """Among which of an inventory's counts documents that are there now were reckoned."""
    rows = ctx.store.read("inventory", ALL, ["source_uri", "decision"])
    chosen = rows.filter(pc.is_in(rows["source_uri"], value_set=pa.array(source_uris, pa.string())))
    found = Counter(chosen["decision"].to_pylist())
    return {name: found[decision] for decision, name in _COUNTED.items() if found[decision]}


_COUNTED = {"continue": "added", "new_version": "new_version", "skip": "unchanged"}


@dataclass(frozen=True, slots=True)
class InventoryReport:
    """Counts of documents; ``changed``, ``renames`` and ``failures`` hold at most their first
    rows."""

    added: int
    new_version: int
    renamed: int
    unchanged: int
    duplicates: int
    removed: int
    failed: int
    ignored: int
    changed: tuple[InventoryRow, ...]
    renames: tuple[InventoryRow, ...]
    failures: tuple[InventoryRow, ...]
    warnings: tuple[str, ...]

    @classmethod
    def of(
        cls,
        rows: Sequence[InventoryRow],
        before: Sequence[InventoryRow],
        new_names: Collection[str],
        warnings: Sequence[str],
    ) -> InventoryReport:
        """Counts of this inventory; ``removed`` are those that were there ``before``, and
        ``new_names`` the URIs of those that were renamed."""
        gone_before = {row.source_uri for row in before if row.decision == "removed"}
        removed = [
            row for row in rows if row.decision == "removed" and row.source_uri not in gone_before
        ]
        failures = [row for row in rows if row.decision == "failed"]
        present = [row for row in rows if row.decision in PRESENT]
        added = [row for row in present if row.decision == "continue"]
        changed = [row for row in present if row.decision == "new_version"]
        renamed = [row for row in present if row.source_uri in new_names]
        duplicates = sum(row.duplicate_of is not None for row in present)
        return cls(
            added=len(added),
            new_version=len(changed),
            renamed=len(renamed),
            unchanged=len(present) - len(added) - len(changed) - len(renamed) - duplicates,
            duplicates=duplicates,
            removed=len(removed),
            failed=len(failures),
            ignored=sum(row.decision == "ignored" for row in rows),
            changed=tuple((added + changed + removed)[:SAMPLE]),
            renames=tuple(renamed[:NAMED]),
            failures=tuple(failures[:NAMED]),
            warnings=tuple(warnings),
        )

    def counts(self) -> dict[str, int]:
        """The counts by name."""
        return {
            "added": self.added,
            "new_version": self.new_version,
            "renamed": self.renamed,
            "unchanged": self.unchanged,
            "duplicates": self.duplicates,
            "removed": self.removed,
            "failed": self.failed,
            "ignored": self.ignored,
        }

    def details(self) -> dict[str, object]:
        """For :attr:`StageResult.details`: the counts, warnings, and failed documents by name."""
        return {
            **self.counts(),
            "warnings": list(self.warnings),
            "renamed_documents": [
                {"source_uri": row.source_uri, "renamed_from": row.renamed_from}
                for row in self.renames
            ],
            "failed_documents": [
                {"source_uri": row.source_uri, "code": row.code, "message": row.message}
                for row in self.failures
            ],
        }

    def emit(self) -> None:
        """Tell the trace (DEV_SPEC 3.5.2.2, ``stage.dedup``)."""
        counts = self.counts()
        # What is new in the sources is added only when a later step can read it.
        named = {"added": "new"}
        count(**{f"documents_{named.get(name, name)}": n for name, n in counts.items()})
        event(EventKind.DEDUP_DECISION, counts=counts)
        for row in self.changed:
            event(
                EventKind.DEDUP_DECISION,
                doc_id=row.doc_id,
                version_id=row.version_id,
                decision=row.decision,
                file_sha256=row.file_sha256,
            )
        for row in self.renames[:SAMPLE]:
            event(
                EventKind.DEDUP_DECISION,
                doc_id=row.doc_id,
                version_id=row.version_id,
                decision=row.decision,
                renamed_from=row.renamed_from,
            )
        for row in self.failures[:SAMPLE]:
            event(
                EventKind.DOCUMENT_FAILED,
                doc_id=row.doc_id,
                source_uri=row.source_uri,
                code=row.code,
                message=row.message,
            )
        for warning in self.warnings:
            event(EventKind.WARNING, message=warning)
