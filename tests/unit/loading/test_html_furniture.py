"""What stands around a page's content is in the facts, but in no section, chunk or title."""

import time

import numpy as np
import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.html.loader import HtmlLoader
from rag_assets.loading.html.markdown import to_markdown
from rag_assets.normalizing.provider import Facts, NormalizeParams, NormalizePre
from rag_query.providers.registry import Params

NAV = "<nav><h3>Contents</h3><ul><li><a href=a.html>Installing</a></ul></nav>"


def load(html: str) -> Loaded:
    return HtmlLoader(Params()).load(html.encode(), LoadRequest("page.html"))


def normalized(loaded: Loaded) -> str:
    none = np.empty(0, np.int64)
    facts = Facts(loaded.md, [tuple(item) for item in loaded.furniture], [], none, none)
    return NormalizePre(NormalizeParams()).normalize(facts).md_norm


def content(html: str) -> str:
    return normalized(load(html))


def test_navigation_is_kept_in_the_facts_and_read_by_nobody() -> None:
    page = f"{NAV}<h1>Tides</h1><p>High at noon.</p><img src=a.png>{NAV}<p>Low at six.</p>"
    loaded = load(page)
    assert normalized(loaded) == "# Tides\n\nHigh at noon.\n\n![](a.png)\n\nLow at six."
    navigation = "### Contents\n\n- [Installing](a.html)"
    pieces = [loaded.md[start:end].strip() for start, end, _ in loaded.furniture]
    assert pieces == [navigation, navigation]
    assert {item.kind for item in loaded.furniture} == {"navigation"}
    assert loaded.summary["furniture"] == {"navigation": 2}


def test_titles_and_pictures_are_placed_behind_the_navigation() -> None:
    loaded = load(f"{NAV}<h1>Tides</h1><p>High.</p><p><img src=a.png>")
    (heading,) = loaded.outline
    assert heading.title == loaded.title == "Tides"
    assert loaded.md[heading.char_start :].startswith("# Tides")
    (image,) = loaded.media_refs
    assert loaded.md[image.char_start : image.char_end] == "![](a.png)"
    assert image.line_start == loaded.md.count("\n", 0, image.char_start) + 1


@pytest.mark.parametrize(
    "around",
    [
        "<div role=navigation>x</div>",
        "<form role=search>x</form>",
        "<header>x</header>",
        "<footer>x</footer>",
        "<aside>x</aside>",
        "<aside class=sidebar><h3>About</h3><p>I write about tides.</aside>",
        "<aside>Get our letter. <form><input></form></aside>",
        "<aside>We moved. <a href=new.html>Come along</a></aside>",
        "<div title=header><p>x</div>",
        "<div role=contentinfo>x</div>",
        "<div class=navheader><table><tr><td>Prev<td>Next</table></div>",
        "<div class='sphinxsidebar'>x</div>",
        "<div class=topNav>x</div>",
        "<ul class='docnav top'><li>Prev<li>Next</ul>",
        "<table class=nav_table><tr><td>Prev<td>Next</table>",
        "<div id=footer>x</div>",
    ],
)
def test_what_a_page_or_its_generator_calls_navigation_is_none_of_its_text(around: str) -> None:
    assert content(f"<p>Text.</p>{around}") == "Text."


def test_a_menu_below_what_asks_consent_is_no_text() -> None:
    asks = "<div id=cookie-banner><p>We store cookies.<button>Accept</button></div>"
    menu = "<ul><li><a href=a>Home</a><li><a href=b>Shop</a></ul>"
    assert content(f"{asks}{menu}<h1>Tides</h1><p>High.") == "# Tides\n\nHigh."


BAR = "<a href=i.html>Contents</a> | <a href=x.html>Index</a>"
WAYS = (
    "<b>Next:</b> <a href=n>Fnormal</a> <b>Up:</b> <a href=u>Smooth</a> <b>Previous:</b> <a>x</a>"
)


@pytest.mark.parametrize(
    "bar",
    [
        f"<p class=menu>{BAR}</p>",
        f"<table><tr><td>[{BAR}]<td><a href=h.html>Home</a></table>",
        f"{BAR}<br>",
        "<ul><li><a href=a.html>Install</a><li><a href=b.html>Use</a></ul>",
        "<div id=top><a href=/shop><span>Buy the printed tables</span></a></div>",
        "<div class=bar><center><a href=a>下一页</a> <a href=b>上一页</a></center></div>",
        "<div><a href=/>Home</a> | <a href=n>News</a> | <a href=s>https://tides.example/shop</a></div>",
    ],
)
def test_links_before_all_text_and_headings_are_none_of_the_text(bar: str) -> None:
    assert content(f"<body>{bar}<h1>Tides</h1><p>High.") == "# Tides\n\nHigh."


@pytest.mark.parametrize(
    "bar",
    [
        f"<div>{WAYS}</div>",
        f"<p>{WAYS}</p>",
        f"{WAYS}<hr>",
        f"<div class=navigation>{BAR}</div>",
        f"<ul id=nav_flow class=nav><li>{BAR}</ul>",
        "<a class=previous_page href=p>&lt;-back</a><a class=next_page href=n>on-&gt;</a>",
        "<p><a rel=prev href=p>Smooth</a> <a rel=next href=n>Rough</a></p>",
        f"<ul class=nav><li>{BAR}<li><form><input></form></ul>",
        "<table class=bar><tr><td>[<a href=o>Overview</a>]<td>Reference for unit 'x'</table>",
    ],
)
def test_links_about_the_site_are_none_of_the_text_wherever_they_stand(bar: str) -> None:
    assert content(f"<h1>Tides</h1><p>High.</p>{bar}").removesuffix("\n\n* * *") == (
        "# Tides\n\nHigh."
    )


@pytest.mark.parametrize(
    "part",
    [
        f"<p>{BAR}</p>",
        f"<p>{BAR} are what a reader of this book should look at first of all.</p>",
        "<ul class='nav nav-tabs'><li><a href=#a>First</a><li><a href=#b>Second</a></ul>",
        "<p>Next: the moon. Previous: <a href=s>the sun</a>, <a href=t>tides</a></p>",
        "<ul><li><a href=n>next()</a><li><a href=p>previous()</a></ul>",
        "<p><a class=next-step href=n>Open the gauge</a>, <a class=next-step href=o>read it</a>",
    ],
)
def test_links_within_a_text_are_its_own(part: str) -> None:
    assert not load(f"<h1>Tides</h1><p>High.</p>{part}").furniture


def test_links_before_the_first_heading_are_kept_after_other_text() -> None:
    page = f"<p>Read these:</p><p>{BAR}</p><h2>Tides</h2><p>High."
    assert "Contents" in content(page)


@pytest.mark.parametrize(
    "notice", ["From 3 June the office is in Harbour Street 12", "关于调整2025年收费标准的通知"]
)
def test_a_notice_before_the_first_heading_is_text(notice: str) -> None:
    assert notice in content(f"<p><a href=notice.html>{notice}</a></p><h1>Tides</h1><p>High.")


def test_a_long_list_of_links_before_the_first_heading_is_kept_and_quickly_read() -> None:
    links = "".join(f"<li><a href={n}.html>Number {n}</a>" for n in range(5000))
    start = time.process_time()
    assert "Number 4999" in content("<div>" * 120 + f"<ul>{links}</ul><h2>Tides</h2><p>High.")
    assert time.process_time() - start < 20


def test_a_page_without_headings_keeps_the_links_it_begins_with() -> None:
    assert "Contents" in content(f"<p>{BAR}</p><p>High.")


def test_what_rustdoc_writes_for_the_mouse_is_not_read() -> None:
    page = (
        "<h1>Struct Once<span class=notable-traits>Notable traits</span>"
        "<button id=copy-path><img src=c.svg alt='Copy item path'></button></h1>"
        "<span>1.2.0 · <a class=srclink href=s.html>source</a> · "
        "<a id=toggle-all-docs href='javascript:void(0)'>[−]</a></span>"
        "<details open><summary class=hideme><span>Expand description</span></summary>"
        "<p>An iterator.</p></details>"
    )
    assert load(page).md == "# Struct Once\n\n1.2.0\n\nAn iterator."


@pytest.mark.parametrize(
    "part",
    [
        "<article><header>x</header></article>",
        "<section><footer>x</footer></section>",
        "<blockquote><footer>x</footer></blockquote>",
        "<aside class=admonition>x</aside>",
        "<aside role=doc-endnotes>x</aside>",
        "<aside id=featured><article>x</article></aside>",
        "<header id=title-block-header>x</header>",
        "<div class=sidebar>x</div>",
        "<ul class='nav nav-tabs'><li>x</ul>",
    ],
)
def test_parts_of_a_text_are_no_navigation(part: str) -> None:
    assert "x" in content(f"<h1>Title</h1><p>Text.</p>{part}")


@pytest.mark.parametrize("main", ["<main>{}</main>", "<div role=main>{}</div>"])
def test_outside_a_page_s_main_part_nothing_is_content(main: str) -> None:
    text = "<h1>Tides</h1><p>High.</p>" + "<nav>On this page</nav>"
    page = f"<div>Skip<div>Menu</div>{main.format(text)}</div><p>All rights reserved"
    loaded = load(page)
    assert normalized(loaded) == "# Tides\n\nHigh."
    assert all(word in loaded.md for word in ("Skip", "Menu", "On this page", "All rights"))


def test_an_end_tag_too_many_does_not_end_the_main_part() -> None:
    page = "<div><main><div><p>a</p></div></div><p>b</p></main></div><p>c"
    assert content(page) == "a\n\nb"


def test_a_page_with_two_main_parts_has_no_outside() -> None:
    assert content("<p>a</p><main>b</main><main>c</main>") == "a\n\nb\n\nc"


@pytest.mark.parametrize(
    "page",
    [
        "<header><a href=/>Site</a><h1>Tides</h1><nav>Menu</nav></header><p>High.</p>",
        "<div><h1>Tides</h1><nav>Menu</nav></div><main><p>High.</p></main>",
        "<h1>Tides</h1><p>Menu</p><main><p>High.</p></main>",
    ],
)
def test_the_heading_that_names_a_page_stays_where_it_stands_above_the_content(page: str) -> None:
    loaded = load(page)
    assert [item.title for item in loaded.outline] == ["Tides"]
    assert normalized(loaded).endswith("# Tides\n\nHigh.") and "Menu" not in normalized(loaded)


@pytest.mark.parametrize(
    "name",
    [
        "<header><h1><a href=/>My site</a></h1></header>",
        "<h1 id=header><a href=/>My site</a></h1>",
    ],
)
def test_the_name_of_a_site_is_no_heading_of_its_pages(name: str) -> None:
    page = f"{name}<h2>Tides</h2><p>High."
    assert [item.title for item in load(page).outline] == ["Tides"]


def test_a_section_that_leads_to_its_source_is_no_name_of_a_site() -> None:
    page = "<h1>Gauges</h1><h2 id=header><a href=gauge.c>Header</a></h2><p>One line."
    assert [item.title for item in load(page).outline] == ["Gauges", "Header"]


@pytest.mark.parametrize("page", [NAV, f"<h1>Index</h1><img src=logo.png>{NAV}"])
def test_a_page_of_nothing_but_navigation_keeps_it(page: str) -> None:
    loaded = load(page)
    assert not loaded.furniture and "Installing" in normalized(loaded)


@pytest.mark.parametrize(
    "beside",
    [
        "<div id=sidebar><h3>Popular</h3><ul><li><a href=a>Ten wells</a></ul></div>",
        "<div class='widget-area sidebar'>热门<ul><li><a href=a>文章一</a></ul></div>",
        "<article><aside><h3>Related stories</h3><a href=r>Bridge closed</a></aside></article>",
        "<ul class=share><li><a href=f>Share on F</a></ul>",
        "<div id=toc><p>On this page<ul><li><a href=#a>Causes</a></ul></div>",
        "<div class='contents topic'><p>On this page<ul><li><a href=#a>Causes</a></ul></div>",
        "<div class=toc><p><b>Contents</b><dl class=toc><dt><a href=#a>1. Causes</a>"
        "<dd><dl><dt><a href=#b>1.1. Rain</a></dl></dl></div>",
        "<div class=toc><dl><dt><a href=flood.html#a>Causes</a></dl></div><i id=a></i>",
        "<div class=fancy_toc>► Contents<div id=toc_sub><a href=#a>Causes</a></div></div>",
        f"<div class=toc>{'<p><a href=#a>What caused the flood of this year</a>' * 80}</div>",
        "<div id='Table of Contents1'><p>On this page<p><a href=#a>Causes 1</a></div>",
        "<div id=gdpr-banner><p>We store cookies.<button>Good</button></div>",
        "<div class=cookie-consent><h2>Cookies</h2><p>We store a few.<button>Good</button></div>",
    ],
)
def test_links_beside_a_text_are_no_part_of_it(beside: str) -> None:
    text = "<h1>Flood</h1><p>The river rose.</p>"
    assert content(f"{text}{beside}<p>Nobody was hurt.") == content(f"{text}<p>Nobody was hurt.")


@pytest.mark.parametrize(
    "part",
    [
        "<div class=sidebar><p>Wear gloves when the <a href=a>gauge</a> is opened.</div>",
        "<div class=sidebar>提示<p>先关主阀。<div>→ <a href=https://tides.example/valves/main.html>"
        "https://tides.example/valves/main.html</a></div></div>",
        "<article><aside><p>The gauge was built in 1961, see <a href=a>here</a>.</aside></article>",
        "<article><aside class=footnote><a href=https://tides.example>tides</a></aside></article>",
        "<aside><p>“The water came at night.”</aside>",
        "<aside epub:type=footnote><a href=chapter.xhtml#n1>1</a> By Ann Holm</aside>",
        "<div class=toc><ul><li><a href=causes.html>Causes</a></ul></div>",
        "<div class=toc><dl><dt><a href=causes.html#a>Causes</a></dl></div>",
        "<dl><dt><a href=#a>Causes</a><dd><a href=#b>Rain</a></dl>",
        "<div class=contents><p>See <a href=#a>Causes</a></div>",
        "<div class=section id=cookie-consent><p>Sites ask before they store cookies.</div>",
        "<article><section id=cookie-banner><p>Ask once.<button>Copy</button></section></article>",
        "<section id=gdpr><p>In force since 2018.<button>Copy</button></section>",
    ],
)
def test_a_text_beside_another_is_kept(part: str) -> None:
    assert "<a" not in content(f"<h1>Flood</h1>{part}")
    assert len(content(f"<h1>Flood</h1>{part}")) > len("# Flood")


@pytest.mark.parametrize("within", ["<h2>Tides</h2><p>High.", "<b></b>\n" * 2_000])
def test_a_page_of_sidebars_in_each_other_is_read_quickly(within: str) -> None:
    begun = time.process_time()
    to_markdown("<div class=sidebar>" * 400 + within)
    assert time.process_time() - begun < 2
