"""Edits move the text around them, and nothing that stands loses its place."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_query.text.edits import Edit, EditedText


@settings(deadline=None)
@given(st.text("a b\n水\x00é", max_size=40), st.data())
def test_edited_text_maps_offsets_both_ways(source: str, data: st.DataObject) -> None:
    place = st.integers(0, len(source))
    spans = data.draw(st.lists(st.tuples(place, place, st.sampled_from(["", "x", "long"]))))
    edited = EditedText(source, [Edit(min(a, b), max(a, b), text) for a, b, text in spans])
    untouched = set(range(len(source)))
    for edit in edited.edits:
        untouched -= set(range(edit.start, edit.end))
    kept = np.array(sorted(untouched), np.int64)
    moved = edited.forward(kept)
    assert [edited.text[int(at)] for at in moved] == [source[int(at)] for at in kept]
    assert edited.backward(moved).tolist() == kept.tolist()
    everywhere = edited.forward(np.arange(len(source) + 1))
    assert (np.diff(everywhere) >= 0).all()
    assert len(edited.text) == everywhere[-1] or edited.edits[-1].end == len(source)
    parts, at = [], 0
    for edit in edited.edits:
        parts += [source[at : edit.start], edit.text]
        at = edit.end
    assert edited.text == "".join([*parts, source[at:]])


def test_of_edits_that_overlap_the_first_and_longer_one_is_applied() -> None:
    edits = [Edit(9, 13, "ee"), Edit(5, 7, "x"), Edit(4, 5, "y"), Edit(4, 8), Edit(0, 0, "> ")]
    edited = EditedText("one two three", edits)
    assert edited.text == "> one tee"
    assert edited.edits == [Edit(0, 0, "> "), Edit(4, 8), Edit(9, 13, "ee")]
    forward = edited.forward(np.arange(14)).tolist()
    assert forward == [2, 3, 4, 5, 6, 6, 6, 6, 6, 7, 7, 7, 7, 9]
    assert edited.backward(np.arange(10)).tolist() == [0, 0, 0, 1, 2, 3, 8, 9, 9, 13]
