"""What an inventory found, as counts, as metadata and as trace events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag_assets.sources.rows import PRESENT, InventoryRow
from rag_query.contracts.trace import EventKind
from rag_query.tracing.context import count, event

#: Documents named one by one; the others are counted.
SAMPLE = 20
#: Failed documents named in a result.
NAMED = 100


@dataclass(frozen=True, slots=True)
class InventoryReport:
    """Counts of documents; ``changed`` and ``failures`` hold at most their first rows."""

    added: int
    new_version: int
    unchanged: int
    duplicates: int
    removed: int
    failed: int
    ignored: int
    changed: tuple[InventoryRow, ...]
    failures: tuple[InventoryRow, ...]
    warnings: tuple[str, ...]

    @classmethod
    def of(
        cls,
        rows: Sequence[InventoryRow],
        before: Sequence[InventoryRow],
        warnings: Sequence[str],
    ) -> InventoryReport:
        """Counts of this inventory; ``removed`` are those that were there ``before``."""
        gone_before = {row.source_uri for row in before if row.decision == "removed"}
        removed = [
            row for row in rows if row.decision == "removed" and row.source_uri not in gone_before
        ]
        failures = [row for row in rows if row.decision == "failed"]
        present = [row for row in rows if row.decision in PRESENT]
        added = [row for row in present if row.decision == "continue"]
        changed = [row for row in present if row.decision == "new_version"]
        duplicates = sum(row.duplicate_of is not None for row in present)
        return cls(
            added=len(added),
            new_version=len(changed),
            unchanged=len(present) - len(added) - len(changed) - duplicates,
            duplicates=duplicates,
            removed=len(removed),
            failed=len(failures),
            ignored=sum(row.decision == "ignored" for row in rows),
            changed=tuple((added + changed + removed)[:SAMPLE]),
            failures=tuple(failures[:NAMED]),
            warnings=tuple(warnings),
        )

    def counts(self) -> dict[str, int]:
        """The counts by name."""
        return {
            "added": self.added,
            "new_version": self.new_version,
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
            "failed_documents": [
                {"source_uri": row.source_uri, "code": row.code, "message": row.message}
                for row in self.failures
            ],
        }

    def emit(self) -> None:
        """Tell the trace (DEV_SPEC 3.5.2.2, ``stage.dedup``)."""
        counts = self.counts()
        count(**{f"documents_{name}": number for name, number in counts.items()})
        event(EventKind.DEDUP_DECISION, counts=counts)
        for row in self.changed:
            event(
                EventKind.DEDUP_DECISION,
                doc_id=row.doc_id,
                version_id=row.version_id,
                decision=row.decision,
                file_sha256=row.file_sha256,
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
