"""Exactly the texts that cannot be embedded fail, and only what may help is tried again."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.embedding.isolating import MAX_RETRIES, PROBE, IsolatingCalls
from rag_query.providers.json_client import Retries


def _vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.array([[len(text), 1.0] for text in texts], np.float32)


def _rejecting(bad: set[str], transient: bool = False) -> IsolatingCalls:
    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        if bad & set(texts):
            raise ExcerptaError(ErrorCode.EMBED_FAILED, "no", transient=transient)
        return _vectors(texts)

    return IsolatingCalls(embed, 2, sleep=lambda _: None)


@given(st.lists(st.booleans(), min_size=1, max_size=70))
def test_exactly_the_bad_texts_fail(good: list[bool]) -> None:
    texts = [f"{i}" if ok else f"bad {i}" for i, ok in enumerate(good)]
    calls = _rejecting({text for text in texts if text.startswith("bad")})
    vectors, failures = calls(texts)
    assert [failure is None for failure in failures] == good
    assert vectors.shape == (len(texts), 2)
    for text, vector, ok in zip(texts, vectors, good, strict=True):
        assert vector.tolist() == ([len(text), 1.0] if ok else [0.0, 0.0])
    probes = sum(not ok for ok in good)
    assert calls.counts.texts == sum(good) + probes


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(1, 9))
def test_a_request_is_made_again_only_for_a_text_of_its_own(good: list[bool], size: int) -> None:
    texts = [f"{i}" if ok else f"bad {i}" for i, ok in enumerate(good)]
    asked: Counter[str] = Counter()

    def embed(sent: Sequence[str]) -> NDArray[np.float32]:
        assert len(sent) <= size
        asked.update(sent)
        if any(text.startswith("bad") for text in sent):
            raise ExcerptaError(ErrorCode.EMBED_FAILED, "no")
        return _vectors(sent)

    vectors, failures = IsolatingCalls(embed, 2, request_texts=size)(texts)
    assert [failure is None for failure in failures] == good
    assert [bool(vector.any()) for vector in vectors] == good
    for at in range(0, len(texts), size):
        if all(good[at : at + size]):
            assert all(asked[text] == 1 for text in texts[at : at + size])


def test_a_transient_failure_is_retried_with_growing_delays() -> None:
    waits: list[float] = []
    failures = [TimeoutError(110, "timed out"), TimeoutError(110, "timed out")]

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        if failures:
            exc = failures.pop()
            raise ExcerptaError(
                ErrorCode.EMBED_FAILED, str(exc), details={"error_type": "429"}, transient=True
            )
        return _vectors(texts)

    calls = IsolatingCalls(embed, 2, sleep=waits.append)
    _, codes = calls(["a", "b"])
    assert codes == [None, None]
    assert waits == [0.5, 1.0]
    summary = calls.counts.summary()
    assert (summary["embed_calls"], summary["retries"], summary["rate_limited"]) == (3, 2, 2)
    assert summary["error_type"] == {"429": 2}


def test_one_text_that_always_fails_transiently_is_isolated_among_256() -> None:
    texts = [str(i) for i in range(256)]
    calls = _rejecting({"0"}, transient=True)
    _, failures = calls(texts)
    assert failures[0] is not None and failures[0].code is ErrorCode.EMBED_FAILED
    assert failures[1:] == [None] * 255
    assert calls.counts.retries == MAX_RETRIES


@pytest.mark.parametrize("transient", [True, False])
@pytest.mark.parametrize("number", [1, 2, 256])
def test_an_embedder_that_is_out_of_order_fails_no_text(number: int, transient: bool) -> None:
    texts = [str(i) for i in range(number)]
    calls = _rejecting({*texts, PROBE}, transient=transient)
    with pytest.raises(ExcerptaError) as caught:
        calls(texts)
    assert caught.value.transient is transient and caught.value.message == "no"
    assert "What was published before still answers" in caught.value.hint
    assert calls.counts.embed_calls <= MAX_RETRIES + 2 + 8


def test_an_embedder_that_asks_again_itself_is_not_asked_twice() -> None:
    retries = Retries()

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        busy = ExcerptaError(
            ErrorCode.EMBED_FAILED, "busy", details={"error_type": "429"}, transient=True
        )
        if texts == ["a"]:
            retries.count(busy)
            raise busy
        return _vectors(texts)

    calls = IsolatingCalls(embed, 2, own_retries=retries, sleep=lambda _: None)
    (failure,) = calls(["a"])[1]
    assert failure is not None
    summary = calls.counts.summary()
    assert (summary["embed_calls"], summary["retries"], summary["rate_limited"]) == (2, 1, 2)


def test_a_fault_inside_the_embedder_is_isolated_too() -> None:
    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        if "bad" in texts:
            raise AttributeError("bug")
        return _vectors(texts)

    calls = IsolatingCalls(embed, 2)
    good, bad = calls(["good", "bad"])[1]
    assert good is None and bad is not None and bad.code is ErrorCode.INTERNAL
    assert calls.counts.error_types == {"INTERNAL": 2}


def test_a_missing_model_is_no_texts_fault_and_asked_once() -> None:
    asked: list[Sequence[str]] = []

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        asked.append(texts)
        raise ExcerptaError(ErrorCode.MODEL_UNAVAILABLE, "no key", transient=False)

    with pytest.raises(ExcerptaError) as caught:
        IsolatingCalls(embed, 2, sleep=lambda _: None)(["a", "b"])
    assert caught.value.code == ErrorCode.MODEL_UNAVAILABLE
    assert asked == [["a", "b"]]


def test_texts_that_were_cut_are_those_of_these_calls() -> None:
    cut = [2]

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        cut.append(cut[-1] + 3)
        return _vectors(texts)

    calls = IsolatingCalls(embed, 2, texts_cut=lambda: cut[-1])
    calls(["a"])
    calls(["b"])
    assert calls.counts.texts_cut == 6


def test_the_time_of_calls_under_way_at_once_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([0.0, 1.0, 3.0, 4.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(moments))
    calls = IsolatingCalls(_vectors, 2)
    calls._begin()
    calls._begin()
    calls._end()
    assert calls.counts.seconds == 0.0
    calls._end()
    assert calls.counts.seconds == 4.0
