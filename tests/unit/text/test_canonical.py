"""Texts that look alike are one text with one hash."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from rag_query.text.canonical import TextNormProfile, canonical, content_hash
from rag_query.text.ids import sha256_text

#: Assigned after Unicode 14 and so unknown to older Pythons.
NEWER = {chr(code) for code in range(0x13439, 0x13440)}


@given(st.text())
def test_canonical_is_idempotent_and_clean(text: str) -> None:
    once = canonical(text)
    assert canonical(once) == once
    assert "\n\n\n" not in once
    assert not any(line != line.rstrip() for line in once.split("\n"))
    for ch in set(once) - {"\n", "\t"} - NEWER:
        assert unicodedata.category(ch) not in ("Cc", "Cf")


def test_every_invisible_character_goes() -> None:
    for code in range(0x110000):
        ch = chr(code)
        if unicodedata.category(ch) in ("Cc", "Cf") and ch not in "\n\t\r":
            assert canonical(f"a{ch}b") == "ab", hex(code)


def test_presentation_does_not_change_the_hash() -> None:
    assert content_hash("ﬁne  \r\n\r\n\r\n\r\nＡ\ufeff") == content_hash("fine\n\nA")
    assert content_hash("e\u200b\u0301") == content_hash("é")
    assert content_hash("a b") != content_hash("ab")


SEEN = "aé\u0301，：；？！（）…。、“”—《》【】中文 \n\tÅÿ\u00a0²\r\u3000★℃→°•🍲🧑\u200d\u0338"


@given(st.text(alphabet=SEEN) | st.text(alphabet="中，a \n\t") | st.text())
def test_shortcuts_give_what_the_rules_give(text: str) -> None:
    by_rules = canonical(text, TextNormProfile())  # Another object takes no shortcut.
    assert canonical(text) == by_rules
    assert unicodedata.normalize("NFKC", by_rules) == by_rules


def test_no_character_is_taken_for_plain_that_is_not() -> None:
    for code in range(0x110000):
        text = f"a{chr(code)}b"
        assert canonical(text) == canonical(text, TextNormProfile()), hex(code)


@given(st.text(alphabet="ab \n\t\r\x0c\x00~é") | st.text())
def test_the_hash_is_that_of_the_canonical_text(text: str) -> None:
    assert content_hash(text) == sha256_text(canonical(text))
