"""A question of 20,000 characters is read about as quickly as its length asks for."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from rag_query.contracts.plan import MAX_QUERY_CHARS
from rag_query.retrieval.names import NamedDocument, Names
from rag_query.retrieval.operators import read_operators, read_wild
from rag_query.retrieval.preprocess import RulesNormalizer, RulesParams
from rag_query.retrieval.question_filters import read_conditions, read_preferences

#: What patterns begin with: of each a whole question.
_REPEATED = (
    *("list ", "哪些", "ingest ", "compare ", "summary ", "which\t", "在", "in the ", "in a-"),
    *("in the file a.", "documents ab ", "2024年", "自从", "带", "标签", "a", "《", "collection "),
    *(
        "《手册》",
        "手册中",
        "in the big manual ",
        "在a.md ",
        '"',
        "“a",
        "+a ",
        "+a*",
        "a~",
        "a*",
        "-a",
    ),
)
_NAMES = Names(
    tuple(
        NamedDocument(f"doc_{n}", f"Manual {n}", f"{n}.md", frozenset({"manual", str(n)}))
        for n in range(500)
    ),
    {},
    {},
)


def _seconds(work: Callable[[], object]) -> float:
    """Of a processor, so that other work on the machine does not count."""
    began = time.process_time()
    work()
    return time.process_time() - began


@pytest.mark.parametrize("repeated", _REPEATED)
def test_many_beginnings_of_a_pattern_take_no_seconds(repeated: str) -> None:
    text = (repeated * MAX_QUERY_CHARS)[:MAX_QUERY_CHARS]
    normalizer = RulesNormalizer(RulesParams(), "profile")

    def read(text: str) -> None:
        normalizer.normalize(text, "hybrid")
        read_conditions(text, lambda: _NAMES)
        read_preferences(text)

    read("in the manual 1")  # what is loaded once
    assert _seconds(lambda: read(text)) < 0.6


@pytest.mark.parametrize("begins", ["+", "-", '+"', ""])
@pytest.mark.parametrize("letters", ["a", "a.", "é-"])
@pytest.mark.parametrize("ends", ['"', '"x', "*", "~", "*x"])
def test_one_word_of_a_whole_question_takes_no_seconds(
    begins: str, letters: str, ends: str
) -> None:
    text = begins + (letters * MAX_QUERY_CHARS)[: MAX_QUERY_CHARS - 4] + ends
    assert _seconds(lambda: read_operators(text)) < 0.2


def test_what_is_said_at_the_end_of_a_long_question_is_heard() -> None:
    long = "It failed again. " * 600
    normalizer = RulesNormalizer(RulesParams(), "profile")
    assert normalizer.normalize(long + "Which documents say why?", "hybrid").intent == (
        "metadata_filter"
    )
    (condition,) = read_conditions(long + "Look in 7.md", lambda: _NAMES)
    assert condition.value == ["doc_7"]


@pytest.mark.parametrize(
    ("text", "required"),
    [
        ("+foo.bar", ["foo.bar"]),
        ("+foo* tea", ["foo*"]),
        ("+foo~1 tea", ["foo~1"]),
        ("+foo. tea", ["foo"]),
        ('+foo"x', []),
        ("+foo*x", ["foo*x"]),
        ("+foo.* tea", []),
    ],
)
def test_a_required_word_ends_as_it_did(text: str, required: list[str]) -> None:
    assert list(read_operators(text).required) == required


def test_no_word_of_more_letters_than_words_have_is_looked_for() -> None:
    assert read_wild("a" * 100 + "*") is not None
    assert read_wild("a" * 101 + "*") is None
    assert read_wild("a" * 101 + "~2") is None
