"""What an inventory found, as counts, as metadata and as trace events."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rag_assets.incremental import StageResult
from rag_assets.run_status import DuplicateFile, FailedDocument, RenamedDocument
from rag_assets.sources.rows import PRESENT, InventoryRow
from rag_query.contracts.trace import EventKind
from rag_query.tracing.context import count, event

#: Documents named one by one; the others are counted.
SAMPLE = 20
#: Failed documents named in a result.
NAMED = 100
#: Of ignored files, and of copies, which every run meets again.
FEW_NAMED = 5


def renamed_of(result: StageResult) -> list[RenamedDocument]:
    """The renamed documents an inventory names in its details."""
    rows = result.details.get("renamed_documents")
    return [RenamedDocument.model_validate(row) for row in rows] if isinstance(rows, list) else []


def duplicates_of(result: StageResult) -> list[DuplicateFile]:
    """The copies of documents an inventory names in its details."""
    rows = result.details.get("duplicate_files")
    return [DuplicateFile.model_validate(row) for row in rows] if isinstance(rows, list) else []


def ignored_of(result: StageResult) -> list[FailedDocument]:
    """The ignored files an inventory names in its details."""
    rows = result.details.get("ignored_files")
    return [FailedDocument.model_validate(row) for row in rows] if isinstance(rows, list) else []


@dataclass(frozen=True, slots=True)
class InventoryReport:
    """Counts of documents; ``changed``, ``renames``, ``copies``, ``failures`` and ``ignores`` hold
    at most their first rows."""

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
    copies: tuple[DuplicateFile, ...]
    failures: tuple[InventoryRow, ...]
    ignores: tuple[InventoryRow, ...]
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
        ignored = [row for row in rows if row.decision == "ignored"]
        present = [row for row in rows if row.decision in PRESENT]
        added = [row for row in present if row.decision == "continue"]
        changed = [row for row in present if row.decision == "new_version"]
        renamed = [row for row in present if row.source_uri in new_names]
        only_renamed = sum(row.decision == "skip" for row in renamed)
        duplicates = [row for row in present if row.duplicate_of is not None]
        return cls(
            added=len(added),
            new_version=len(changed),
            renamed=only_renamed,
            unchanged=len(present) - len(added) - len(changed) - only_renamed - len(duplicates),
            duplicates=len(duplicates),
            removed=len(removed),
            failed=len(failures),
            ignored=len(ignored),
            changed=tuple((added + changed + removed)[:SAMPLE]),
            renames=tuple(renamed[:NAMED]),
            failures=tuple(failures[:NAMED]),
            copies=_copies(duplicates[:FEW_NAMED], present),
            ignores=tuple(ignored[:FEW_NAMED]),
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
            "failed_documents": [_named(row) for row in self.failures],
            "duplicate_files": [copy.model_dump() for copy in self.copies],
            "ignored_files": [_named(row) for row in self.ignores],
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


def _copies(
    duplicates: Sequence[InventoryRow], present: Sequence[InventoryRow]
) -> tuple[DuplicateFile, ...]:
    wanted = {row.duplicate_of for row in duplicates}
    holders = {
        row.doc_id: row.source_uri for row in present if row.present and row.doc_id in wanted
    }
    return tuple(
        DuplicateFile(source_uri=row.source_uri, same_as=holders[row.duplicate_of])
        for row in duplicates
        if row.duplicate_of is not None
    )


def _named(row: InventoryRow) -> dict[str, object]:
    return {"source_uri": row.source_uri, "code": row.code, "message": row.message}
