"""The blocking gate of publication: the candidate answers the library's own questions first."""

from __future__ import annotations

from collections.abc import Collection

from rag_assets.context import StageContext
from rag_assets.publication.verify import Check
from rag_query.contracts.evaluation import Dataset, EvalReport
from rag_query.contracts.snapshot import SnapshotManifest
from rag_query.evaluation.dataset import dataset_of
from rag_query.evaluation.datasets import load_dataset
from rag_query.evaluation.evaluate import evaluate
from rag_query.evaluation.evaluator import EvalSettings, Subject
from rag_query.evaluation.gates import Verdict, examine, load_gates
from rag_query.evaluation.judgements import Target, looked_up
from rag_query.library.deletions import marked
from rag_query.library.snapshot import Snapshot
from rag_query.library.sources import load_sources
from rag_query.text.ids import doc_id

#: Name of the check.
QUALITY_GATE = "quality_gate"


def quality_gate(
    ctx: StageContext, candidate: SnapshotManifest, published: SnapshotManifest | None
) -> Check:
    """Evaluate a snapshot that is not published yet by every gate that blocks publication.

    Cases name chunks of the published snapshot, or of the candidate when it is the first one.
    Those that ask for nothing but what a person has deleted are left out: that it is no longer
    found is no fault, and what has to go must not stay because it was asked for. They are named
    in the check: of which document a passage was is not known any more once it has gone, and the
    next gate leaves out the same ones while the library holds nothing of what they ask for.

    Raises:
        ExcerptaError: ``INVALID_GATES``; ``DATASET_NOT_FOUND`` or ``INVALID_DATASET`` for a gate's
            dataset.
    """
    gates = load_gates(ctx.home)
    snapshot = Snapshot(ctx.home, candidate)
    reference = Snapshot(ctx.home, published) if published else snapshot
    earlier = published.checks.get(QUALITY_GATE, {}).get("left_out", {}) if published else {}
    verdicts: list[Verdict] = []
    # Those of a gate that is off now as well: it may be on again.
    left_out: dict[str, list[str]] = dict(earlier)
    failures: list[str] = []
    for gate in gates.gates:
        if not gate.blocks_publication:
            continue
        dataset = load_dataset(ctx.home, gate.dataset, lambda: reference)
        gone = _no_longer_asked(ctx, dataset, reference, earlier.get(gate.dataset, []))
        left_out[gate.dataset] = gone
        if len(gone) == len(dataset.cases):
            continue
        dataset = _without(dataset, gone)
        report, cases = evaluate(
            ctx.home, dataset, _subject(ctx, snapshot, reference, candidate=True), gate.settings
        )
        before = None
        if gate.max_drop and published:
            before = _published(ctx, dataset, reference, gate.settings)
        verdict = examine(gate, gates.minimum(gate), report, cases, before)
        verdicts.append(verdict)
        if not verdict.passed:
            failures += [verdict.told, *report.warnings]
    return Check(
        QUALITY_GATE,
        all(verdict.passed for verdict in verdicts),
        {
            "gates": [verdict.model_dump(mode="json") for verdict in verdicts],
            "left_out": {name: gone for name, gone in left_out.items() if gone},
            "message": "\n".join(failures),
        },
    )


def _no_longer_asked(
    ctx: StageContext, dataset: Dataset, reference: Snapshot, earlier: Collection[str]
) -> list[str]:
    """The ids of the cases that only deleted documents answer.

    Args:
        earlier: those that the published snapshot was not asked.
    """
    marks = load_sources(ctx.home).deleted
    if not marks and not earlier:
        return []
    held = reference.catalog.references()
    deleted = {doc for name, docs in held.items() if marked(marks, name) for doc in docs}
    names = {doc_id(uri) for uri in marks}.union(marks)

    def is_gone(case_id: str, target: Target) -> bool:
        if target.doc_id is not None:
            return target.doc_id in deleted
        return target.target_id in names or case_id in earlier

    return [
        judgement.case.case_id
        for judgement in looked_up(dataset.cases, reference)
        if judgement.targets
        and all(is_gone(judgement.case.case_id, target) for target in judgement.targets)
    ]


def _without(dataset: Dataset, gone: Collection[str]) -> Dataset:
    """The dataset without some cases, which it says."""
    if not gone:
        return dataset
    kept = [case for case in dataset.cases if case.case_id not in gone]
    told = f"Cases left out because their documents were deleted: {len(gone)}."
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
