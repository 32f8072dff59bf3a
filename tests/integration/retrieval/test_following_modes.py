"""Relational and associative queries: what sets out from the best hits, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rag_query.contracts.evidence import EvidenceItem, LegSignal
from rag_query.contracts.pack import EvidencePack
from rag_query.library.home import Home
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.pipeline import Retriever
from tests.library_builder import build_library
from tests.small_documents import SmallDoc

BOILER = SmallDoc(
    "boiler.md",
    "# Boiler\n\nDescaling the boiler follows the [acid table](chemistry/acids.md#citric-acid).",
    keywords=("limescale", "boiler"),
)
ACIDS = SmallDoc(
    "chemistry/acids.md",
    "# Acids\n\nProperties in short.\n\n## Vinegar\n\nFive percent.\n\n"
    "## Citric acid\n\nForty grams a litre, see [gloves](../gloves.md).",
    tags=("chemistry",),
)
GLOVES = SmallDoc("gloves.md", "# Gloves\n\nNitrile protects hands.\n\nLatex does less.")
KETTLE = SmallDoc("kettle.md", "# Kettle\n\nWhite limescale settles in kettles.")
INDEX = SmallDoc("index.md", "# Contents\n\nEverything about [heating](boiler.md).")
OLD = SmallDoc("old.md", "# Old\n\nFormerly it was [done](boiler.md) by hand, for years and years.")
PLAIN = tuple(
    SmallDoc(f"plain/{n}.md", f"# Plain {n}\n\nUnrelated words number {n}.") for n in range(6)
)
DOCUMENTS = (BOILER, ACIDS, GLOVES, KETTLE, INDEX, OLD, *PLAIN)
QUESTION = "descaling boiler"


@pytest.fixture(scope="module")
def linked_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return build_library(tmp_path_factory.mktemp("linked"), DOCUMENTS)


@pytest.fixture(scope="module")
def linked(linked_home: Home) -> Iterator[Retriever]:
    with open_retriever(linked_home) as opened:
        yield opened


def ask(retriever: Retriever, mode: str, text: str = QUESTION, **rest: Any) -> EvidencePack:
    plan = {"version": "0.1", "queries": [{"text": text, "mode": mode}], **rest}
    return retriever.run(plan | {"budget": {"top_k": 30}})


def found(pack: EvidencePack, document: SmallDoc, leg: str) -> list[tuple[EvidenceItem, LegSignal]]:
    """Evidences of a document that a leg found, with what it said of them."""
    return [
        (evidence, signal)
        for evidence in pack.evidences
        if evidence.document_id == document.doc_id
        for signal in evidence.signals.legs
        if signal.leg == leg
    ]


def only_best_hit(retriever: Retriever) -> str:
    return ask(retriever, "exact").evidences[0].id


def test_the_walk_reaches_the_named_section_and_shows_its_path(linked: Retriever) -> None:
    pack = ask(linked, "relational")
    ((evidence, signal),) = [
        hit for hit in found(pack, ACIDS, "links") if "Citric" in str(hit[0].metadata.section_path)
    ]
    assert signal.path is not None
    step = signal.path[0]
    assert (step.kind, step.direction, step.text) == ("link", "out", "acid table")
    assert (step.from_chunk, step.to_chunk) == (only_best_hit(linked), evidence.id)
    assert signal.normalized == signal.score
    assert pack.explain.queries[0].seeds
    assert pack.explain.queries[0].seeds[0] == step.from_chunk
    assert pack.explain.ignored_fields == []
    assert pack.stats.by_leg["links"] >= 1
    assert "retrieve_links" in pack.stats.stage_ms
    executed = next(s for s in pack.explain.filter_execution_plan if s.field == "version")
    assert executed.executed_in == ["dense", "links", "sparse"]


def test_links_are_walked_against_their_direction(linked: Retriever) -> None:
    ((evidence, signal),) = found(ask(linked, "relational"), INDEX, "links")
    assert signal.path is not None
    assert [step.direction for step in signal.path][-1] == "in"
    assert signal.path[-1].to_chunk == evidence.id


def test_a_chunk_that_a_filter_excludes_is_not_passed_through(linked: Retriever) -> None:
    pack = ask(linked, "relational", global_filters={"tag_ids": ["chemistry"]})
    assert {evidence.document_id for evidence in pack.evidences} == {ACIDS.doc_id}
    pack = ask(linked, "relational", "descaling -grams")
    assert not [e for e in pack.evidences if "grams" in e.snippet]


def test_links_of_older_versions_and_removed_documents_lead_nowhere(linked_home: Home) -> None:
    home = Home.resolve(linked_home.root.parent / "next")
    build_library(home.root, DOCUMENTS)
    renewed = SmallDoc("old.md", "# Old\n\nNothing is linked here now.")
    kept = [d for d in DOCUMENTS if d not in (OLD, ACIDS)]
    build_library(home.root, [*kept, renewed])
    with open_retriever(home) as opened:
        pack = ask(opened, "relational")
    assert not found(pack, renewed, "links")
    assert not found(pack, ACIDS, "links")
    assert found(pack, INDEX, "links")


def test_a_damaged_table_of_links_leaves_a_hybrid_answer(linked_home: Home) -> None:
    home = Home.resolve(linked_home.root.parent / "damaged")
    build_library(home.root, DOCUMENTS)
    with open_retriever(home) as opened:
        files = opened.library.snapshot().manifest.tables["links"].values()
        for file in files:
            (home.root / file.path).write_bytes(b"damaged")
        pack = ask(opened, "relational")
    assert pack.evidences[0].document_id == BOILER.doc_id
    assert pack.warnings == ["links_failed: queries[0] ran as hybrid (SNAPSHOT_DAMAGED)"]


def test_keywords_of_the_hits_expand_an_associative_query(linked: Retriever) -> None:
    pack = ask(linked, "associative", "+descaling")
    assert not found(pack, KETTLE, "expansion")  # what is required stays required
    pack = ask(linked, "associative", "descaling")
    ((evidence, signal),) = found(pack, KETTLE, "expansion")
    assert evidence.signals.fts_rank is None
    exact = next(s for s in pack.evidences[0].signals.legs if s.leg == "sparse")
    assert 0 < signal.weight < exact.weight
    terms = pack.explain.queries[0].expansions
    assert terms is not None
    keywords = [term for term in terms if term.source == "keyword"]
    assert {term.term for term in keywords} == {"limescale", "boiler"}
    assert all(0 < term.weight <= 0.5 and term.hits == 1 for term in keywords)
    assert pack.evidences[0].document_id == BOILER.doc_id


def test_words_that_set_the_hits_apart_expand_it_too(linked: Retriever) -> None:
    terms = ask(linked, "associative", "unrelated number").explain.queries[0].expansions
    assert terms is not None
    words = {term.term.lower() for term in terms if term.source == "relevance"}
    assert words == {"word"}
    assert all(0 < t.weight <= 0.25 and t.hits > 1 for t in terms if t.source == "relevance")


def test_the_embedding_moves_towards_the_hits(linked: Retriever) -> None:
    pack = ask(linked, "associative")
    assert pack.explain.queries[0].neighbours is True
    signal = next(s for s in pack.evidences[0].signals.legs if s.leg == "neighbours")
    dense = next(s for s in pack.evidences[0].signals.legs if s.leg == "dense")
    assert 0 < signal.weight < dense.weight
    assert signal.score > dense.score
    assert {"retrieve_expansion", "retrieve_neighbours"} <= pack.stats.stage_ms.keys()


def test_a_walk_sets_out_from_what_a_question_names(linked: Retriever) -> None:
    pack = ask(linked, "relational", "what do gloves and citric acid have to do with each other")
    entities = pack.explain.queries[0].entities
    assert entities is not None
    assert {(e.name, e.kind) for e in entities} == {
        ("Gloves", "title"),
        ("Acids", "title"),
        ("Citric acid", "heading"),
    }
    starts = {
        signal.path[0].from_chunk
        for evidence in pack.evidences
        for signal in evidence.signals.legs
        if signal.path
    }
    assert starts & {entity.chunk_id for entity in entities}
    hinted = {"text": "zzyzx", "mode": "relational", "hints": {"entities": ["Gloves"]}}
    pack = linked.run({"version": "0.1", "queries": [hinted]})
    ((_, signal), *_) = found(pack, ACIDS, "links")
    assert signal.path is not None
    assert signal.path[0].direction == "in"


def test_a_name_that_a_filter_excludes_is_no_start(linked: Retriever) -> None:
    filters = {"document_ids": [BOILER.doc_id]}
    pack = ask(linked, "relational", "gloves and boiler", global_filters=filters)
    entities = pack.explain.queries[0].entities
    assert entities is not None
    assert [entity.name for entity in entities] == ["Boiler"]


def test_filters_hold_for_the_expansion(linked: Retriever) -> None:
    pack = ask(linked, "associative", global_filters={"document_ids": [BOILER.doc_id]})
    assert {evidence.document_id for evidence in pack.evidences} == {BOILER.doc_id}


@pytest.mark.parametrize("mode", ["relational", "associative"])
@pytest.mark.parametrize("text", ["zzyzx", "🍵", QUESTION])
def test_the_same_plan_gives_the_same_pack(linked: Retriever, mode: str, text: str) -> None:
    first, again = (ask(linked, mode, text) for _ in range(2))
    assert [e.signals for e in first.evidences] == [e.signals for e in again.evidences]
    assert EvidencePack.model_validate(first.to_json()).evidences == first.evidences


@pytest.mark.parametrize("mode", ["relational", "associative"])
@pytest.mark.parametrize("method", ["rrf", "weighted_sum", "none"])
def test_every_fusion_takes_the_further_leg(linked: Retriever, mode: str, method: str) -> None:
    ranking = {"fusion": {"method": method, "normalization": "theoretical_min_max"}}
    pack = ask(linked, mode, ranking=ranking)
    assert pack.evidences[0].document_id == BOILER.doc_id
