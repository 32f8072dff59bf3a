import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.text.analysis import AnalysisProfile, Analyzer

ANALYZER = Analyzer()


def tokens(text: str) -> list[str]:
    return ANALYZER.tokens(text)


@pytest.mark.parametrize(
    "text",
    [
        "Cells migrate and the mRNA of virus-free PhD students",
        "a well known fact, however: it's Parkinson's disease (don't panic)",
        "The U.S. government e.g. spent more",
    ],
)
def test_ordinary_prose_gives_one_token_a_word(text: str) -> None:
    words = text.replace("virus-free", "virus free").split()
    assert len(tokens(text)) == len(words)


def test_words_meet_whatever_their_form() -> None:
    assert tokens("Migrating CELLS, migrated") == tokens("migrates cell migrate")
    assert tokens("Café naïve ＡＢＣ ﬁne Straße") == tokens("cafe naive abc fine strasse")
    assert tokens("cafe\u0301") == tokens("café")
    assert tokens("soft\u00adhyphen zero\u200bwidth") == tokens("softhyphen zerowidth")


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("max_section_level", ["max_section_level", "max", "section", "level"]),
        ("RetrievalPlan", ["retrievalplan", "retriev", "plan"]),
        ("getHTTPResponse", ["gethttpresponse", "get", "http", "respons"]),
        ("parseJSON", ["parsejson", "pars", "json"]),
        ("os.path.join", ["os.path.join", "os", "path", "join"]),
        ("E1234", ["e1234"]),
        ("v1.2.3", ["v1.2.3", "1.2.3", "1.2"]),
        ("src/text/io.py", ["src/text/io.py", "src", "text", "io.py", "io", "py"]),
        ("std::vec::Vec", ["std::vec::vec", "std", "vec", "vec"]),
        ("UTF-8", ["utf-8", "utf", "8"]),
        ("C++", ["c++"]),
        ("__init__", ["init"]),
    ],
)
def test_identifiers_are_whole_and_in_parts(identifier: str, expected: list[str]) -> None:
    assert tokens(identifier) == expected
    assert tokens(f"call {identifier}, then")[1:-1] == expected


def test_numbers_stay_numbers() -> None:
    assert tokens("3.14 and 1,234,567") == ["3.14", "and", "1234567"]


def test_chinese_is_cut_into_words() -> None:
    assert tokens("中华人民共和国") == [
        "中华", "华人", "人民", "共和", "共和国", "中华人民共和国",
    ]  # fmt: skip
    assert "火锅" in tokens("我们用Python做四川火锅，２０２４年")
    assert {"python", "2024"} <= set(tokens("我们用Python做四川火锅，２０２４年"))


def test_scripts_without_blanks_become_bigrams() -> None:
    assert tokens("コンピュータ") == ["コン", "ンピ", "ピュ", "ュー", "ータ"]
    assert tokens("한국어 문장") == ["한국", "국어", "문장"]
    assert tokens("ก") == ["ก"]
    assert tokens("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_the_profile_names_the_rules() -> None:
    other = AnalysisProfile(stemmer="")
    assert other.id != ANALYZER.analysis_profile_id
    assert Analyzer(other).tokens("running cells") == ["running", "cells"]


@given(st.text())
def test_tokens_hold_no_blanks_and_ignore_case_of_ascii(text: str) -> None:
    found = tokens(text)
    assert all(token and not any(ch.isspace() for ch in token) for token in found)
    assert tokens(text) == found


@given(st.lists(st.from_regex(r"[a-z]{1,10}", fullmatch=True)))
def test_case_never_matters_for_words(words: list[str]) -> None:
    text = " ".join(words)
    assert tokens(text.upper()) == tokens(text) == tokens(text.title())


def test_is_fast_enough_to_index_prose() -> None:
    text = "Cell migration in the zebrafish embryo depends on chemokine signalling. " * 3000
    began = time.perf_counter()
    tokens(text)
    assert len(text) / (time.perf_counter() - began) > 2_000_000
