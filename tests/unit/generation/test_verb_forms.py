"""A question and its answer may use other forms of one verb."""

from __future__ import annotations

import pytest

from rag_query.generation.evidence.sufficiency import ByFeatures, SufficiencyParams, missing
from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.generation.vocabulary.verb_forms import VERBS, base_forms
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who wrote the manifesto?", "The manifesto was written by Ian Murdock in 1994."),
        ("Who chose the logo?", "The logo was chosen by Raul Silva."),
        ("Who builds the pump station?", "The pump station was built by Acme Waterworks."),
    ],
)
def test_who_wrote_it_is_told_by_what_was_written_by_someone(
    question: str, text: str, chunk: MakeChunk, analyzer: Analyzer
) -> None:
    held = set(analyzer.tokens(text))
    read = read_question(question, analyzer, lambda token: int(token in held), 500)
    scored = score_sentences(read, statements_of([chunk(text)]), analyzer)
    assert not missing(read, scored)
    assert ByFeatures(SufficiencyParams()).judge(read, scored).sufficient


def test_a_missing_verb_is_named_as_the_question_writes_it(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    read = read_question("Who wrote the manifesto?", analyzer, lambda _: 1, 500)
    scored = score_sentences(read, statements_of([chunk("The harbour is deep.")]), analyzer)
    assert "wrote" in next(m.what for m in missing(read, scored) if m.kind == "words")


@pytest.mark.parametrize(
    "forms",
    [
        "arise arises arose arisen", "choose choosing chose chosen", "fly flies flew flown",
        "freeze froze frozen", "give giving gave given", "rewrite rewrote rewritten",
        "undertake undertook undertaken", "write writes writing wrote written",
    ],
)  # fmt: skip
def test_forms_of_a_verb_are_one_word(forms: str, analyzer: Analyzer) -> None:
    assert len(set(base_forms(analyzer.tokens(forms)))) == 1


@pytest.mark.parametrize(
    ("word", "verb"),
    [("spokes", "speak"), ("stole", "steal"), ("shots", "shoot"), ("rungs", "ring")],
)
def test_a_thing_is_no_form_of_a_verb(word: str, verb: str, analyzer: Analyzer) -> None:
    assert base_forms(analyzer.tokens(word)) != base_forms(analyzer.tokens(verb))


def test_no_form_stands_for_two_verbs() -> None:
    forms = [form for verb in VERBS for form in verb]
    assert len(forms) == len(set(forms))
