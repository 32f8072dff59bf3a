"""Text is cut into sentences, and nothing is lost between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.text.sentences import split_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Dr. Smith et al. found 3.14 (see Fig. 2). It works! Really?",
            ["Dr. Smith et al. found 3.14 (see Fig. 2).", "It works!", "Really?"],
        ),
        (
            "Use v1.2.3 of foo.bar. Then J. Doe left.",
            ["Use v1.2.3 of foo.bar.", "Then J. Doe left."],
        ),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("今天很好。我们去吧！“好啊。”他说", ["今天很好。", "我们去吧！", "“好啊。”", "他说"]),
        ("价格是3.5元。版本v2.0。", ["价格是3.5元。", "版本v2.0。"]),
        ("One paragraph\n\nanother", ["One paragraph", "another"]),
        ("- one\n- two", ["- one", "- two"]),
        ("1. Cut it. Then go.", ["1. Cut it.", "Then go."]),
        ("a != b and x?y=1 hold", ["a != b and x?y=1 hold"]),
        ("wrapped\nprose goes on. End", ["wrapped\nprose goes on.", "End"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet='aA1 .!?。！？\n"”-*;；', max_size=60) | st.text())
def test_spans_cover_the_text(text: str) -> None:
    spans = split_sentences(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)
