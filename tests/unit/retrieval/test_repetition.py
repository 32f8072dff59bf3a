"""What says the same is one evidence; what only looks the same is not."""

from __future__ import annotations

import pytest

from rag_query.retrieval.repetition import ALIKE, SHINGLE, Repetition, Span

LONG = "The gauge at the pier is read at noon and its reading is written into the log of the day. "
CHINESE = "验潮站的水位计每天中午读数一次，读数写入当天的日志，由值班员签名后送交数据中心保存。"


def repetition(texts: list[str], spans: list[Span] | None = None, **how: bool) -> Repetition:
    apart = [Span(f"doc{n}", f"ver{n}", 0, len(text)) for n, text in enumerate(texts)]
    return Repetition(spans or apart, texts.__getitem__, **how)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (LONG * 3, LONG * 3, True),
        (LONG * 3, LONG.upper() * 3, True),
        (LONG * 3, (LONG * 3).replace(" ", "\n", 3).replace("noon and", "noon, and"), True),
        (CHINESE * 3, CHINESE * 3 + "完", True),
        (LONG, LONG.replace("gauge", "radar").replace("noon", "dawn"), False),
        ("Error E4012. " + LONG * 5, "Error E4013. " + LONG * 5, False),
        (CHINESE * 3 + "共3次", CHINESE * 3 + "共4次", False),
        ("🍵", "☕", False),
    ],
)
def test_near_duplicates(one: str, other: str, same: bool) -> None:
    kept = repetition([one, other])
    kept.keep(0)
    assert (kept.duplicated(1) == "near_duplicate") is same
    assert kept.collapsed == ({0: [1]} if same else {})
    off = repetition([one, other], duplicates=False)
    off.keep(0)
    assert off.duplicated(1) is None


def test_two_versions_of_a_document_are_not_duplicates() -> None:
    spans = [Span("doc", "ver1", 0, 90), Span("doc", "ver2", 0, 90)]
    kept = repetition([LONG * 3, LONG * 3], spans)
    kept.keep(0)
    assert kept.duplicated(1) is None


def test_a_document_that_says_a_thing_twice_is_one_evidence() -> None:
    spans = [Span("doc", "ver1", 0, 90), Span("doc", "ver1", 500, 590)]
    kept = repetition([LONG * 3, LONG * 3], spans)
    kept.keep(0)
    assert kept.duplicated(1) == "near_duplicate"


@pytest.mark.parametrize(
    ("start", "end", "same"),
    [
        (500, 600, True),
        (540, 640, True),
        (560, 660, False),
        (520, 540, True),
        (520, 900, True),
        (600, 700, False),
    ],
)
def test_chunks_that_share_most_of_their_span_are_one(start: int, end: int, same: bool) -> None:
    spans = [Span("doc", "v1", 500, 600), Span("doc", "v1", start, end), Span("d2", "v2", 500, 600)]
    kept = repetition(["a", "b", "c"], spans)
    kept.keep(0)
    assert (kept.overlapped(1) == "overlap") is same
    assert kept.overlapped(2) is None


@pytest.mark.parametrize("length", [4, 13, 40, 93, 200])
def test_a_duplicate_is_found_wherever_it_differs(length: int) -> None:
    words = [f"word{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10 % 10]}" for n in range(length)]
    shingles = max(1, length - SHINGLE + 1)
    for place in range(0, length, 7):
        other = [*words[:place], "another", *words[place + 1 :]]
        both = [{tuple(t[n : n + SHINGLE]) for n in range(shingles)} for t in (words, other)]
        alike = len(both[0] & both[1]) / len(both[0] | both[1]) >= ALIKE
        texts = [" ".join(words), " ".join(other)]
        found = Repetition([Span("a", "a1", 0, 1), Span("b", "b1", 0, 1)], texts.__getitem__)
        found.keep(0)
        assert (found.duplicated(1) == "near_duplicate") == alike
