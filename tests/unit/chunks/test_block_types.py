from hypothesis import given
from hypothesis import strategies as st

from rag_assets.chunks.block_types import block_type, whole_type
from rag_assets.sections.blocks import scan_blocks
from rag_assets.sections.places import visible
from tests.unit.sections.test_blocks import LINES

MORE = st.sampled_from(
    ["Figure 1. A", "**Bold** words", "**Table 2** x", "_a_", "[^1]: note", "a\tb", "#tag", "\tx"]
)


@given(
    st.lists(LINES | MORE, min_size=1, max_size=8).map("\n".join)
    | st.text(alphabet="# a1.*-=_|>[]:`<\t\n\x0b图2中", min_size=1, max_size=40)
)
def test_prose_is_told_without_parsing(text: str) -> None:
    start, end = visible(text, 0, len(text))
    if start < end:
        assert whole_type(text, start, end) == block_type(text, scan_blocks(text), start, end)
