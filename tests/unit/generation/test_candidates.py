"""What retrieval found, parent by parent, and how far each stands out from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rag_query.contracts.answer import Candidate, Parent
from rag_query.generation.evidence.sufficiency import ByFeatures, SufficiencyParams
from rag_query.generation.parents.candidates import (
    Found,
    also_named,
    candidates_of,
    chosen_by,
    compared,
)
from rag_query.generation.questions.question import read_question
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk


def found(cosines: Sequence[float | None]) -> list[Found]:
    """Parents found with these cosines."""
    return [
        Found(
            Parent(
                parent_id=f"ver_{number}", doc_id=f"doc_{number}", title="A", version_no=1,
                is_latest=True, source_uri="file:///a.md",
            ), (), 1.0, cosine,
        )
        for number, cosine in enumerate(cosines)
    ]  # fmt: skip


def test_a_parent_stands_out_by_the_spread_of_the_others() -> None:
    others = [0.8, 0.81, 0.82, 0.83, 0.84]
    first, *rest = compared(found([0.9, *others]))
    assert first.stands_out == pytest.approx((0.9 - 0.82) / 0.02**0.5 / 0.1)
    assert all(each.stands_out is not None and each.stands_out < 1 for each in rest)


@pytest.mark.parametrize(
    "cosines",
    [[0.9, 0.8, 0.8, 0.7, 0.7], [None] * 9, [0.9, *[0.8] * 6], [None, 0.8, 0.7, 0.6, 0.5, 0.4]],
)
def test_of_few_or_equal_others_nothing_is_said(cosines: list[float | None]) -> None:
    assert compared(found(cosines))[0].stands_out is None


@pytest.mark.parametrize(
    ("language", "across", "sufficient"),
    [("en", 0.8, None), ("en", None, False), ("zh", 0.8, False), (None, 0.8, False)],
)
def test_words_do_not_tell_that_a_document_in_another_language_says_nothing(
    chunk: MakeChunk,
    analyzer: Analyzer,
    language: str | None,
    across: float | None,
    sufficient: bool | None,
) -> None:
    (one,) = found([0.8])
    passages = (chunk("The warranty of the pump is 24 months."),)
    judge = ByFeatures(SufficiencyParams(across_languages=across))
    question = read_question("水泵的保修期多长？", analyzer, lambda _: 1, 20)
    pump = replace(one, chunks=passages, language=language)
    (candidate,) = candidates_of(question, [pump], judge, analyzer)
    assert candidate.sufficient is sufficient


@pytest.mark.parametrize(
    ("text", "sufficient"),
    [
        ("To install the client, run the installer.", True),
        ("To install the client on a Mac, run the installer.", False),
    ],
)
def test_a_name_that_no_document_gives_speaks_against_what_gives_another(
    text: str, sufficient: bool, chunk: MakeChunk, analyzer: Analyzer
) -> None:
    (one,) = found([0.8])
    held = set(analyzer.tokens(text))
    asked = "How do I install the client on Windows?"
    question = read_question(asked, analyzer, lambda token: int(token in held), 60)
    client = replace(one, chunks=(chunk(text),), language="en")
    judge = ByFeatures(SufficiencyParams())
    (candidate,) = candidates_of(question, [client], judge, analyzer)
    assert candidate.sufficient is sufficient


def test_a_title_that_two_candidates_bear_chooses_neither(analyzer: Analyzer) -> None:
    titles = ("Lease", "Lease", "Lease of the quay")
    candidates = [
        Candidate(parent=each.parent.model_copy(update={"title": title}), number=number, score=1.0)
        for number, (each, title) in enumerate(zip(found([None] * 3), titles, strict=True), 1)
    ]
    assert chosen_by("lease", candidates, analyzer) is None
    assert chosen_by("lease", candidates[1:], analyzer) is candidates[1]
    assert chosen_by("doc_1", candidates, analyzer) is candidates[1]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How do Harbour Rules 2024 and harbour rules 2025 differ?", ["Harbour Rules 2025"]),
        ("港口管理规定和潜水作业须知各说了什么？", ["潜水作业须知"]),
        ("What do the Harbour Rules 2024 say of rules?", []),
        ("What do the Harbour Rules 2024 say of four piers?", []),
    ],
)
def test_another_document_that_a_question_names_is_told(question: str, named: list[str]) -> None:
    titles = ["Harbour Rules 2024", "Harbour Rules 2025", "Rules", "Harbour Rules", "Our Pier"]
    titles.append("潜水作业须知")
    parents = [
        each.parent.model_copy(update={"title": title})
        for each, title in zip(found([None] * len(titles)), titles, strict=True)
    ]
    assert also_named(question, parents[0], parents[1:]) == named
