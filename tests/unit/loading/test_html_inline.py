"""Links, raised and lowered text and formulas within a page's lines; the ids of its headings."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.links.markdown import MarkdownLinker, MarkdownLinkerParams
from rag_assets.loading.base import LoadRequest
from rag_assets.loading.html.loader import HtmlLoader
from rag_assets.loading.html.markdown import to_markdown
from rag_query.providers.registry import Params


@pytest.mark.parametrize(
    ("html", "md"),
    [
        ("<a href=o.html><div>Card</div></a>", "[Card](o.html)"),
        ("<a href=o><h2>Card</h2><p>more</p></a>", "## [Card](o)\n\nmore"),
        ("<a href=o><figure><img src=i alt=I></figure></a>", "[![I](i)](o)"),
        ("<a href=o><pre>code</pre><ul><li>x<li>y</ul></a>", "```\ncode\n```\n\n- [x](o)\n- y"),
        ("<a href=o><p><a href=p>in</a></p><p>out</p></a>", "[in](p)\n\n[out](o)"),
        ("<a href=o>one<br>two</a>", "[one two](o)"),
        ("<a href=e>[T]</a>", "[\\[T\\]](e)"),
        ("<a href=e>[[T]] x</a>", "[\\[\\[T\\]\\] x](e)"),
        ("<a name=o><p>x</p></a>", "x"),
    ],
)
def test_a_link_around_blocks_is_kept(html: str, md: str) -> None:
    assert to_markdown(html).md == md


@pytest.mark.parametrize(
    "html",
    [
        "<p>[[:digit:]], [[.ch.]] or ![[a.png]]",
        "<h2>[[x]]</h2><p>y",
        "<p><a href=e>[[x]]</a>",
        "<table><tr><th>a<th>b<tr><td>[[x]]<td>c</table>",
    ],
)
def test_two_brackets_lead_nowhere(html: str) -> None:
    """HTML has no wiki links."""
    loaded = HtmlLoader(Params()).load(html.encode(), LoadRequest("a.html"))
    linker = MarkdownLinker(MarkdownLinkerParams())
    links = linker.links(loaded.md, root="r", rel_path="a.html", own_uri="file://r/a.html")
    assert [link.kind for link in links] == ["link"] * html.count("href")
    assert not loaded.media_refs


@pytest.mark.parametrize(
    ("html", "md"),
    [
        ("10<sup>6</sup> N", "10^6 N"),
        ("<b>10</b><sup> 6 </sup>N", "**10**^6 N"),
        ("x<sup>2</sup>y e<sup>-x<sup>2</sup></sup>", "x^(2)y e^(-x^2)"),
        ("CO<sub>2</sub>, H<sub>2</sub>O, SO<sub>4</sub><sup>2-</sup>", "CO2, H2O, SO4^2-"),
        ("x<sub>i</sub> log<sub>2</sub>8 101<sub>2</sub>", "x_i log_(2)8 101_2"),
        ("1<sup>st</sup>, 25<sup>°</sup>C", "1st, 25°C"),
        ("word<sup><a href=#n>1</a></sup>.", "word [1](#n)."),
        ("word<a href=#n><sup>1</sup></a>.", "word [1](#n)."),
        ("word<sup><a href=#n>[1]</a></sup>next", "word [1](#n) next"),
        ("word<a href=#n><sup>[1]</sup></a>", "word [1](#n)"),
        ("word<sup>[1]</sup>, end.<sup>2</sup>", "word [1], end.^2"),
        ("<sup>1</sup>Tide office", "1 Tide office"),
        ("<code>2<sup>10</sup></code>", "`2^10`"),
        ("<h2>10<sup>6</sup></h2>", "## 10^6"),
    ],
)
def test_raised_and_lowered_text_reads_right(html: str, md: str) -> None:
    assert to_markdown(html).md == md


PIECES = st.lists(
    st.tuples(st.sampled_from(["sup", "sub", "a href=x", "b", "span", ""]), st.booleans()),
    min_size=1,
    max_size=8,
)


@given(PIECES)
def test_a_raised_or_lowered_number_is_never_glued_to_another(
    pieces: list[tuple[str, bool]],
) -> None:
    html, digits = "", []
    glued = True
    for number, (tag, wrapped) in enumerate(pieces, 1):
        shifted = tag in ("sup", "sub")
        piece = f"<{tag}>{number}</{tag.split()[0]}>" if tag else str(number)
        html += f"<i>{piece}</i>" if wrapped else piece
        if glued or shifted:
            digits.append(str(number))
        else:
            digits[-1] += str(number)
        glued = shifted
    md = re.sub(r"\(x\)|[*\[\]]", "", to_markdown(html).md)
    assert re.findall(r"\d+", md) == digits


MATH = "<mi>E</mi><mo>=</mo><msup><mn>10</mn><mn>6</mn></msup>"
TEX = '<annotation encoding="application/x-tex">E=10^6</annotation>'


@pytest.mark.parametrize(
    ("html", "md"),
    [
        (f"so <math>{MATH}</math> holds", "so E=10^6 holds"),
        (f'<math alttext="E equals a million">{MATH}</math>', "E equals a million"),
        (r'<math alttext="{\displaystyle E}"><mi>E</mi></math>', "E"),
        (f"<math><semantics><mrow>{MATH}</mrow>{TEX}</semantics></math>", "E=10^6"),
        ("<math><mi>f</mi><mfenced><mi>x</mi><mi>y</mi></mfenced></math>", "f(x,y)"),
        (
            '<math><mfrac><mn>1</mn><mfenced open="" close=""><mrow><mi>a</mi><mo>+</mo><mi>b</mi>'
            "</mrow></mfenced></mfrac></math>",
            "1/(a+b)",
        ),
        ('so <math><mfenced open="|" close="|"><mi>x</mi></mfenced></math>', "so |x|"),
        (
            "<math><msup><mfenced><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfenced><mn>2</mn>"
            "</msup></math>",
            "(a+b)^2",
        ),
        (
            "<math><mmultiscripts><mi>C</mi><mn>2</mn><none/><mprescripts/><mn>6</mn><mn>14</mn>"
            "</mmultiscripts></math>",
            "_6^14 C_2",
        ),
        (
            "<math><mfrac><mn>1</mn><mrow><mn>2</mn><mo>&#x2062;</mo><mi>x</mi></mrow></mfrac>"
            "<mtext>if</mtext><msqrt><mi>x</mi></msqrt><mroot><mn>8</mn><mn>3</mn></mroot></math>",
            "1/(2 x) if √x8^(1/3)",
        ),
        (
            f"c <span><span><math>{MATH}</math></span><span aria-hidden=true>E=106</span></span>",
            "c E=10^6",
        ),
        ("<p aria-hidden=true>kept</p>", "kept"),
        (
            '<p>so <span class="MathJax_Preview">E=106</span> <script type="math/tex">E=10^6'
            "</script> holds<script>no()</script>",
            "so $E=10^6$ holds",
        ),
        (
            '<div class=MathJax_Display>x</div><script type="math/tex; mode=display">% <![CDATA[\n'
            "a &= b\n%]]></script><p>x",
            "$$a &= b$$\n\nx",
        ),
        (
            '<span class="mwe-math-mathml-inline" style="display: none"><math><mi>x</mi></math>'
            "</span><img aria-hidden=true alt=x src=x.svg>",
            "x",
        ),
        ("<p>a <math><mi>x</mi><p>b <b>c</b></p>", "a x\n\nb **c**"),
    ],
)
def test_formulas_are_kept_as_text(html: str, md: str) -> None:
    assert to_markdown(html).md == md


def anchors(html: str) -> dict[str, str]:
    loaded = HtmlLoader(Params()).load(html.encode(), LoadRequest("page.html"))
    found: dict[str, str] = loaded.summary.get("anchors", {})
    assert set(found.values()) <= {item.title for item in loaded.outline}
    return found


def test_ids_of_headings_are_kept_where_their_text_does_not_tell_them() -> None:
    html = (
        "<main id=top><section id=install><h2>How to <em>install</em> it</h2><p id=p>x</section>"
        "<p><a name=old></a></p><h2 id=Set-up>Set up</h2>text <i id=lost></i>text"
        "<div><h3 id=deep><a id=deeper></a>10<sup>6</sup> &lt;b&gt;</h3></div>"
        "<div hidden><h2 id=secret>Secret</h2></div><a href=c id=card><h2>Card</h2></a>"
        "<h2 id=install>Again</h2>"
    )
    assert anchors(html) == {
        "top": "How to install it",
        "install": "How to install it",
        "old": "Set up",
        "deep": "10^6 <b>",
        "deeper": "10^6 <b>",
    }


def test_ids_of_terms_are_kept_with_the_line_the_term_is() -> None:
    html = (
        "<h1>A</h1><dl><dt id=math.ceil>ceil(<em>x</em>)<a class=headerlink href=#math.ceil>¶</a>"
        "<dd id=d>Up.</dd><dt><a name=old></a>floor<dd>Down.<dt id=t><h2>Title</h2></dl>"
    )
    loaded = HtmlLoader(Params()).load(html.encode(), LoadRequest("page.html"))
    assert loaded.summary["term_anchors"] == {"math.ceil": "ceil(*x*)", "old": "floor"}
    assert loaded.summary["anchors"] == {"t": "Title"}


def test_ids_of_anything_else_are_kept_with_the_line_of_their_words() -> None:
    html = (
        "<nav>Home\n<a href=x>Other</a></nav><main><h1 id=top>Tides</h1>"
        "<p>Read it<sup id=ref><a href=#note>1</a></sup> <span id=word>daily</span>.</p>"
        "<table><tr><th>Gauge<th>Port<tr id=row><td>12<td>Sable Bay</table><div id=empty></div>"
        "<ul><li>one<li id=item>two</ul><pre id=code>x = read()\n<i id=L2>y</i></pre>"
        "<div hidden id=gone>Secret</div><div id=note>1. The note.</div></main>"
    )
    loaded = HtmlLoader(Params()).load(html.encode(), LoadRequest("page.html"))
    lines = loaded.md.split("\n")
    shown = {name: lines[line - 1] for name, line in loaded.summary["line_anchors"].items()}
    assert shown == {
        "ref": "Read it [1](#note) daily.",
        "word": "Read it [1](#note) daily.",
        "row": "| 12 | Sable Bay |",
        "empty": "- one",
        "item": "- two",
        "code": "x = read()",
        "note": "1\\. The note.",
    }
    assert loaded.summary["anchors"] == {"top": "Tides"}


@pytest.mark.parametrize(
    "own", ["\U00100000", "&#x100000;", "&#1048576", "\U0010f123", "&#x10F123;"]
)
def test_characters_for_private_use_stay_where_ids_are_marked_with_them(own: str) -> None:
    loaded = HtmlLoader(Params()).load(
        f"<p id=a>Words here</p><p>icon {own} here".encode(), LoadRequest("page.html")
    )
    assert loaded.md == f"Words here\n\nicon {unescape(own)} here"
    assert "line_anchors" not in loaded.summary


def test_ids_of_headings_are_bounded() -> None:
    many = "".join(f"<a name=n{at}></a>" for at in range(12_000))
    assert len(anchors(f"{many}<h2>One</h2>")) == 10_000
    assert anchors(f"<a name={'n' * 201}></a><h2>One</h2>") == {}
    assert anchors(f"<h2 id=n>{'word ' * 200}</h2>") == {}


@pytest.mark.parametrize(
    ("html", "md"),
    [
        ("Now <del>120</del>99 EUR", "Now ~~120~~ 99 EUR"),
        ("<s>$20</s>$30", "~~$20~~ $30"),
        ("It <del>opens</del><ins>opened</ins>.", "It ~~opens~~ opened."),
        ("1<s>2</s><s>3</s><b>4</b>, <s>5</s>", "1 ~~2~~ ~~3~~ **4**, ~~5~~"),
        ("六<s>七</s>八", "六 ~~七~~ 八"),
        ("<code>f(<s>20</s>30)</code>", "`f(20 30)`"),
        ("<pre>1<del>2</del>\n<del>3\n</del>4</pre>", "```\n1 2\n3\n4\n```"),
        ("<a href=u><s>20</s></a>30", "[~~20~~ ](u)30"),
    ],
)
def test_what_is_struck_out_makes_no_word_with_what_replaces_it(html: str, md: str) -> None:
    assert to_markdown(html).md == md


@pytest.mark.parametrize(
    ("html", "md"),
    [
        ("<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>の", "漢字(かんじ)の"),
        ("<ruby>中<rt>zhōng</rt></ruby><ruby>国<rt>guó</rt></ruby>人", "中国(zhōng guó)人"),
        ("<ruby>漢<rp>(<rt>kan<rp>)</ruby> <ruby>x<rt></ruby>", "漢(kan) x"),
    ],
)
def test_a_ruby_is_read_as_words_and_then_how_they_are_said(html: str, md: str) -> None:
    assert to_markdown(html).md == md


def test_an_id_before_a_ruby_changes_nothing_of_how_it_is_read() -> None:
    page = to_markdown("<p id=x><ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>の字は")
    assert (page.md, page.places) == ("漢字(かんじ)の字は", {"x": 0})


def test_ids_lead_to_their_lines_behind_carriage_returns() -> None:
    html = "<pre>a&#13;b&#13;&#10;c</pre><p><img src=p.png alt='a&#13;b'><p id=x>Words here"
    loaded = HtmlLoader(Params()).load(html.encode(), LoadRequest("page.html"))
    line = loaded.summary["line_anchors"]["x"]
    assert loaded.md.split("\n")[line - 1] == "Words here"


def test_a_link_that_runs_a_script_is_text() -> None:
    assert to_markdown("<a href='JavaScript:void(0)'>Fold</a> <a href=b>b</a>").md == "Fold [b](b)"


@pytest.mark.parametrize("role", ["grid", "treegrid"])
def test_cells_of_a_grid_are_not_glued(role: str) -> None:
    html = f"""<div role={role}><div role=row><span role=columnheader>Code</span>
    <span role=columnheader>Meaning</span></div><div role=row><span role=gridcell>E1</span><span
    role=gridcell>battery low</span></div></div>"""
    assert to_markdown(html).md == "| Code | Meaning |\n|---|---|\n| E1 | battery low |"


def test_roles_say_what_an_element_is() -> None:
    html = """<div role=heading aria-level=3>Keys</div><div role=list><div role=listitem>a</div>
    <div role=listitem>b</div></div><div role=table><div role=row><span role=columnheader>Code
    </span><span role=columnheader>Meaning</span></div><div role=row><span role=cell>E1</span>
    <span role=cell>battery low</span></div></div><div role=list>c</div>"""
    table = "| Code | Meaning |\n|---|---|\n| E1 | battery low |"
    assert to_markdown(html).md == f"### Keys\n\n- a\n- b\n\n{table}\n\nc"
