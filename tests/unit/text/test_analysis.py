"""Words of a question meet words of a text, in Chinese and English, whatever their form."""

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
        ("1.2.3-rc.1", ["1.2.3-rc.1", "1.2.3", "1.2", "rc.1", "rc", "1"]),
        ("2.4-fold", ["2.4-fold", "2.4", "fold"]),
        ("ORA-00942", ["ora-00942", "ora", "00942"]),
        ("ERR_CONN_REFUSED", ["err_conn_refused", "err", "conn", "refus"]),
        ("CVE-2024-12345", ["cve-2024-12345", "cve", "2024", "12345"]),
        (
            "/etc/nginx/nginx.conf",
            ["etc/nginx/nginx.conf", "etc", "nginx", "nginx.conf", "nginx", "conf"],
        ),
        ("x86_64", ["x86_64", "x86", "64"]),
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


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("臺灣的網絡連線", "台湾的网络连线"),
        ("會議記錄", "会议记录"),
        ("機器學習與資料庫", "机器学习与资料库"),
        ("検索", "检索"),
        ("東京駅", "东京驿"),
        ("乾燥", "干燥"),
    ],
)
def test_variants_of_a_character_are_one(written: str, other: str) -> None:
    assert tokens(written) == tokens(other)
    assert tokens(f"在{written}中") == tokens(f"在{other}中")


def test_a_character_chinese_uses_in_another_sense_stays() -> None:
    assert "欠费" in tokens("欠费停机")


def test_japanese_and_korean_words_are_found_within_a_sentence() -> None:
    for word, sentence in (
        ("検索エンジン", "全文検索エンジンを使う"),
        ("データ", "データベースの設計"),
        ("검색", "한국어 검색 엔진입니다"),
        ("데이터베이스", "데이터베이스를 설계한다"),
    ):
        assert set(tokens(word)) <= set(tokens(sentence))


def test_scripts_without_blanks_become_bigrams() -> None:
    assert tokens("コンピュータ") == ["コン", "ンピ", "ピュ", "ュー", "ータ"]
    assert tokens("한국어 문장") == ["한국", "국어", "문장"]
    assert tokens("ก") == ["ก"]
    assert tokens("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_any_number_of_numbers_may_be_joined() -> None:
    assert tokens("1.2.3-4.5-beta") == ["1.2.3-4.5-beta", "1.2.3", "1.2", "4.5-beta", "4.5", "beta"]
    found = tokens("-".join(f"1.{n}" for n in range(3000)))
    assert {"1.0", "1.1499", "1.2999"} <= set(found)
    assert max(map(len, found)) <= 120


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
