from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rag_assets.embeddings.calls import GIVE_UP_AFTER, MAX_RETRIES, IsolatingCalls
from rag_query.contracts.errors import ErrorCode, ExcerptaError


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
    vectors, codes = calls(texts)
    assert [code is None for code in codes] == good
    assert vectors.shape == (len(texts), 2)
    for text, vector, ok in zip(texts, vectors, good, strict=True):
        assert vector.tolist() == ([len(text), 1.0] if ok else [0.0, 0.0])
    assert calls.counts.texts == sum(good)


def test_a_transient_failure_is_retried_with_growing_delays() -> None:
    waits: list[float] = []
    failures = [TimeoutError(110, "timed out"), TimeoutError(110, "timed out")]

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        if failures:
            exc = failures.pop()
            raise ExcerptaError(
                ErrorCode.EMBED_FAILED, str(exc), details={"status": 429}, transient=True
            )
        return _vectors(texts)

    calls = IsolatingCalls(embed, 2, sleep=waits.append)
    _, codes = calls(["a", "b"])
    assert codes == [None, None]
    assert waits == [0.5, 1.0]
    summary = calls.counts.summary()
    assert (summary["embed_calls"], summary["retries"], summary["rate_limited"]) == (3, 2, 2)
    assert summary["error_type"] == {"EMBED_FAILED": 2}


def test_one_text_that_always_fails_transiently_is_isolated_among_256() -> None:
    texts = [str(i) for i in range(256)]
    calls = _rejecting({"0"}, transient=True)
    _, codes = calls(texts)
    assert codes[0] is ErrorCode.EMBED_FAILED
    assert codes[1:] == [None] * 255
    assert calls.counts.retries == MAX_RETRIES


def test_an_embedder_that_is_down_stops_the_run_instead_of_failing_every_text() -> None:
    texts = [str(i) for i in range(256)]
    calls = _rejecting(set(texts), transient=True)
    with pytest.raises(ExcerptaError) as caught:
        calls(texts)
    assert caught.value.transient
    assert calls.counts.embed_calls <= GIVE_UP_AFTER + MAX_RETRIES + 1


def test_a_missing_model_is_no_texts_fault() -> None:
    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        raise ExcerptaError(ErrorCode.MODEL_UNAVAILABLE, "gone")

    with pytest.raises(ExcerptaError) as caught:
        IsolatingCalls(embed, 2)(["a", "b"])
    assert caught.value.code is ErrorCode.MODEL_UNAVAILABLE


def test_a_fault_inside_the_embedder_is_isolated_too() -> None:
    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        if "bad" in texts:
            raise AttributeError("bug")
        return _vectors(texts)

    calls = IsolatingCalls(embed, 2)
    assert calls(["good", "bad"])[1] == [None, ErrorCode.EMBED_FAILED]
    assert calls.counts.error_types == {"INTERNAL": 2}
