"""Headings and blocks of a text are those of its syntax tree."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rag_assets.sections.blocks import outline, scan_blocks, scan_headings

REFERENCE = MarkdownIt("commonmark").enable("table")
SAMPLES = Path(__file__).parents[3] / "data" / "samples"

LINES = st.sampled_from(
    [
        "", "", "# One", "## Two *b*", "###Three", "Title", "===", "---", "> # quoted", "> text",
        "- item", "  # in item", "  more", "1. one", "   # in one", "```", "~~~", "```py",
        "    # indented", "<div>", "</div>", "<!-- # x", "-->", "| a | b |", "| - | - |",
        "| 1 | 2 |", "中文段落。", "# 标题 `code`", "#", "***", "[ref]: /url", "text with `# code`",
    ]
)  # fmt: skip


def reference_headings(text: str) -> list[tuple[int, int]]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return [
        (starts[token.map[0]], int(token.tag[1]))
        for token in REFERENCE.parse(text)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


#: Where the reference parser differs from CommonMark: a definition, then an indented heading.
REFERENCE_DIFFERS = "[ref]: /url\n    #"


@given(
    st.lists(LINES, max_size=14).map("\n".join).filter(lambda text: REFERENCE_DIFFERS not in text)
)
def test_headings_are_those_of_the_syntax_tree(text: str) -> None:
    found = [(block.start, block.level) for block in scan_blocks(text) if block.kind == "heading"]
    assert found == reference_headings(text)


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.md")), ids=lambda path: path.name)
def test_headings_of_the_samples(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = [(block.start, block.level) for block in scan_blocks(text) if block.kind == "heading"]
    assert found == reference_headings(text)


@given(st.lists(LINES, max_size=14).map("\n".join) | st.text(max_size=80))
def test_blocks_are_disjoint_and_visible(text: str) -> None:
    end = 0
    for block in scan_blocks(text):
        assert end <= block.start < block.end <= len(text)
        assert text[block.start : block.end] == text[block.start : block.end].rstrip()
        assert all(block.start < place < block.end for place in block.inner)
        assert list(block.inner) == sorted(block.inner)
        inside = block.start
        for part in block.nested:
            assert inside <= part.start < part.end <= block.end
            assert text[part.start : part.end] == text[part.start : part.end].rstrip()
            inside = part.end
        end = block.end


#: What begins a block as words do, or nearly so.
NEARLY_WORDS = st.sampled_from(
    [
        "Words. ", "**bold** b", "**", "`code` c", "``c`` d", "[link](url) x", "[link] x",
        "![picture](url)", "“引号”", "\ufeff# b", "\u3000x", "- item two", "- - -", "* * *", "* a",
        "  * b", "-  wide", "10. ten", "   ```", "````", "a | b", "--- | ---", "[^1]: note",
        "- ```",
    ]
)  # fmt: skip


@given(
    st.lists(LINES | NEARLY_WORDS, max_size=14).map("\n".join)
    | st.text("#a-=|` \n\r", max_size=40)
    | st.text(max_size=80)
)
@example("\x1f")
@example("\u3000\n\n# A")
@example("# A\r=")
def test_an_outline_has_the_same_blocks(text: str) -> None:
    blocks = scan_blocks(text)
    assert [*outline(text)] == [(block.kind, text[block.start : block.end]) for block in blocks]


def test_kinds_titles_and_inner_places() -> None:
    text = (
        "# Hé *two* `x`\n\npara\n\n- a\n  - b\n- c\n\n| h |\n|---|\n| 1 |\n| 2 |\n\n"
        "```\n# no\n```\n\n> q\n\nT\n===\n"
    )
    blocks = scan_blocks(text)
    assert [block.kind for block in blocks] == [
        "heading", "paragraph", "list", "table", "code", "quote", "heading",
    ]  # fmt: skip
    assert [text[p : p + 3] for p in blocks[2].inner] == ["- c"]
    assert [text[p : p + 5] for p in blocks[3].inner] == ["| 1 |", "| 2 |"]
    assert [block.title for block in scan_headings(text)] == ["Hé two x", "T"]


def test_code_and_tables_are_known_to_what_holds_them() -> None:
    text = (
        "1. 步骤\n\n   ```py\n   x = 1\n   ```\n   - | é | b |\n     |---|---|\n     | 1 | 2 |\n\n"
        "> ```\n> y\n> ```\n> | c |\n> |---|\n> | 3 |\n\n"
        "[^1]: note\n\n    <pre>z\n    </pre>\n    <div>\n    </div>\n\n```\ntop\n```\n"
    )
    found = [[(p.kind, text[p.start : p.end]) for p in b.nested] for b in scan_blocks(text)]
    assert found == [
        [
            ("code", "   ```py\n   x = 1\n   ```"),
            ("table", "   - | é | b |\n     |---|---|\n     | 1 | 2 |"),
        ],
        [("code", "> ```\n> y\n> ```"), ("table", "> | c |\n> |---|\n> | 3 |")],
        [("code", "    <pre>z\n    </pre>")],
        [],
    ]
    headers = [part.header for block in scan_blocks(text) for part in block.nested]
    assert headers == [None, "| é | b |", None, "| c |", None]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("| a | `b` |\n|---|---|\n| 1 | 2 |", "| a | `b` |"),
        ("<table>\n<tr><th>Name</th><th>A &amp; B</th></tr>\n<tr><td>1</td></tr>\n</table>",
         "| Name | A & B |"),
        ('  <TABLE class="x"><thead><TR id=1>\n<TD>a<br>\nb\n<td><b>c</b></thead></TABLE>',
         "| a b | c |"),
        ("<table>\n</table>", None),
        ("<table><tr><td></td></tr></table>", None),
    ],
)  # fmt: skip
def test_the_first_row_heads_a_table(text: str, header: str | None) -> None:
    (block,) = scan_blocks(text)
    assert (block.kind, block.header) == ("table", header)


@pytest.mark.parametrize(
    ("html", "kind"),
    [("<pre>\nx\n\ny</pre>", "code"), ("<Pre class=a>x</pre>", "code"), ("<div>x</div>", "html")],
)
def test_kinds_of_html(html: str, kind: str) -> None:
    assert [block.kind for block in scan_blocks(html)] == [kind]


def test_lone_surrogates_do_not_move_offsets() -> None:
    text = "# \ud800 é\n\nline\n\n## b"
    assert [text[b.start : b.end] for b in scan_blocks(text)] == ["# \ud800 é", "line", "## b"]
