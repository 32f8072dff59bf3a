"""Lines of ranges of a normalised text."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sections.places import LineMap

PLACES = st.integers(0, 30)


@given(st.text(alphabet="a中\n", min_size=30, max_size=30), st.lists(st.tuples(PLACES, PLACES)))
def test_a_range_has_the_lines_of_its_first_and_last_character(
    text: str, ranges: list[tuple[int, int]]
) -> None:
    facts = [10 * line for line in range(text.count("\n"))]  # Of the last line nothing is known.
    lines = LineMap(text, np.array(facts, np.int32))
    first, last = lines.lines([start for start, _ in ranges], [end for _, end in ranges])
    for (start, end), line, until in zip(ranges, first, last, strict=True):
        if start >= end or text.count("\n", 0, end - 1) == len(facts):
            assert (line, until) == (None, None)
        else:
            assert line == facts[text.count("\n", 0, start)]
            assert until == facts[text.count("\n", 0, end - 1)]
