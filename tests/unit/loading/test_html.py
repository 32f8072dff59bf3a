"""HTML facts: structure as Markdown, nothing that is not content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.html.loader import HtmlLoader
from rag_assets.loading.html.markdown import to_markdown
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
        "- one\n- two\n\n  3. deep\n\n"
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


def test_an_encoding_means_what_browsers_take_it_for() -> None:
    assert load('<meta charset="gb2312"><p>朱镕基</p>'.encode("gb18030")).md == "朱镕基"
    assert load('<meta charset="iso-8859-1"><p>“so”</p>'.encode("cp1252")).md == "“so”"


@pytest.mark.parametrize(
    ("html", "md"),
    [
        ("<p>---</p><p>one</p><p>---</p>", "\\---\n\none\n\n\\---"),
        ("<p>Dear Sir<br>----<br>====", "Dear Sir\n\\----\n\\===="),
        ("<p>&lt;script&gt; and 1 &lt; 2", "\\<script> and 1 < 2"),
        ("<p>&lt;img src=a.png&gt; ![b](c)", "\\<img src=a.png> !\\[b](c)"),
        ("<p><code>a &lt;b&gt;</code>", "`a <b>`"),
    ],
)
def test_text_is_no_syntax(html: str, md: str) -> None:
    loaded = load(html + "<h2>After</h2>")
    assert loaded.md == md + "\n\n## After"
    assert [item.title for item in loaded.outline] == ["After"] and not loaded.media_refs


@pytest.mark.parametrize(
    ("html", "md"),
    [
        (
            "<table><tr><td><h1>News</h1><p>First</p><pre>a\n b</pre></table>",
            "# News\n\nFirst\n\n```\na\n b\n```",
        ),
        (
            "<table><form><tr><th>a<th>b</tr><center><tr><td>c<td>d</table>",
            "| a | b |\n|---|---|\n| c | d |",
        ),
        ("<table><tr><form><td>a</td></form><td>b</table>", "|  |  |\n|---|---|\n| a | b |"),
        ("<table>said<th>a<th>b<tr><td>c<td>d</table>", "said\n\n| a | b |\n|---|---|\n| c | d |"),
    ],
)
def test_tables_are_read_as_browsers_lay_them_out(html: str, md: str) -> None:
    assert to_markdown(html).md == md


def test_a_drawing_names_no_page() -> None:
    html = "<svg><title>Icon</title></svg><title>Report</title><title>Other</title><p>x"
    assert to_markdown(html).title == "Report"


def test_a_page_without_text_is_empty() -> None:
    with pytest.raises(ExcerptaError) as caught:
        load("<html><script>1</script></html>")
    assert caught.value.code == ErrorCode.EMPTY_FILE


def test_what_is_hidden_is_not_shown() -> None:
    html = (
        '<p>a<span style="color: red; display :none">x</span></p><p style="VISIBILITY:hidden">x</p>'
        '<p><i class="material-icons" aria-hidden="true">home</i> b'
        '<p><span aria-hidden="true">c</span></p><div style="display:nonexistent">d</div>'
    )
    assert to_markdown(f'<body style="display:none">{html}').md == "a\n\nb\n\nc\n\nd"


@pytest.mark.parametrize("title", ["tides", "Tides, high and low"])
def test_a_keyword_that_is_the_title_is_no_tag(title: str) -> None:
    html = f"<title>{title}</title><meta name=keywords content='{title}'><p>x"
    assert load(html).tags == []


def test_keywords_that_a_page_says_one_by_one_are_all_tags() -> None:
    html = "<meta name=keywords content=tide><meta name=Keywords content='gauge, log'><p>x"
    assert load(html).tags == ["tide", "gauge", "log"]


@pytest.mark.parametrize(
    "listing",
    [
        "<table class=highlighttable><tr><td class=linenos><div class=linenodiv><pre>1\n2</pre>"
        "</div><td class=code><pre>{}</pre></table>",
        "<table><tr><td class=lntd><pre><span class=lnt>1\n</span><span class=lnt>2\n</span></pre>"
        "<td class=lntd><pre>{}</pre></table>",
        "<table><tr><td class='gutter gl'><pre class=lineno>1\n2</pre><td class=code><pre>{}</pre>"
        "</table>",
        "<pre><span class=linenos>1</span>{}</pre>",
        "<pre class=line-numbers>{}</pre>",
        "<pre>{}<ul class=pre-numbering><li>1</li><li>2</li></ul></pre>",
    ],
)
@pytest.mark.parametrize("code", ["def run(self):\n    pass", "run()"])
def test_numbers_of_lines_are_none_of_the_code(listing: str, code: str) -> None:
    assert to_markdown(listing.format(code)).md == f"```\n{code}\n```"


def test_a_listing_of_numbers_keeps_them() -> None:
    assert to_markdown("<pre class=line-numbers>42</pre>").md == "```\n42\n```"
    assert to_markdown("<p class=ln>Line 7").md == "Line 7"


def test_a_manual_page_as_it_is_printed_is_text_with_sections() -> None:
    page = (
        "<pre>\nGAUGE(1)                GAUGE(1)\n\n<b>NAME</b>\n       gauge - read a gauge\n\n"
        "<b>SYNOPSIS</b>\n       <b>gauge</b> <i>file</i>\n</pre>"
    )
    loaded = load(page)
    assert [item.title for item in loaded.outline] == ["NAME", "SYNOPSIS"]
    assert "```" not in loaded.md


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
                "<caption>",
                "<form>",
                "</form>",
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
                "<sup>",
                "</sup>",
                "<math>",
                "</math>",
                "<th>",
                "<td colspan=2 rowspan=3>",
                "<tbody>",
                "<nav>",
                "</nav>",
                "<main>",
                "</main>",
                "<h1>",
                "<dl>",
                "</dl>",
                "<dt>",
                "<dd>",
                "word ",
                "|",
            ]
        ),
        max_size=30,
    )
)
def test_no_word_is_lost_however_damaged_the_markup(parts: list[str]) -> None:
    html = "".join(f"{part}{number}w " for number, part in enumerate(parts))
    page = to_markdown(html)
    text = " ".join([*page.before, page.md, *page.after])
    for number in range(len(parts)):
        assert f"{number}w" in text


def test_a_title_has_plain_blanks() -> None:
    assert load("<title>3.10.&nbsp;Changes</title><p>x").title == "3.10. Changes"


@pytest.mark.parametrize(
    "style", ["visibility: hidden; opacity: 0;", "visibility:hidden", "display:none"]
)
def test_what_is_nearly_all_of_a_page_is_shown_by_its_script(style: str) -> None:
    body = "Read the gauge at six and note it in the log. " * 2
    html = f'<h1>Tides</h1><p>By Ann<div id=body style="{style}"><p>{body}</div>'
    assert to_markdown(html).md == f"# Tides\n\nBy Ann\n\n{body.strip()}"


@pytest.mark.parametrize(
    "hidden",
    [
        f"<div style='display:none'>{'Choose. ' * 9}</div>",
        f"<div style='visibility:hidden' id=cookie-settings>{'Choose what we store. ' * 9}</div>",
        f"<div style='display:none' role=dialog>{'Choose what we store. ' * 9}</div>",
        f"<ul style='visibility:hidden'>{'<li><a href=p>Pumps and valves</a>' * 9}</ul>",
        f"<div style='display:none'>{'We read it at six. ' * 9}</div>" * 2,
    ],
)
def test_what_opens_when_it_is_asked_for_stays_hidden(hidden: str) -> None:
    assert to_markdown(f"<h1>Tides</h1><p>High at noon.{hidden}").md == "# Tides\n\nHigh at noon."


@pytest.mark.parametrize(
    ("html", "md"),
    [
        ("<p>每月核对雷达水位\n  计一次。\n记入日志", "每月核对雷达水位计一次。记入日志"),
        ("<h2>雷达水位\n计</h2><p>a\nb", "## 雷达水位计\n\na b"),
        ("<p id=x>计\n数<table><tr><th>水\n位<th>b<tr><td>c<td>d</table>", None),
        ("<p>用 Python\n写成，\nPython", "用 Python 写成， Python"),
        ("<p>한국어\n문장 水 位", "한국어 문장 水 位"),
        ("<p>水<br>位", "水\n位"),
        ("<p>每月核对。\n\u3000\u3000记入日志。", "每月核对。 \u3000\u3000记入日志。"),
        ("<pre>水\n位</pre>", "```\n水\n位\n```"),
    ],
)
def test_an_end_of_a_line_is_no_blank_where_words_have_none(html: str, md: str | None) -> None:
    """CSS Text Module 3, 4.1.3."""
    table = "计数\n\n| 水位 | b |\n|---|---|\n| c | d |"
    assert load(html).md == (md or table)


SAVED = "data:image/png;base64," + "iVBORw0K" * 300


@pytest.mark.parametrize(
    ("image", "address"),
    [
        ("src=data:image/gif;base64,R0lGOD data-src=a.png", "a.png"),
        ("data-original=a.png", "a.png"),
        ("src=small.png data-src=a.png", "small.png"),
        ("src=data:image/gif;base64,R0lGOD", "data:image/gif;base64,R0lGOD"),
        (f"src={SAVED} data-src=https://tides.example/a.png", SAVED),
    ],
)
def test_a_picture_that_is_loaded_late_has_its_address(image: str, address: str) -> None:
    (reference,) = load(f"<p>Gauge: <img {image}>").media_refs
    assert reference.origin_ref == address


@pytest.mark.parametrize(
    ("html", "md"),
    [
        ("<p>One.<br><br>Two,<br>three.<br> <br/>\n<br>Four.", "One.\n\nTwo,\nthree.\n\nFour."),
        ("<ul><li>One.<br><br>Two.<li>Three.</ul>", "- One.\n\n  Two.\n- Three."),
        ("<blockquote>One.<br><br>Two.</blockquote>", "> One.\n>\n> Two."),
        ("<h2>One<br><br>two</h2>", "## One two"),
    ],
)
def test_two_ends_of_lines_part_paragraphs(html: str, md: str) -> None:
    assert to_markdown(html).md == md


@pytest.mark.parametrize(
    ("html", "md"),
    [
        (
            '<p style="white-space: pre-line">Pump house\n<b>Quay 4</b>\n\nOpen 9-17</p>',
            "Pump house\n**Quay 4**\n\nOpen 9-17",
        ),
        ("<div style='color: red;white-space:pre-wrap'><p>水位\n很高</p></div>", "水位\n很高"),
        # A style within says otherwise, or nothing; code has its own lines.
        ('<p style="white-space:pre"><i style="white-space: normal">a\nb</i></p>', "*a b*"),
        ('<p style="white-space:pre"><i style="white-space:inherit">a</i>\nb</p>', "*a*\nb"),
        ('<pre style="white-space: pre-wrap">a\n b</pre>', "```\na\n b\n```"),
        ('<p>Run <code style="white-space: pre-wrap">a\n_b_</code></p>', "Run `a _b_`"),
        (
            '<ul style="white-space: pre-wrap">\n<li>a\nb</li>\n<li>c</li>\n</ul>',
            "- a\n  b\n- c",
        ),
        ('<p style="white-space: nowrap">a\nb</p>', "a b"),
    ],
)
def test_ends_of_lines_that_a_style_keeps_are_ends_of_lines(html: str, md: str) -> None:
    assert to_markdown(html).md == md
