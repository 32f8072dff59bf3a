"""Snippets: the right depth, whole sentences, never too long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.contracts.plan import SnippetPolicy
from rag_query.retrieval.snippets import Snippet, make_snippet
from rag_query.text.analysis import analyzer

ENGLISH = (
    "Tea comes from a shrub. Green tea is steamed right after picking. Black tea is oxidised. "
    "Water for green tea should not boil. Store it dry."
)
CHINESE = "茶来自一种灌木。绿茶采摘后立即蒸青。红茶是全发酵茶。泡绿茶的水不要煮沸。请干燥保存。"


def cut(
    text: str,
    policy: SnippetPolicy,
    size: int,
    query: str = "",
    path: tuple[str, ...] = (),
) -> Snippet:
    terms = analyzer().tokens(query)
    return make_snippet(text, policy, size, terms=terms, analyzer=analyzer(), title_path=path)


def test_l2_is_the_chunk_from_its_beginning_cut_at_a_sentence_end() -> None:
    assert cut(ENGLISH, "l2", 1000).text == ENGLISH
    assert cut(ENGLISH, "l2", 80).text == (
        "Tea comes from a shrub. Green tea is steamed right after picking. …"
    )
    assert cut(CHINESE, "l2", 22).text == "茶来自一种灌木。绿茶采摘后立即蒸青。 …"


def test_l1_is_the_sentences_with_most_matches_in_reading_order() -> None:
    made = cut(ENGLISH, "l1", 100, "water for green tea")
    assert "Water for green tea should not boil." in made.text
    assert len(made.text) <= 100
    assert cut(CHINESE, "l1", 24, "泡绿茶的水").text == "… 红茶是全发酵茶。泡绿茶的水不要煮沸。 …"


def test_l1_without_a_match_is_the_beginning() -> None:
    assert cut(ENGLISH, "l1", 40, "coffee").text == "Tea comes from a shrub. …"


def test_l0_is_the_title_path_and_the_best_sentence() -> None:
    made = cut(ENGLISH, "l0", 200, "oxidised", ("Handbook", "Black"))
    assert made.text == "Handbook › Black: Black tea is oxidised."


def test_auto_takes_the_whole_chunk_when_it_fits() -> None:
    assert cut(ENGLISH, "auto", 1000) == Snippet(ENGLISH, "l2")
    assert cut(ENGLISH, "auto", 60, "oxidised").policy == "l1"


def test_a_single_long_sentence_is_cut_between_words_around_the_match() -> None:
    text = "word " * 100 + "needle " + "word " * 100
    made = cut(text, "l1", 60, "needle")
    assert "needle" in made.text
    assert len(made.text) <= 60


def test_markdown_is_kept_as_it_is() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    assert cut(table, "auto", 100).text == table


@given(
    st.text(alphabet=st.sampled_from("ab茶水。. !?\n“”|#"), max_size=300),
    st.sampled_from(["l0", "l1", "l2", "auto"]),
    st.integers(1, 120),
    st.sampled_from(["", "ab", "茶水", "a 茶"]),
)
def test_a_snippet_is_never_too_long(
    text: str, policy: SnippetPolicy, size: int, query: str
) -> None:
    made = cut(text, policy, size, query, ("Title", "Section"))
    assert len(made.text) <= size
    assert made.policy != "auto"
    end = 0
    for start, stop in made.ranges:
        # The ranges are in order, and what they hold is what is shown.
        assert end <= start < stop <= len(text)
        assert text[start:stop].strip() in made.text
        end = stop


@pytest.mark.parametrize("policy", ["l0", "l1", "l2"])
def test_a_snippet_knows_which_part_of_the_text_it_shows(policy: SnippetPolicy) -> None:
    text = "\n " + ENGLISH
    made = cut(text, policy, 80, "oxidised", ("Handbook",))
    shown = "".join(text[start:end] for start, end in made.ranges)
    assert shown
    assert ("oxidised" in shown) == (policy != "l2")
    for start, end in made.ranges:
        assert text[start:end] in made.text


@pytest.mark.parametrize("policy", ["l0", "l1", "l2", "auto"])
def test_empty_text_is_an_empty_snippet(policy: SnippetPolicy) -> None:
    assert cut("  ", policy, 10).text == ""
