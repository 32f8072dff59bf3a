"""Which chunk a place belongs to, compared with looking at each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag_assets.links.holders import Holders

ranges = st.tuples(st.integers(0, 30), st.integers(1, 20)).map(lambda r: (r[0], r[0] + r[1]))


@given(st.lists(st.lists(ranges, min_size=1, max_size=3), max_size=8), st.integers(0, 55))
def test_the_first_chunk_that_holds_a_place_is_found(
    chunks: list[list[tuple[int, int]]], place: int
) -> None:
    rows = [
        {
            "chunk_id": number,
            "char_start": places[0][0],
            "char_end": places[0][1],
            "also_at": [{"char_start": start, "char_end": end} for start, end in places[1:]],
        }
        for number, places in enumerate(chunks)
    ]
    holding = [
        (start, number)
        for number, places in enumerate(chunks)
        for start, end in places
        if start <= place < end
    ]
    holders = Holders(rows)
    first, below = holders.first(place), holders.below(place)
    assert (first["chunk_id"] if first else None) == (min(holding)[1] if holding else None)
    if not rows:
        assert below is None
    elif holding:
        assert below is not None and below["chunk_id"] in [number for _, number in holding]
    else:
        assert below is not None
        after = [(s, n) for n, places in enumerate(chunks) for s, _ in places if s > place]
        assert not after or below["chunk_id"] == min(after)[1]
