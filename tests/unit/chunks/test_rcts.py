"""The default chunker: pieces cover their section, fit, and are cut where a reader would cut."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_assets.chunks.base import Piece
from rag_assets.chunks.measure import Ruler
from rag_assets.chunks.rcts import RctsParams, RctsWithinSection
from rag_assets.chunks.whole_section import WholeSection, WholeSectionParams
from rag_assets.sections.blocks import scan_blocks
from rag_query.contracts.errors import ExcerptaError
from rag_query.providers.registry import REGISTRY
from tests.unit.sections.test_blocks import LINES

PROSE = "Sentences end somewhere. " * 12
FENCE = "```py\nx = 1\ny = 22\n```"
TABLE = "| ab | c |\n|----|---|\n| 1  | 2 |\n| 3  | 4 |"
HTML_TABLE = "<table>\n<tr><th>ab</th></tr>\n<tr><td>1</td></tr>\n</table>"
LONG_LINES = st.sampled_from(
    [PROSE, "word " * 30, "没有空格的中文句子，继续写下去。" * 6, "x" * 150]
)


def split(text: str, title: str | None = None, **params: Any) -> list[Piece]:
    given_params = {"chunk_size": 100, "chunk_overlap": 0, **params}
    return RctsWithinSection(RctsParams(**given_params)).split(text, title)


def texts(text: str, **params: Any) -> list[str]:
    return [text[piece.start : piece.end] for piece in split(text, **params)]


@pytest.mark.parametrize("overlap", [0, 30])
@pytest.mark.parametrize("function", ["chars", "estimated_tokens"])
@given(
    text=st.lists(LINES | LONG_LINES, max_size=14).map("\n".join)
    | st.text(alphabet="ab .\n中。，\u0301\u200d👍🏽`#|", max_size=400)
)
@example(text="# T\n\n| a | b |\n| - | - |\n" + "| 1 | 2 |\n" * 7)
@example(text="\n".join(["## Two *b*"] * 6))
def test_pieces_cover_the_section_within_the_size(overlap: int, function: Any, text: str) -> None:
    size = 64
    pieces = split(text, chunk_size=size, chunk_overlap=overlap, length_function=function)
    ruler = Ruler(text, function)
    blocks = scan_blocks(text)
    covered = 0
    for piece in pieces:
        chunk = text[piece.start : piece.end]
        assert chunk and chunk == chunk.strip()
        assert not text[covered : piece.start].strip()
        assert piece.end > covered
        covered = piece.end
        if ruler.size(piece.start, piece.end) > size:
            inside = [b.kind for b in blocks if piece.start <= b.start < piece.end]
            # A heading carries what must stay with it, which may be a heading too, a little beyond.
            assert inside[0] == "heading" and inside[-1] in ("code", "table", "heading")
            assert ruler.size(piece.start, piece.end) <= 1.25 * size
    assert not text[covered:].strip()


@given(st.lists(LINES | LONG_LINES, max_size=14).map("\n".join))
def test_code_and_tables_that_fit_are_whole(text: str) -> None:
    pieces = split(text, chunk_size=120)
    for block in scan_blocks(text):
        start = block.end - len(text[block.start : block.end].lstrip())
        if block.kind in ("code", "table") and block.end - block.start <= 90:
            assert any(p.start <= start and block.end <= p.end for p in pieces)


def held(prefix: str, *, first: str) -> st.SearchStrategy[str]:
    """Prose, code and tables of a list item or a quote, each line behind the prefix."""
    parts = st.sampled_from([FENCE, TABLE, HTML_TABLE, "Words. " * 5, "Some more of it, and so on"])
    return st.lists(parts, min_size=1, max_size=6).map(
        lambda found: (
            first + "\n\n".join(found).replace("\n", "\n" + prefix).replace("\n    \n", "\n\n")
        )
    )


@pytest.mark.parametrize("overlap", [0, 30])
@given(
    st.lists(
        held("    ", first="1.  ") | held("> ", first="> ") | held("    ", first="[^a]: ") | LINES,
        max_size=4,
    ).map("\n\n".join)
)
def test_code_and_tables_inside_other_blocks_that_fit_are_whole(overlap: int, text: str) -> None:
    pieces = split(text, chunk_size=120, chunk_overlap=overlap)
    for part in (part for block in scan_blocks(text) for part in block.nested):
        if part.end - part.start > 90:
            continue
        start = part.end - len(text[part.start : part.end].lstrip())
        assert any(p.start <= start and part.end <= p.end for p in pieces)
        assert not any(start < p.start < part.end for p in pieces)


@given(st.lists(LINES | LONG_LINES, min_size=1, max_size=14).map("\n".join))
def test_no_chunk_ends_with_a_heading_while_text_follows(text: str) -> None:
    blocks = scan_blocks(text)
    pieces = split(text, chunk_size=120)
    for piece in pieces[:-1]:
        inside = [block for block in blocks if piece.start <= block.start < piece.end]
        if any(block.kind != "heading" for block in inside):
            assert inside[-1].kind != "heading" or inside[-1].end - inside[-1].start > 60


def test_cuts_prefer_paragraphs_then_sentences() -> None:
    first = "A first paragraph that is long enough to stand alone."
    second = "And the second one of them. It has two sentences itself."
    assert texts(f"{first}\n\n{second}") == [first, second]
    for chunk in texts(PROSE):
        assert chunk.endswith("somewhere.")
    for chunk in texts("先把鸡蛋打散，加入盐。然后热锅，倒油，翻炒均匀。" * 20):
        assert chunk.endswith("。")


def test_a_wrapped_line_is_no_place_to_cut_while_a_sentence_ends() -> None:
    text = "This sentence is wrapped\nin the middle of it. " * 8
    assert all(chunk.endswith("of it.") for chunk in texts(text))


@pytest.mark.parametrize(
    ("cells", "sign"),
    [
        ([f"v0x{n}" for n in range(300)], "|"),
        ([f"{n}.25" for n in range(300)], "|"),
        ([f"2026-01-{n}" for n in range(300)], ";"),
        ([f"{n}.25" for n in range(300)], ","),
        ([f"don't{n}@a.org" for n in range(100)], "/"),
        ([f"नमस्ते{n}" for n in range(100)], "|"),
    ],
)
@pytest.mark.parametrize("size", [40, 61, 100])
def test_every_cell_of_a_row_without_blanks_is_whole_in_a_chunk(
    cells: list[str], sign: str, size: int
) -> None:
    chunks = texts(sign.join(cells), chunk_size=size)
    assert {cell for chunk in chunks for cell in chunk.split(sign)} >= set(cells)
    assert all(len(chunk) > size / 3 for chunk in chunks[:-1])


@pytest.mark.parametrize("size", range(24, 33))
def test_an_address_is_not_cut_behind_its_scheme(size: int) -> None:
    text = "It is told there: (see|https://example.com/tides)|and nowhere else at all."
    assert sum("https://example" in chunk for chunk in texts(text, chunk_size=size)) == 1


def test_a_word_longer_than_a_chunk_is_cut_inside() -> None:
    assert texts("x" * 240) == ["x" * 100, "x" * 84, "x" * 56]
    assert texts("x-y" * 90)[0].endswith("-")


@pytest.mark.parametrize("drawn", ["🇩🇪", "👍🏽", "👨\u200d👩\u200d👧", "e\u0301", "\r\n"])
def test_what_is_drawn_as_one_is_not_cut(drawn: str) -> None:
    for before in range(4):
        text = "x" * before + f"xx{drawn}" * 60
        cuts = {piece.start for piece in split(text, chunk_size=100)} - {0}
        inside = {
            at + n for at in range(len(text)) if text.startswith(drawn, at)
            for n in range(1, len(drawn))
        }  # fmt: skip
        assert cuts and not cuts & inside


def test_lists_are_cut_between_items() -> None:
    text = "\n".join(f"- item number {n} says a few words" for n in range(12))
    assert all(chunk.startswith("- item") for chunk in texts(text))


def test_overlap_begins_at_a_sentence_and_never_crosses_a_table() -> None:
    chunks = texts(PROSE, chunk_overlap=30)
    assert all(chunk.startswith("Sentences") for chunk in chunks)
    assert sum(map(len, chunks)) > len(PROSE)
    rows = "\n".join(f"| {n} | {n} {n} |" for n in range(40))
    pieces = split(f"| h | k |\n|---|---|\n{rows}", chunk_overlap=30)
    assert [piece.header_row for piece in pieces][:2] == [None, "| h | k |"]
    for mark in ("> ", "- "):
        inside = f"{mark}| h | k |\n|---|---|\n{rows}".replace("\n", f"\n{mark.replace('-', ' ')}")
        assert {piece.header_row for piece in split(inside)[1:]} == {"| h | k |"}
    below = split(f"- item\ngoes on\n| h | k |\n|---|---|\n{rows}\nwords")
    assert len(below) > 2 and {piece.header_row for piece in below[1:]} == {"| h | k |"}
    html = "".join(f"<tr><td>{n}</td></tr>\n" for n in range(20))
    cut = split(f"<table>\n<tr><th>h</th><th>k</th></tr>\n{html}</table>")
    assert len(cut) > 2 and {piece.header_row for piece in cut[1:]} == {"| h | k |"}
    assert all(a.end <= b.start for a, b in pairwise(pieces))


@pytest.mark.parametrize(
    "text", ["记录仪每隔十分钟采集水位数据，" * 20, "the recorder takes a level, " * 12]
)
def test_text_without_ends_of_sentences_overlaps_in_every_script(text: str) -> None:
    pieces = split(text, chunk_overlap=30)
    assert len(pieces) > 2
    assert all(15 < before.end - after.start <= 30 for before, after in pairwise(pieces))


STEPS = [
    "打开阀门并且检查管路的压力表读数是否正常。",
    "Open the valve and check that the gauge shows what it should.",
]


@pytest.mark.parametrize("step", STEPS, ids=["chinese", "english"])
@pytest.mark.parametrize("function", ["chars", "estimated_tokens"])
def test_a_picture_beside_each_step_does_not_part_the_steps(function: Any, step: str) -> None:
    def steps(picture: str) -> str:
        return "## Steps\n\n" + "".join(f"{n}. {step}\n\n{picture}\n\n" for n in range(1, 40))

    bare, kept = (
        texts(steps(address), chunk_size=400, length_function=function)
        for address in ("![]()", f"![](asset://{'a' * 64})")
    )
    assert [chunk.replace(f"asset://{'a' * 64}", "") for chunk in kept] == bare
    assert len(kept) > 1


def test_a_small_rest_is_shared_with_the_chunk_before() -> None:
    text = "Four words are here. " * 6
    assert [len(chunk) > 40 for chunk in texts(text.strip(), chunk_size=110)] == [True, True]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# H\n\nprose of some length", "paragraph"),
        ("# Only a heading", "heading"),
        ("# H\n\n- a\n- b", "list"),
        (f"# H\n\n- a\n- b\n- c\n\n![](asset://{'a' * 64})", "list"),
        (f"# 表\n\n{TABLE}\n\n![](asset://{'a' * 64})\n\n![](asset://{'b' * 64})", "table"),
        (f"# H\n\n![](asset://{'a' * 64})", "paragraph"),
        ("| a |\n|---|\n| 1 |", "table"),
        ("intro\n\n```\nlong code here\n```", "code"),
        ("> quoted words", "quote"),
        ("<pre>\nlines\n</pre>", "code"),
        ("<table><tr><td>1</td></tr></table>", "table"),
    ],
)
def test_block_types(text: str, kind: str) -> None:
    assert [piece.block_type for piece in split(text)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "**Figure 3.** What it shows", "Figure 12 Overview of\nthe parts", "Table 2: rows",
        "Table 2", "Table 1 (continued)", "Fig. 2 (Color online) The map", "FIG. 1. words",
        "Table 3.1 有助于安装", "图 2 架构", "图3系统架构", "表4.2: 字体", "图2-4\u3000各地趋势",
        "图10 中国各行业", "表2 是否参加",
    ],
)  # fmt: skip
def test_captions(text: str) -> None:
    assert [piece.block_type for piece in split(text)] == ["caption"]


@pytest.mark.parametrize(
    "text",
    [
        "Table 2 shows that accuracy grows", "Scheme 1 members pay 5 %", "Table 2.1  shows it",
        "Figure 1C shows more", "Figure 3 (left) shows it", "**Figure 3** shows it",
        "Table 2, which we saw", "Figure 2's parts", "图3显示了系统", "图 3 是一张图",
        "图3和图4相同", "表4.2 中的命令", "表8.1列出了几种",
    ],
)  # fmt: skip
def test_what_is_said_of_a_figure_is_no_caption(text: str) -> None:
    assert [piece.block_type for piece in split(text)] == ["paragraph"]


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("必备原料和工具", "ingredients"),
        ("Ingredients", "ingredients"),
        ("操作", "list"),
        ("必备原料和工具 + 计算", "list"),
        ("推荐的做法", "list"),
    ],
)
def test_recipe_sections_have_their_own_types(title: str, kind: str) -> None:
    assert [piece.block_type for piece in split("- a\n- b", title)] == [kind]
    whole = WholeSection(WholeSectionParams()).split(" - a\n- b\n", title)
    assert whole == [Piece(1, 8, kind)]


def test_types_of_titles_are_a_parameter() -> None:
    types = {"faq": "Q: .*"}
    assert split("text", "Q: why", title_types=types)[0].block_type == "faq"
    assert split("text", "操作", title_types=types)[0].block_type == "paragraph"


@pytest.mark.parametrize("name", ["title_types", "companion_titles"])
def test_a_bad_pattern_of_titles_is_named(name: str) -> None:
    with pytest.raises(ExcerptaError, match=rf"{name}.*not a regular expression"):
        REGISTRY.params("chunker.rcts_within_section", {name: {"faq": "("}})


def test_literal_separators_and_bounds() -> None:
    text = "one;two;" * 40
    assert all(chunk.endswith(";") for chunk in texts(text, separators=(";",)))
    with pytest.raises(ValueError, match="chunk_overlap"):
        RctsParams(chunk_size=100, chunk_overlap=50)


def test_a_section_the_embedder_reads_whole_is_not_cut() -> None:
    section = PROSE[:250].strip()
    assert len(split(section)) > 1
    assert texts(section, whole_size=250) == [section]
    longer = PROSE.strip()
    assert texts(longer, whole_size=250) == texts(longer)
    assert texts(section, whole_size=50) == texts(section)
