"""Quotas by mode are met exactly while candidates suffice."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from rag_query.contracts.plan import Mode
from rag_query.retrieval.quotas import Quotas

EXACT: Mode = "exact"
SEMANTIC: Mode = "semantic"


def test_a_candidate_of_two_modes_makes_room_for_one_of_a_single_mode() -> None:
    quotas = Quotas({EXACT: 1, SEMANTIC: 1})
    assert quotas.take(0, (EXACT, SEMANTIC))
    assert quotas.take(1, (EXACT,))
    assert (quotas.mode_of(0), quotas.mode_of(1)) == (SEMANTIC, EXACT)
    assert not quotas.take(2, (SEMANTIC, EXACT))


def test_a_mode_without_a_limit_always_has_room() -> None:
    quotas = Quotas({EXACT: 0, SEMANTIC: None})
    assert not quotas.take(0, (EXACT,))
    assert all(quotas.take(n, (EXACT, SEMANTIC)) for n in range(1, 9))


@given(
    st.lists(
        st.lists(st.sampled_from((EXACT, SEMANTIC, "hybrid")), min_size=1, max_size=3, unique=True),
        max_size=6,
    ),
    st.lists(st.integers(0, 3), min_size=3, max_size=3),
)
def test_as_many_fit_as_in_the_best_way_of_counting(
    candidates: list[list[Mode]], limits: list[int]
) -> None:
    allowed = dict(zip((EXACT, SEMANTIC, "hybrid"), limits, strict=True))
    quotas = Quotas(allowed)  # type: ignore[arg-type]
    taken = [index for index, modes in enumerate(candidates) if quotas.take(index, modes)]
    counted = [quotas.mode_of(index) for index in taken]
    assert all(mode in candidates[index] for index, mode in zip(taken, counted, strict=True))
    assert all(counted.count(mode) <= limit for mode, limit in allowed.items())  # type: ignore[arg-type]
    ways = product(*(((None, *modes)) for modes in candidates))
    best = max(
        sum(mode is not None for mode in way)
        for way in ways
        if all(way.count(mode) <= limit for mode, limit in allowed.items())  # type: ignore[arg-type]
    )
    assert len(taken) == best
