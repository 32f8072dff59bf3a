"""What a query's text is understood as."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.retrieval.preprocess import QueryIR, RulesNormalizer, RulesParams


def read(text: str, mode: str = "hybrid", *, operators: bool = True) -> QueryIR:
    normalizer = RulesNormalizer(RulesParams(operators=operators), "profile")
    return normalizer.normalize(text, mode)  # type: ignore[arg-type]


def test_text_is_normalised_and_kept() -> None:
    ir = read("  Ｈｅｌｌｏ\x00 \n World\u200b ")
    assert ir.original_query == "  Ｈｅｌｌｏ\x00 \n World\u200b "
    assert ir.normalized_query == "hello world"
    assert ir.dense_query_text == "Hello World"
    assert ir.query_profile_id == "profile"
    assert ir.query_hash == read("hello world").query_hash


@pytest.mark.parametrize(
    ("text", "plain", "required", "excluded"),
    [
        ('"green tea" water', "green tea water", ("green tea",), ()),
        ("+tea water", "tea water", ("tea",), ()),
        ("tea -black", "tea", (), ("black",)),
        ('tea -"black leaf"', "tea", (), ("black leaf",)),
        ("tea +snake_case", "tea snake_case", ("snake_case",), ()),
        ("茶 -红茶", "茶", (), ("红茶",)),
        ('what does "E1234" mean?', "what does E1234 mean?", ("E1234",), ()),
        # plain text
        ("well-known fact", "well-known fact", (), ()),
        ("p53 -/- mice", "p53 -/- mice", (), ()),
        ("cooled to -20 C", "cooled to -20 C", (), ()),
        ("git commit --amend", "git commit --amend", (), ()),
        ("ls -l", "ls -l", (), ()),
        ("a - b + c", "a - b + c", (), ()),
        ("-black", "-black", (), ()),
        ('an "unbalanced quote', 'an "unbalanced quote', (), ()),
        ('""', '""', (), ()),
        ('5" pipe and 6" pipe', '5" pipe and 6" pipe', (), ()),
        ("C++ and a+b", "C++ and a+b", (), ()),
    ],
)
def test_operators(
    text: str, plain: str, required: tuple[str, ...], excluded: tuple[str, ...]
) -> None:
    ir = read(text)
    assert (ir.sparse_query_expr, ir.required, ir.excluded) == (plain, required, excluded)


@pytest.mark.parametrize(
    ("text", "unheeded"),
    [("-helmet -the", ("helmet", "the")), ("tea -black", ()), ("- -- -x", ()), ("tea", ())],
)
def test_exclusions_alone_are_words_and_that_is_known(text: str, unheeded: tuple[str, ...]) -> None:
    ir = read(text)
    assert ir.unheeded == unheeded
    assert not unheeded or (ir.sparse_query_expr, ir.excluded) == (text, ())


def test_typographic_quotes_are_prose_that_ranks_higher() -> None:
    ir = read("“双减”政策是什么")
    assert (ir.phrases, ir.required) == (("双减",), ())
    assert "双减" in ir.sparse_query_expr


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_operators_act_only_where_words_are_searched(mode: str) -> None:
    assert bool(read("+tea", mode).required) == (mode == "hybrid")
    assert read("tea -black", mode, operators=False).excluded == ()


@pytest.mark.parametrize(
    ("text", "language", "intent"),
    [
        ("how is tea made?", "en", "search"),
        ("绿茶怎么做", "zh", "search"),
        ("compare RRF and CombSUM", "en", "compare"),
        ("绿茶和红茶的区别", "zh", "compare"),
        ("summarize the handbook", "en", "summarize"),
        ("总结第三章", "zh", "summarize"),
        ("which documents mention tea", "en", "metadata_filter"),
        ("列出所有文档", "zh", "metadata_filter"),
        ("delete this file", "en", "tool_call"),
        ("こんにちは", "other", "search"),
        ("?!", "other", "search"),
    ],
)
def test_language_and_intent(text: str, language: str, intent: str) -> None:
    ir = read(text)
    assert (ir.language, ir.intent) == (language, intent)


@given(st.text(min_size=1, max_size=200))
def test_any_text_leaves_something_to_search_for(text: str) -> None:
    ir = read(text)
    has_words = any(ch.isalnum() for ch in ir.normalized_query)
    assert any(ch.isalnum() for ch in ir.sparse_query_expr) == has_words
