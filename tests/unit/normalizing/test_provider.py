"""Text is tidied without losing the place of anything, and code is left alone."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rag_assets.normalizing.provider import Facts, Normal, NormalizeParams, NormalizePre
from rag_assets.normalizing.rules import Link
from rag_query.text.fences import code_ranges

ASSET = "ab" * 32
PIECES = st.sampled_from(
    [
        "word", "水位", "  ", "\t", "\n", "\n\n\n\n", "\x00", "\u200b", "\ufeff", "\x0c", "\r\n",
        "```\n", "~~~\n", "- ", "    ", "> ", "# H\n", "line  \n", "\u00ad", "\u200d", "é",
        "[x](y)",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def normalize(
    md: str,
    *,
    furniture: list[tuple[int, int, str]] | None = None,
    links: list[Link] | None = None,
    anchors: list[tuple[int, int]] | None = None,
    **params: object,
) -> Normal:
    starts, ends = np.array(anchors or np.empty((0, 2)), np.int64).reshape(-1, 2).T
    facts = Facts(md, furniture or [], links or [], starts, ends)
    return NormalizePre(NormalizeParams.model_validate(params)).normalize(facts)


def test_a_lost_sign_leaves_a_blank_between_letters_and_between_numbers() -> None:
    assert normalize("50\x1559 and a\x80b, \x07bell\x07 and so\u00adft").md_norm == (
        "50 59 and a b, bell and soft"
    )


@settings(deadline=None)
@given(TEXTS)
@example("word\x00word")
def test_lines_are_those_of_the_facts(md: str) -> None:
    normal = normalize(md)
    lines = normal.line_map.tolist()
    facts = [re.split("[\x0c\r]", line) for line in md.split("\n")]
    assert len(lines) == normal.md_norm.count("\n") + 1
    assert lines == sorted(lines)
    if normal.md_norm:
        for text, number in zip(normal.md_norm.split("\n"), lines, strict=True):
            # A control between two words becomes a blank, which is none of the line's words.
            bare = {re.sub(r"[\x00\u200b\ufeff\u00ad\s]", "", part) for part in facts[number - 1]}
            assert re.sub(r"\s", "", text) in bare


@settings(deadline=None)
@given(TEXTS, st.data())
def test_anchors_keep_their_text(md: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(md)), max_size=8)))
    anchors = list(pairwise(cuts))
    normal = normalize(md, anchors=anchors)
    end = 0
    places = zip(anchors, normal.anchor_starts, normal.anchor_ends, strict=True)
    for (start, stop), moved_start, moved_end in places:
        assert end <= moved_start <= moved_end <= len(normal.md_norm)
        end = moved_end
        before = "".join(md[start:stop].split()).translate(
            {ord(c): None for c in "\0\u200b\ufeff\xad"}
        )
        assert "".join(normal.md_norm[moved_start:moved_end].split()) == before


@settings(deadline=None)
@given(TEXTS, st.booleans(), st.integers(1, 3))
def test_it_is_idempotent(md: str, strip: bool, longest: int) -> None:
    params = {"strip_trailing_blanks": strip, "max_blank_lines": longest}
    once = normalize(md, **params)
    assert normalize(once.md_norm, **params).md_norm == once.md_norm


@settings(deadline=None)
@given(st.text(st.sampled_from("ab \n#-"), max_size=60))
def test_fenced_code_is_left_alone(code: str) -> None:
    md = f"before  \n\n\n\n```\n{code}\n```\n\n\n\nafter"
    normal = normalize(md)
    assert f"```\n{code}\n```" in normal.md_norm
    assert normal.md_norm.startswith("before\n\n```")
    assert normal.md_norm.endswith("```\n\nafter")


def test_indented_code_keeps_its_blanks() -> None:
    md = "text\n\n    a  \n\n\n\n    b\n"
    assert normalize(md).md_norm == "text\n\n    a  \n\n\n\n    b"


def test_furniture_goes_and_is_counted() -> None:
    md = "Header\n\nBody of the page.\n\n3\n\nHeader\n\nMore."
    furniture = [(0, 6, "header"), (27, 28, "page_number"), (30, 36, "header")]
    anchors = [(0, 6), (8, 25), (27, 28), (30, 36), (38, 43)]
    normal = normalize(md, furniture=furniture, anchors=anchors)
    assert normal.md_norm == "Body of the page.\n\nMore."
    kept = normal.anchor_ends > normal.anchor_starts
    assert kept.tolist() == [False, True, False, False, True]
    assert normal.line_map.tolist() == [3, 4, 9]
    assert (normal.stats["removed_header"], normal.stats["removed_page_number"]) == (2, 1)
    assert normalize(md, furniture=furniture, drop_furniture=False).md_norm == md


def test_front_matter_goes_even_when_furniture_stays() -> None:
    md = "---\ntitle: x\n---\n\n# H\n"
    normal = normalize(md, furniture=[(0, 17, "front_matter")], drop_furniture=False)
    assert normal.md_norm == "# H"
    assert normal.line_map.tolist() == [5]


def test_resolved_images_become_assets_and_the_rest_stays() -> None:
    written = [
        ("markdown", "a.png", '![x](a.png "t")', f'![x](asset://{ASSET} "t")'),
        ("markdown", "a b.png", "![](<a b.png>)", f"![](asset://{ASSET})"),
        ("markdown", "l.png", "![by name][logo]", f"![by name](asset://{ASSET})"),
        ("markdown", "l.png", "![logo][]", f"![logo](asset://{ASSET})"),
        ("markdown", "l.png", "![logo]", f"![logo](asset://{ASSET})"),
        ("markdown", "x](y).png", "![x](<x](y).png>)", f"![x](asset://{ASSET})"),
        ("markdown", "m_x.png", "![x](m\\_x.png 't')", f"![x](asset://{ASSET} 't')"),
        ("markdown", "a(b).png", r"![x](<a\(b).png>)", f"![x](asset://{ASSET})"),
        ("markdown", "a b.png", "![[a b.png|300]]", f"![a b.png|300](asset://{ASSET})"),
        ("html", "a.png", '<img alt="a" src="a.png">', f'<img alt="a" src="asset://{ASSET}">'),
        ("html", "a.png", "<img src=a.png>", f"<img src=asset://{ASSET}>"),
        ("pdf", "pdf:xref=7:0", "![](pdf:xref=7:0)", f"![](asset://{ASSET})"),
    ]
    md, expected, links = "", "", []
    for kind, origin, before, after in written:
        links.append(Link(len(md), len(md) + len(before), kind, origin, ASSET))
        md += before + "\n\n"
        expected += after + "\n\n"
    normal = normalize(md, links=links)
    assert normal.md_norm == expected.strip()
    unresolved = [link._replace(asset_id=None) for link in links]
    assert normalize(md, links=unresolved).md_norm == md.strip()


def test_the_data_of_a_data_uri_never_stays() -> None:
    origin = "data:image/png;base64," + "A" * 5000
    md = f"before ![x]({origin}) after"
    links = [Link(7, len(md) - 6, "markdown", origin, None)]
    assert normalize(md, links=links).md_norm == "before ![x](data:,) after"


def test_invisible_text_goes_and_joiners_stay() -> None:
    hidden = "".join(chr(0xE0000 + ord(ch)) for ch in "secret")
    md = f"a{hidden}b\u202ec\u2060 👩\u200d🔬 می\u200cخواهم\x0cnext\u2028last"
    assert normalize(md).md_norm == "abc 👩\u200d🔬 می\u200cخواهم\nnext\nlast"


def test_code_ranges() -> None:
    text = "a\n```py\nx\n````\n- ~~~\n  y\n  ~~~\n```\nopen"
    found = [text[start:end] for start, end in code_ranges(text)]
    assert found == ["```py\nx\n````", "- ~~~\n  y\n  ~~~", "```\nopen"]


DATA = "iVBORw0KGgoAAAANSUhEUgAAA4QAAAGQCAIAAAB59DnI/A+B" * 40
PNG = f"data:image/png;base64,{DATA}"
SVG = f"data:image/svg+xml;utf8,<svg xmlns='x'>{'<g/>' * 40}</svg>"


@pytest.mark.parametrize(
    ("md", "expected"),
    [
        ("a ![][i] b\n\n[i]: <{PNG}>\n\nc", "a ![][i] b\n\nc"),
        ("a ![][i] b\n\n[i]: {PNG} 'Title'\n[j]: j.png", "a ![][i] b\n\n[j]: j.png"),
        ("> [i]: {PNG}", "> [i]: data:,"),
        ("[get it]({PNG} 't')", "[get it](data:, 't')"),
        ('<source srcset="{PNG} 1x, b.png 2x">', '<source srcset="data:, 1x, b.png 2x">'),
        ("<p style='background:url({PNG})'>x</p>", "<p style='background:url(data:,)'>x</p>"),
        ("<p style=\"background:url('{PNG}')\">", "<p style=\"background:url('data:,')\">"),
        ('<object data="{SVG}">x</object>', '<object data="data:,">x</object>'),
        ("See {PNG} here.", "See data:, here."),
    ],
)
def test_data_uris_lose_their_data_wherever_they_stand(md: str, expected: str) -> None:
    md = md.replace("{PNG}", PNG).replace("{SVG}", SVG)
    normal = normalize(md)
    assert normal.md_norm == expected
    assert normal.stats["data_uris_emptied"] == 1
    assert normalize(expected).md_norm == expected


def test_wrapped_data_goes_to_its_end_and_the_lines_below_stay_theirs() -> None:
    wrapped = "\n  ".join(DATA[start : start + 76] for start in range(0, len(DATA), 76))
    md = f'<embed src="data:image/png;base64,{wrapped}">\n\nBelow.\n\n[i]: <{PNG}>\n\nEnd.'
    normal = normalize(md, anchors=[(md.index("Below"), md.index(".\n\n[") + 1)])
    assert normal.md_norm == '<embed src="data:,">\n\nBelow.\n\nEnd.'
    lines = md.split("\n")
    assert [lines[number - 1] for number in normal.line_map[2:]] == ["Below.", "", "End."]
    (start,), (end,) = normal.anchor_starts.tolist(), normal.anchor_ends.tolist()
    assert normal.md_norm[start:end] == "Below."


@pytest.mark.parametrize("below", ['- "word"', 'word" word', "-'word'"])
def test_the_line_below_data_stays(below: str) -> None:
    assert normalize(f"{PNG}\n{below}").md_norm == f"data:,\n{below}"


@pytest.mark.parametrize(
    "md",
    [
        "```\n{PNG}\n```",
        "- ~~~\n  [i]: <{PNG}>\n  ~~~",
        "text\n\n    {PNG}",
        "Write `![]({PNG})` for it.",
        "A data:image/png;base64,iVBORw0KGgo URI and the metadata:a/b," + "x" * 99,
        "The data: one, two and three; " + "x" * 99,
    ],
)
def test_what_speaks_of_data_uris_stays(md: str) -> None:
    md = md.replace("{PNG}", PNG)
    assert normalize(md).md_norm == md


def test_a_reference_to_embedded_data_leads_to_the_asset_and_its_definition_goes() -> None:
    md = f"# R\n\n![a][i] and ![i]\n\nText.\n\n[i]: <{PNG}>"
    links = [
        Link(md.index("![a]"), md.index(" and"), "markdown", PNG, ASSET),
        Link(md.index("![i]"), md.index("\n\nText"), "markdown", PNG, None),
    ]
    expected = f"# R\n\n![a](asset://{ASSET}) and ![i](data:,)\n\nText."
    assert normalize(md, links=links).md_norm == expected


@settings(deadline=None)
@given(st.lists(st.sampled_from(
    [PNG, SVG, "data:,", "\n", "\n\n", " ", '"', "'", "(", ")", "<", ">", "[i]: ", "`", "    ",
     "word", "水位", "> ", "- ", "```\n", "<img src="]
), max_size=25).map("".join))  # fmt: skip
def test_text_around_data_keeps_its_lines(md: str) -> None:
    normal = normalize(md)
    lines = md.split("\n")
    assert len(normal.line_map) == normal.md_norm.count("\n") + 1
    if normal.md_norm:
        for text, number in zip(normal.md_norm.split("\n"), normal.line_map, strict=True):
            assert [w for w in ("word", "水位") if w in text and w not in lines[number - 1]] == []
    assert normalize(normal.md_norm).md_norm == normal.md_norm


def test_what_dialects_add_leaves_every_line_where_it_was() -> None:
    facts = (
        "# A\n\n!!! note\n\n    One.\n\n    Two.\n\n{% highlight sh %}\n# x\n{% endhighlight %}\n"
        "Three.\n{: .x}\n\nFour."
    )
    normal = normalize(facts)
    lines = dict(zip(normal.md_norm.split("\n"), normal.line_map.tolist(), strict=True))
    expected = {"One.": 5, "Two.": 7, "```sh": 9, "# x": 10, "Three.": 12, "Four.": 15}
    assert {line: lines[line] for line in expected} == expected
    assert normal.stats["dialect_edits"] == 5


TABLE = """<table class="dataframe">
<thead><tr><th></th><th>port</th><th>height</th></tr></thead>
<tbody>
<tr>
  <th>0</th><td>Brest</td><td>3.2</td>
</tr>
<tr><th>1</th><td>Sable Bay</td><td>1.9</td></tr>
</tbody>
</table>"""
ROWS = """|  | port | height |
|---|---|---|
| 0 | Brest | 3.2 |
| 1 | Sable Bay | 1.9 |"""


def test_a_table_written_as_html_has_its_rows_and_their_lines() -> None:
    normal = normalize(f"# Tides\n\n{TABLE}\n\nMeasured daily.\n")
    assert normal.md_norm == f"# Tides\n\n{ROWS}\n\nMeasured daily."
    assert normal.line_map.tolist() == [1, 2, 3, 3, 6, 9, 11, 13]
    assert normal.stats["table_edits"] == 3
    assert normalize(normal.md_norm).md_norm == normal.md_norm


def test_a_table_in_html_or_in_an_item_of_a_list_stays_there() -> None:
    assert normalize(f"<div>\n{TABLE}\n</div>").md_norm == f"<div>\n\n{ROWS}\n\n</div>"
    within = [f"  {line}" for line in TABLE.split("\n")]
    rows = [f"  {line}" for line in ROWS.split("\n")]
    item = normalize("\n".join(["- Tides:\n", *within, "", "- Winds"])).md_norm
    assert item == "\n".join(["- Tides:\n", *rows, "", "- Winds"])


def test_a_table_in_what_a_dialect_calls_code_stays_and_one_in_an_admonition_is_read() -> None:
    code = normalize(f"{{% highlight html %}}\n{TABLE}\n{{% endhighlight %}}").md_norm
    assert code == f"```html\n{TABLE}\n```"
    within = TABLE.replace("\n", "\n    ")
    note = normalize(f"!!! note\n\n    {within}").md_norm
    assert note == f"!!! note\n\n{ROWS}"


@pytest.mark.parametrize(
    "md",
    [
        f"```html\n{TABLE}\n```",
        "    " + TABLE.replace("\n", "\n    "),
        TABLE.replace("Brest", "<img src=brest.png>"),
        TABLE.replace("<td>", "<td id=x>"),
        TABLE.replace("Brest", "![Brest](brest.png)"),
        TABLE.replace("Brest", "[[Brest]]"),
        TABLE.replace("Brest", "Port<Brest>"),
        TABLE.replace("Brest", "<https://brest.example>"),
        TABLE.replace("Brest", "write `<b>` so"),
        TABLE.replace("Brest", "\n\n## Brest\n\n- deep\n- wide\n\n"),
        TABLE.replace("Brest", "\n\n| a | b |\n|---|---|\n| c | d |\n\n"),
        "<table><tr><td>The gauge.</td></tr></table>",
        "<table>a</table>",
        "<table>\n<tr><td>a<td>b",
        f"Write `{TABLE}` so.",
    ],
)
def test_html_that_is_no_table_of_words_is_left_alone(md: str) -> None:
    assert normalize(md).md_norm == md
