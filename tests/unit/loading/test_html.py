"""HTML facts: structure as Markdown, nothing that is not content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.html import HtmlLoader
from rag_assets.loading.html_markdown import to_markdown
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import Params

PAGE = """<!doctype html><html lang="en"><head><title>Tide
 station</title><meta name="Keywords" content="tide, gauge"><style>p {color: red}</style></head>
<body><h1>The <em>station</em></h1><script>var x = "<p>no</p>";</script>
<p>Read at&nbsp;noon, <a href="log book.html">in the log</a>.<br># not a heading
<p>1. not a list <b>bold </b>text
<ul><li>one<li>two<ol start=3><li>deep</ol></ul>
<table><caption>Levels</caption><tr><th>Month<th>m|cm<tr><td>May<td><p>2.9</table>
<pre><code>if a &lt; b:
    # comment
</code></pre><blockquote><p>said</p></blockquote><p hidden>secret</p>
<h2>Plan</h2><figure><img src="a.png" alt="the [plan]"><figcaption>drawn</figcaption></figure>
</body></html>"""


def load(text: str | bytes) -> Loaded:
    data = text if isinstance(text, bytes) else text.encode()
    return HtmlLoader(Params()).load(data, LoadRequest("page.html"))


def test_structure_becomes_markdown() -> None:
    loaded = load(PAGE)
    assert loaded.md == (
        "# The *station*\n\n"
        "Read at\xa0noon, [in the log](<log book.html>).\n\\# not a heading\n\n"
        "1\\. not a list **bold** text\n\n"
        "- one\n- two\n  3. deep\n\n"
        "Levels\n\n| Month | m\\|cm |\n|---|---|\n| May | 2.9 |\n\n"
        "```\nif a < b:\n    # comment\n```\n\n"
        "> said\n\n## Plan\n\n![the (plan)](a.png)\n\ndrawn"
    )
    assert loaded.title == "Tide station"
    assert loaded.tags == ["tide", "gauge"] and loaded.metadata["lang"] == "en"
    assert [(item.level, item.title) for item in loaded.outline] == [
        (1, "The station"),
        (2, "Plan"),
    ]
    (image,) = loaded.media_refs
    assert image.origin_ref == "a.png" and image.heading_path == "The station / Plan"
    assert loaded.md[image.char_start : image.char_end] == "![the (plan)](a.png)"


def test_other_encodings_are_read_when_declared() -> None:
    assert load('<meta charset="gbk"><p>潮位站</p>'.encode("gbk")).md == "潮位站"
    with pytest.raises(ExcerptaError) as caught:
        load("<p>潮位站</p>".encode("gbk"))
    assert caught.value.code == ErrorCode.NOT_UTF8


def test_a_page_without_text_is_empty() -> None:
    with pytest.raises(ExcerptaError) as caught:
        load("<html><script>1</script></html>")
    assert caught.value.code == ErrorCode.EMPTY_FILE


def test_deep_markup_is_read() -> None:
    assert "deep" in load("<div>" * 5000 + "deep" + "</div>" * 5000).md


@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<li>",
                "<ul>",
                "</ul>",
                "<table>",
                "<tr>",
                "<td>",
                "</table>",
                "<b>",
                "</b>",
                "<a href=x>",
                "</a>",
                "<pre>",
                "</pre>",
                "<h2>",
                "</h2>",
                "<br>",
                "<img src=y>",
                "word ",
                "|",
            ]
        ),
        max_size=30,
    )
)
def test_no_word_is_lost_however_damaged_the_markup(parts: list[str]) -> None:
    html = "".join(f"{part}{number}w " for number, part in enumerate(parts))
    md = to_markdown(html).md
    in_tables = "<table>" in parts
    for number in range(len(parts)):
        assert in_tables or f"{number}w" in md
