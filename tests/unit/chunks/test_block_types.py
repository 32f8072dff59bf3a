"""What a chunk is called after, whole sections and parts of them alike."""

from hypothesis import given
from hypothesis import strategies as st

from rag_assets.chunks.block_types import block_type, whole_type
from rag_assets.sections.blocks import scan_blocks
from rag_assets.sections.places import visible

LINES = st.sampled_from(
    [
        "", "", "# One", "Title", "===", "---", "> text", "- item", "  more", "1. one", "```",
        "    code", "  indented", "<div>", "</div>", "<table>", "  <table>", "| a | b |",
        "| - | - |", "| 1 |", "<pre>", "- ```",
        "Figure 2: words", "  图 1 说明", "\u3000\u3000中文段落。", "\u3000",
        "***", "[ref]: /url", "é\ud800", f"![](asset://{'0' * 64})",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=12).map("\n".join) | st.text(max_size=60))
def test_a_whole_section_is_typed_as_its_only_chunk_is(text: str) -> None:
    start, end = visible(text, 0, len(text))
    assert whole_type(text) == block_type(text, scan_blocks(text), start, end)
