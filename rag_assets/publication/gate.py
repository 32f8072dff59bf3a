"""The blocking gate of publication: the candidate answers the library's own questions first."""

from __future__ import annotations

from rag_assets.context import StageContext
from rag_assets.publication.verify import Check
from rag_query.contracts.evaluation import Dataset, EvalReport
from rag_query.contracts.snapshot import SnapshotManifest
from rag_query.evaluation.dataset import dataset_of
from rag_query.evaluation.datasets import load_dataset
from rag_query.evaluation.evaluate import evaluate
from rag_query.evaluation.evaluator import EvalSettings, Subject
from rag_query.evaluation.gates import Verdict, examine, load_gates
from rag_query.evaluation.judgements import resolve
from rag_query.library.deletions import marked
from rag_query.library.settings import load_sources
from rag_query.library.snapshot import Snapshot

#: Name of the check.
QUALITY_GATE = "quality_gate"


def quality_gate(
    ctx: StageContext, candidate: SnapshotManifest, published: SnapshotManifest | None
) -> Check:
    """Evaluate a snapshot that is not published yet by every gate that blocks publication.

    Cases name chunks of the published snapshot, or of the candidate when it is the first one.
    Those that ask for nothing but what a person has deleted are left out: that it is no longer
    found is no fault, and what has to go must not stay because it was asked for.

    Raises:
        ExcerptaError: ``INVALID_GATES``; ``DATASET_NOT_FOUND`` or ``INVALID_DATASET`` for a gate's
            dataset.
    """
    gates = load_gates(ctx.home)
    snapshot = Snapshot(ctx.home, candidate)
    reference = Snapshot(ctx.home, published) if published else snapshot
    verdicts: list[Verdict] = []
    for gate in gates.gates:
        if not gate.blocks_publication:
            continue
        dataset = _still_asked(
            ctx, load_dataset(ctx.home, gate.dataset, lambda: reference), reference
        )
        if dataset is None:
            continue
        report, cases = evaluate(
            ctx.home, dataset, _subject(ctx, snapshot, reference, candidate=True), gate.settings
        )
        before = None
        if gate.max_drop and published:
            before = _published(ctx, dataset, reference, gate.settings)
        verdicts.append(examine(gate, gates.minimum(gate), report, cases, before))
    return Check(
        QUALITY_GATE,
        all(verdict.passed for verdict in verdicts),
        {
            "gates": [verdict.model_dump(mode="json") for verdict in verdicts],
            "message": "\n".join(v.told for v in verdicts if not v.passed),
        },
    )


def _still_asked(ctx: StageContext, dataset: Dataset, reference: Snapshot) -> Dataset | None:
    """The dataset without the cases that only deleted documents answer; None when no other is
    left."""
    marks = load_sources(ctx.home).deleted
    if not marks:
        return dataset
    names = reference.catalog.references()
    deleted = {doc for name, docs in names.items() if marked(marks, name) for doc in docs}
    if not deleted:
        return dataset
    kept = [
        judgement.case
        for judgement in resolve(dataset.cases, reference)
        if not judgement.targets or not deleted.issuperset(t.doc_id for t in judgement.targets)
    ]
    gone = len(dataset.cases) - len(kept)
    if not gone:
        return dataset
    if not kept:
        return None
    told = f"Cases left out because their documents were deleted: {gone}."
    return dataset_of(dataset.dataset_id, dataset.provider_id, kept, [*dataset.warnings, told])


def _published(
    ctx: StageContext, dataset: Dataset, reference: Snapshot, settings: EvalSettings
) -> EvalReport:
    """The same cases on what is published now."""
    subject = _subject(ctx, reference, reference, candidate=False)
    report, _ = evaluate(ctx.home, dataset, subject, settings)
    return report


def _subject(
    ctx: StageContext, snapshot: Snapshot, reference: Snapshot, *, candidate: bool
) -> Subject:
    # The embedder of the run is the candidate's; the published one may have been made by another.
    return Subject(
        ctx.home,
        snapshot,
        reference,
        candidate=candidate,
        embedder_factory=(lambda _: ctx.embedder) if candidate else None,
    )
